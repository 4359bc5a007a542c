"""The data matrix: dense or sparse, with or without an intercept, never modified."""

from fenchel.design.base import Design
from fenchel.design.bilinear import BilinearDesign
from fenchel.design.completion import CompletionDesign
from fenchel.design.dense import DenseDesign
from fenchel.design.intercept import InterceptDesign
from fenchel.design.scaling import column_scales
from fenchel.design.sparse import SparseDesign
from fenchel.design.validation import as_design, as_sample_weight, as_target

__all__ = [
    "BilinearDesign",
    "CompletionDesign",
    "DenseDesign",
    "Design",
    "InterceptDesign",
    "SparseDesign",
    "as_design",
    "as_sample_weight",
    "as_target",
    "column_scales",
]
