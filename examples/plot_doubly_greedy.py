r"""
Reading only the rows and columns that matter
=============================================

A smoothed hinge under an elastic net: few coefficients are non-zero, and few rows are active. The doubly
greedy solver finds both sets and reads little else. The gaps are drawn against the entries of the matrix that
each solver has read, in units of the whole matrix.
"""

import matplotlib.pyplot as plt
import numpy as np

from fenchel import MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import SmoothedHinge
from fenchel.regularizers import ElasticNet

# %%
# Two classes with a margin along ten of 1000 directions.

rng = np.random.default_rng(0)
A = rng.standard_normal((3000, 1000))
direction = np.zeros(1000)
direction[:10] = 1.0
scores = A @ direction
b = np.sign(scores)
A[:, :10] += 0.5 * b[:, None]
problem = Problem(A, b, SmoothedHinge(), ElasticNet(0.005, 0.005))

# %%
# All three solvers end at the same gap, and prove it.

stopping = RelativeGap(1e-8) | MaxPasses(500)
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for solver in ("dgpd_plus", "primal_cd", "sdca"):
    result = solve(problem, solver, stopping=stopping)
    rows, columns = np.count_nonzero(result.u), np.count_nonzero(result.w)
    gap = result.certificate.relative_gap
    print(f"{solver}: gap {gap:.1e}, {rows} rows and {columns} columns active")
    records = [record for record in result.trace if record.passes > 0 and record.certificate.gap > 0]
    axes.loglog(
        [record.passes for record in records],
        [record.certificate.relative_gap for record in records],
        "o-",
        label=solver,
    )
axes.set(xlabel="entries read, in passes over the matrix", ylabel="relative gap (proven)")
axes.legend()
plt.show()
