"""Products with the lines of a data matrix, and parts of it: checks, then the kernels.

With a dense matrix M of the lines, NumPy would write ``M @ x`` (along, dots), ``x @ M`` (across),
``(M * M).sum(axis=1)`` (squares), ``M.T @ (x[:, None] * M)`` (gram), ``(M[named] * x) @ M[named].T``
(gram_named) and ``M[named][:, positions]`` (part); the product of gram_part is that of ``M[:, positions]``.
"""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import check_order, check_vector
from fenchel._kernels.views import Lines, SparseLines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = [
    "across",
    "across_named",
    "along",
    "along_named",
    "dots",
    "gram",
    "gram_named",
    "gram_part",
    "part",
    "squares",
]


def along(lines: Lines, x: FloatArray, *, squared: bool = False) -> FloatArray:
    """The inner product of every line, or of its squared entries, with ``x`` of the lines' length.

    Reads every entry. Raises InvalidInputError if ``x`` has the wrong dtype, layout or size.
    """
    check_vector("x", x, lines.length)
    out = np.empty(lines.n_lines)
    _core.along(lines.compiled, x, squared, out)
    return out


def across(lines: Lines, x: FloatArray, *, squared: bool = False) -> FloatArray:
    """The sum of the lines, or of their squared entries, each times its entry of ``x``.

    Reads the lines whose entry of ``x`` is not 0. Raises InvalidInputError if ``x`` has the wrong
    dtype, layout or size.
    """
    check_vector("x", x, lines.n_lines)
    out = np.zeros(lines.length)
    _core.across(lines.compiled, x, squared, out)
    return out


def dots(lines: Lines, x: FloatArray) -> FloatArray:
    """What ``along`` gives, added in another order, which is quicker.

    Reads every entry. Raises InvalidInputError if ``x`` has the wrong dtype, layout or size.
    """
    check_vector("x", x, lines.length)
    out = np.empty(lines.n_lines)
    _core.dots(lines.compiled, x, out)
    return out


def squares(lines: Lines) -> FloatArray:
    """The squared length of every line. Reads every entry."""
    out = np.empty(lines.n_lines)
    _core.squares(lines.compiled, out)
    return out


def along_named(lines: Lines, named: IndexArray, x: FloatArray) -> FloatArray:
    """The inner product of every named line with ``x`` of the lines' length.

    Reads the entries of the named lines. Raises InvalidInputError if an array has the wrong dtype, layout or
    size, or a name is out of range.
    """
    check_order(named, lines.n_lines, name="named")
    check_vector("x", x, lines.length)
    out = np.empty(named.size)
    _core.along_named(lines.compiled, named, x, out)
    return out


def across_named(lines: Lines, named: IndexArray, x: FloatArray) -> FloatArray:
    """The sum of the named lines, each times its entry of ``x``.

    Reads the named lines whose entry of ``x`` is not 0. Raises InvalidInputError if an array has the wrong
    dtype, layout or size, or a name is out of range.
    """
    check_order(named, lines.n_lines, name="named")
    check_vector("x", x, named.size)
    out = np.zeros(lines.length)
    _core.across_named(lines.compiled, named, x, out)
    return out


def gram(lines: Lines, x: FloatArray) -> FloatArray:
    """``sum_l x_l a_l a_l'`` over the lines a_l, as a dense array; the lines are short.

    Reads the lines whose entry of ``x`` is not 0. Raises InvalidInputError if ``x`` has the wrong
    dtype, layout or size.
    """
    check_vector("x", x, lines.n_lines)
    product = np.zeros((lines.length, lines.length))
    _core.gram(lines.compiled, x, product.ravel())
    return product


def gram_named(lines: Lines, named: IndexArray, x: FloatArray) -> FloatArray:
    """``sum_i x_i a_ki a_li`` for all pairs of named lines k and l, as a dense array; they are few.

    It reads the entries of a line once for every one that is no shorter. Raises InvalidInputError if an array
    has the wrong dtype, layout or size, or a name is out of range.
    """
    check_order(named, lines.n_lines, name="named")
    check_vector("x", x, lines.length)
    product = np.empty((named.size, named.size))
    _core.gram_named(lines.compiled, named, x, np.zeros(lines.length), product.ravel())
    return product


def gram_part(lines: SparseLines, x: FloatArray, positions: IndexArray) -> FloatArray:
    """``gram(lines, x)`` at some positions only, without an intercept among them; they are few.

    Reads the lines whose entry of ``x`` is not 0. Raises InvalidInputError if ``x`` has the wrong
    dtype, layout or size, or a position is out of range.
    """
    check_order(positions, lines.length - int(lines.ones), name="positions")
    check_vector("x", x, lines.n_lines)
    m, longest = positions.size, int(np.diff(lines.indptr).max(initial=0))
    product, place = np.zeros((m, m)), np.empty(lines.length, dtype=np.int32)
    # Every entry of a line is written, and the next one over it unless it is kept.
    found, entry = np.empty(longest, dtype=np.int32), np.empty(longest)
    _core.gram_part(lines.compiled, positions, x, place, found, entry, product.ravel())
    return product


def part(lines: SparseLines, named: IndexArray, positions: IndexArray) -> SparseLines:
    """The named lines at the given positions, in the order of both; copies their entries.

    Reads the entries of the named lines. Raises InvalidInputError if a name or a position is out of
    range, or the lines have an intercept.
    """
    if lines.ones:
        raise InvalidInputError("the lines have an intercept, which a part of them would lose.")
    check_order(named, lines.n_lines)
    check_order(positions, lines.length)
    place, starts = np.empty(lines.length, dtype=np.int32), np.empty(named.size + 1, dtype=np.int64)
    # The last entry may be written and not kept.
    room = _core.count_entries(lines.compiled, named)
    data, indices = np.empty(room, dtype=lines.data.dtype), np.empty(room, dtype=np.int32)
    _core.copy_part(lines.compiled, named, positions, place, starts, data, indices)
    kept = int(starts[-1])
    return SparseLines.made(data[:kept], indices[:kept], starts, named.size, positions.size)
