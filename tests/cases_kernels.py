"""Small problems for the kernels and their twins."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import DenseLines, Lines, SparseLines
from fenchel.losses.base import Loss
from fenchel.numerics.coordinate import CoordinateForm

N, D = 23, 9  # without the intercept
TOLERANCE = {np.float64: 1e-12, np.float32: 1e-5}

# l1, l2, lower, upper; SDCA adds a proximal term where l2 is 0.
FORMS = {
    "none": (0.0, 0.0, -np.inf, np.inf),
    "l1": (0.02, 0.0, -np.inf, np.inf),
    "ridge": (0.0, 0.1, -np.inf, np.inf),
    "elastic_net": (0.01, 0.2, -np.inf, np.inf),
    "box": (0.0, 0.0, -0.1, 0.2),
    "non_negative": (0.01, 0.05, 0.0, np.inf),
    "away_from_zero": (0.01, 0.05, 0.1, 0.4),
}


@dataclass(frozen=True)
class Case:
    """One problem, its dense matrix with the column of ones, and both kinds of lines."""

    A: np.ndarray
    rows: Lines
    columns: Lines
    loss: Loss
    form: CoordinateForm
    b: np.ndarray
    sample_weight: np.ndarray

    @property
    def kernel_loss(self) -> KernelLoss:
        return KernelLoss(self.loss.name, self.loss.parameters)


def sparse_lines(matrix: sp.csr_array, rng: np.random.Generator) -> SparseLines:
    """The rows of a matrix, with the entries of each in random order."""
    order = np.concatenate([start + rng.permutation(stop - start) for start, stop in pairwise(matrix.indptr)])
    return SparseLines(
        matrix.data[order],
        matrix.indices[order].astype(np.int32),
        matrix.indptr.astype(np.int64),
        n_lines=matrix.shape[0],
        length=matrix.shape[1],
    )


def both_lines(A: np.ndarray, storage: str, rng: np.random.Generator) -> tuple[Lines, Lines]:
    if storage == "dense":
        return DenseLines(A, *A.shape), DenseLines(np.ascontiguousarray(A.T), *A.T.shape)
    return sparse_lines(sp.csr_array(A), rng), sparse_lines(sp.csr_array(A.T), rng)


def make_case(
    rng: np.random.Generator,
    loss: Loss,
    form: str = "elastic_net",
    storage: str = "dense",
    dtype: type = np.float64,
    intercept: bool = False,
    weights: bool = True,
) -> Case:
    A = rng.normal(size=(N, D)) + 0.5
    if storage == "sparse":
        A *= rng.random((N, D)) < 0.5
    A[:, 3] = 0.0  # an empty column
    A[5] = 0.0  # an empty row
    A = A.astype(dtype)
    rows, columns = both_lines(A, storage, rng)
    coordinates = CoordinateForm(*(np.full(D, value) for value in FORMS[form]))
    if intercept:
        rows = replace(rows, length=D + 1, ones=True)
        columns = replace(columns, n_lines=D + 1, ones=True)
        coordinates = coordinates.extended_by_free(1)
        A = np.column_stack([A, np.ones(N)])
    b = np.sign(rng.normal(size=N)) if loss.task == "classification" else rng.normal(size=N)
    sample_weight = np.ones(N)
    if weights:
        sample_weight = rng.random(N) + 0.1
        sample_weight[7] = 0.0
        sample_weight /= sample_weight.mean()
    return Case(A.astype(np.float64), rows, columns, loss, coordinates, b, sample_weight)


def copies(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: array.copy() for name, array in arrays.items()}


def entries_of(lines: Lines, line: int) -> int:
    """The entries of a line, those of the intercept included."""
    if isinstance(lines, DenseLines):
        return lines.length
    if line == lines.indptr.size - 1:
        return lines.length
    in_rows = lines.ones and lines.indptr.size - 1 == lines.n_lines
    return int(lines.indptr[line + 1] - lines.indptr[line]) + in_rows


BAD_VECTORS = {
    "single precision": lambda a: a.astype(np.float32),
    "other byte order": lambda a: a.astype(">f8"),
    "too short": lambda a: a[:-1],
    "not contiguous": lambda a: np.repeat(a, 2)[::2],
    "a matrix": lambda a: a[:, None],
    "a list": lambda a: a.tolist(),
}
