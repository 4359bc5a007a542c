r"""SPD1-VR in plain NumPy: how words become entries, and the inner steps on a dense matrix."""

import numpy as np
import numpy.typing as npt

from fenchel._kernels.entries import AliasTables, Entries, EvenEntries, line_starts
from fenchel._kernels.views import DenseLines, Lines
from fenchel.losses.base import Loss
from fenchel.numerics.coordinate import CoordinateForm, soft_threshold
from fenchel.typing import FloatArray, IndexArray

__all__ = ["drawn_entries", "spd1_vr_steps"]


Words = npt.NDArray[np.uint32]


def drawn_entries(entries: Entries, words: Words) -> tuple[IndexArray, IndexArray, IndexArray, IndexArray]:
    r"""The indices (i, j, i', j') that four words a step, for i, j, i' and j', stand for.

    A word x chooses position :math:`k = \lfloor x c / 2^{32} \rfloor` of c; in a table the remainder of
    the division says whether its own label is taken or the other one.
    """
    everywhere = np.array([0, entries.shape[0]])
    i = _labels(entries.choice, everywhere, np.zeros(len(words), dtype=np.int64), words[:, 0])
    if isinstance(entries, EvenEntries):
        j, other_j = (_even(entries.rows, i, words[:, k]) for k in (1, 3))
        if isinstance(entries.rows, DenseLines):
            return i, j, _product(words[:, 2], np.full_like(i, entries.shape[0]))[0], other_j
        return i, j, _even(entries.columns, j, words[:, 2]), other_j
    j, other_j = (_labels(entries.in_row, entries.row_starts, i, words[:, k]) for k in (1, 3))
    return i, j, _labels(entries.in_column, entries.column_starts, j, words[:, 2]), other_j


def _product(words: Words, counts: IndexArray) -> tuple[IndexArray, Words]:
    """The two halves of the product: a position, and a number that is uniform within it."""
    product = words.astype(np.uint64) * counts.astype(np.uint64)
    return (product >> np.uint64(32)).astype(np.int64), product.astype(np.uint32)


def _labels(tables: AliasTables, starts: IndexArray, line: IndexArray, words: Words) -> IndexArray:
    position, remainder = _product(words, np.diff(starts)[line])
    cell = tables[starts[line] + position]
    label = np.where(remainder < cell[:, 0], cell[:, 1], cell[:, 2]).astype(np.int32).astype(np.int64)
    index: IndexArray = np.where(label < 0, -1 - label, label)
    return index


def _even(lines: Lines, line: IndexArray, words: Words) -> IndexArray:
    """The index at an even position of its line; the virtual entries of the intercept stand last."""
    position, _ = _product(words, np.diff(line_starts(lines))[line])
    if isinstance(lines, DenseLines):
        return position
    padded = np.append(lines.indices, 0).astype(np.int64)
    found = []
    for row, at in zip(line, position, strict=True):
        if lines.ones and row == lines.indptr.size - 1:
            found.append(at)
        elif lines.indptr[row] + at == lines.indptr[row + 1]:
            found.append(lines.length - 1)
        else:
            found.append(padded[lines.indptr[row] + at])
    return np.array(found, dtype=np.int64)


def spd1_vr_steps(
    F: FloatArray,
    i: IndexArray,
    j: IndexArray,
    other_i: IndexArray,
    other_j: IndexArray,
    loss: Loss,
    b: FloatArray,
    form: CoordinateForm,
    step_w: FloatArray,
    rate_w: FloatArray,
    alpha: FloatArray,
    centre_w: FloatArray,
    step_u: FloatArray,
    rate_u: FloatArray,
    weight: FloatArray,
    beta: float,
    centre_u: FloatArray,
    snapshot_w: FloatArray,
    snapshot_u: FloatArray,
    v: FloatArray,
    z: FloatArray,
    w: FloatArray,
    u: FloatArray,
) -> None:
    r"""Inner steps of SPD1-VR (Algorithm 2 of Tan et al., 2018, corrected), in place.

    With ``F`` the matrix (or its signs, where the probabilities take the sizes), and estimates

    .. math:: \hat v_j(y, i) = c_j f_{ij} s_i (y - u^s_i) + v_j, \qquad
        \hat z_i(x, j) = r_i f_{ij} (x - w^s_j) + z_i,

    .. math::
        \bar w_j &= \mathrm{prox}_{h_j \tilde g_j}(w_j - h_j \hat v_j(u_{i'}, i')), &
        \bar u_i &= \mathrm{prox}_{k_i \tilde\phi_i^*}(u_i + k_i \hat z_i(w_{j'}, j')), \\
        w_j &\leftarrow \mathrm{prox}_{h_j \tilde g_j}(w_j - h_j \hat v_j(\bar u_i, i)), &
        u_i &\leftarrow \mathrm{prox}_{k_i \tilde\phi_i^*}(u_i + k_i \hat z_i(\bar w_j, j)).

    The tilde adds :math:`\frac{\alpha_j}2 (x - c_j)^2` and :math:`\frac\beta2 (y - c_i)^2`.
    """

    def stepped_w(j: np.intp, estimate: float) -> float:
        h = step_w[j]
        moved = w[j] - h * (rate_w[j] * estimate + v[j]) + h * alpha[j] * centre_w[j]
        x = soft_threshold(np.asarray(moved), h * form.l1[j]) / (1.0 + h * (form.l2[j] + alpha[j]))
        return float(np.clip(x, form.lower[j], form.upper[j]))

    def stepped_u(i: np.intp, estimate: float) -> float:
        k, row = step_u[i], slice(i, i + 1)
        moved = u[row] + k * (rate_u[i] * estimate + z[i]) + k * beta * centre_u[i]
        shrink = 1.0 / (1.0 + k * beta)
        return float(loss.prox_conjugate(moved * shrink, b[row], k * shrink)[0])

    for r, c, other_r, other_c in zip(i, j, other_i, other_j, strict=True):
        ahead_w = stepped_w(c, F[other_r, c] * weight[other_r] * (u[other_r] - snapshot_u[other_r]))
        ahead_u = stepped_u(r, F[r, other_c] * (w[other_c] - snapshot_w[other_c]))
        moved_w = stepped_w(c, F[r, c] * weight[r] * (ahead_u - snapshot_u[r]))
        u[r] = stepped_u(r, F[r, c] * (ahead_w - snapshot_w[c]))
        w[c] = moved_w
