"""Gene expression as matrices of samples by genes, for decompositions."""

from __future__ import annotations

import numpy as np

from benchmarks.datasets.stored import data_folder
from benchmarks.instance import FloatArray

__all__ = ["expression"]


def expression(name: str, genes: int) -> FloatArray:
    """The most variable genes of "colon" (62 tissues) or "leukemia" (72 patients).

    Logarithms of colon's intensities; every sample standardised, every gene centred. Raises
    FileNotFoundError where the file is absent.
    """
    with np.load(data_folder() / f"{name}.npz") as stored:
        raw = stored["X"].astype(np.float64)
    values = np.log(raw) if name == "colon" else raw
    samples = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, keepdims=True)
    variable = np.sort(np.argsort(-samples.var(axis=0), kind="stable")[:genes])
    centred: FloatArray = samples[:, variable] - samples[:, variable].mean(axis=0)
    return centred
