"""Large sparse linear models, each fitted with a certified duality gap.

The estimators follow scikit-learn. Beneath them ``Problem`` and ``solve`` take any loss of
``fenchel.losses`` with any regularizer of ``fenchel.regularizers``.
"""

import re as _re
from importlib import import_module as _import_module
from importlib.metadata import version as _version
from pathlib import Path as _Path

# A name is imported when it is first asked for: a fit needs a third of the modules. The stub beside this
# file says where each is, to type checkers and to the lines below.
_HOMES = {
    name: module
    for module, names in _re.findall(
        r"^from (\S+) import (.+)$", _Path(__file__).with_suffix(".pyi").read_text("utf-8"), _re.MULTILINE
    )
    for name in names.split(", ")
}
_PACKAGES = ("datasets", "losses", "plotting", "regularizers")

__version__ = _version("fenchel")
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name in _HOMES:
        value = getattr(_import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    if name in _PACKAGES:
        return _import_module(f"fenchel.{name}")
    raise AttributeError(f"module 'fenchel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
