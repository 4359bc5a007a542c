"""Configuration of the documentation: python -m sphinx -W -b html docs docs/_build/html."""

from fenchel import __version__

project = "Fenchel"
author = "the Fenchel developers"
copyright = "the Fenchel developers"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
exclude_patterns = ["_build"]
root_doc = "index"

# Signatures keep their defaults; the types stand in the parameter lists, in words.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
numpydoc_show_class_members = False

nitpicky = True
nitpick_ignore = [
    # Internals that docstrings name.
    ("py:class", "CoordinateForm"),
    ("py:func", "fenchel.numerics.special.logistic_root"),
]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "within_subsection_order": "FileNameSortKey",
}

html_theme = "pydata_sphinx_theme"
html_title = f"Fenchel {release}"
html_theme_options = {"show_prev_next": False, "navigation_with_keys": False}
html_show_sourcelink = False
