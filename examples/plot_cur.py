r"""
Columns and rows that stand for a matrix
========================================

A singular vector mixes all columns, and nobody can say what it is. A CUR decomposition
:math:`M \approx C\,U\,R` keeps whole columns C and rows R of the matrix itself, genes and samples, say, that
have names. Choosing them is made a convex problem, :math:`M \approx M W M`, with a budget that makes few rows
and few columns of W non-zero; the fit proves how far its W is from the best one.
"""

import matplotlib.pyplot as plt
import numpy as np

from fenchel import CURSelector

# %%
# Forty samples of 80 genes in four groups of 20 that rise and fall together. Levels of expression have long
# tails: a few genes of each group, and a few samples, are far larger than the others.

rng = np.random.default_rng(0)
group = np.repeat(np.arange(4), 20)
level = np.exp(rng.normal(0, 1.5, size=80))
activity = np.exp(rng.normal(0, 1.0, size=(40, 4)))
M = activity[:, group] * level + 3.0 * rng.normal(size=(40, 80))

# %%
# A larger budget chooses more genes and samples, and those rebuild more of the matrix. The smallest one takes
# the loudest group alone; then all four are there. No k columns and rows are better than k singular vectors.


def relative_error(columns, rows):
    """Return the error of the best matrix that the columns and the rows span."""
    C, R = M[:, columns], M[rows]
    return np.linalg.norm(M - C @ (np.linalg.pinv(C) @ M @ np.linalg.pinv(R)) @ R) / np.linalg.norm(M)


squares = np.linalg.svd(M, compute_uv=False) ** 2
radii, models, at_random, bounds = (0.5, 2.0, 4.0, 8.0), [], [], []
for radius in radii:
    model = CURSelector(radius).fit(M)
    columns, rows = model.column_indices_, model.row_indices_
    draws = [
        relative_error(rng.permutation(80)[: len(columns)], rng.permutation(40)[: len(rows)])
        for _ in range(50)
    ]
    models.append(model)
    at_random.append(np.median(draws))
    bounds.append(np.sqrt(squares[min(len(columns), len(rows)) :].sum() / squares.sum()))
    print(
        f"radius {radius}: {len(columns)} genes of {len(set(group[columns]))} groups, {len(rows)} samples, "
        f"error {model.relative_error_:.3f}, relative gap {model.certificate_.relative_gap:.0e}"
    )

# %%
# The scores at one budget, by group, and the errors.

figure, (top, bottom) = plt.subplots(2, figsize=(6, 6), layout="constrained")
top.bar(np.arange(80), models[1].column_scores_, color=[f"C{k}" for k in group])
top.set(xlabel="gene, coloured by group", ylabel="score")
bottom.plot(radii, at_random, "--", label="random columns and rows, as many")
bottom.plot(radii, [model.relative_error_ for model in models], label="CUR")
bottom.plot(radii, bounds, ":", label="singular vectors")
bottom.set(xlabel="radius of the set", ylabel="relative error", ylim=(0, None))
bottom.legend()
plt.show()
