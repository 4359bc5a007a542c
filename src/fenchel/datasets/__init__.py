"""Datasets: readers for the usual files, small bundled ones, and random ones with a known truth."""

from fenchel.datasets.bundled import load_demo
from fenchel.datasets.dataset import Dataset
from fenchel.datasets.readers import load_data
from fenchel.datasets.summary import describe
from fenchel.datasets.synthetic import correlated_regression, sparse_logistic, text_like

__all__ = [
    "Dataset",
    "correlated_regression",
    "describe",
    "load_data",
    "load_demo",
    "sparse_logistic",
    "text_like",
]
