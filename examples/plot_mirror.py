r"""
Two players under the entropy
=============================

The multiclass hinge inside an l1 ball: neither side of the game has any curvature. Mirror prox moves both by
products of exponentials. Its step of the theory is safe and short; the adaptive one is tens of times longer,
and the gap falls as the sum of the steps grows. The dashed line is the bound of the theory for fixed steps.
"""

import matplotlib.pyplot as plt
import numpy as np

from fenchel import MaxPasses, MirrorDescent, MirrorProx, Problem, RelativeGap, solve
from fenchel.losses import MulticlassHinge
from fenchel.regularizers import L1Ball

# %%
# Ten classes, of which each depends on a few of 100 features.

rng = np.random.default_rng(0)
A = rng.standard_normal((300, 100))
weights = np.zeros((100, 10))
weights[:20] = rng.standard_normal((20, 10))
labels = (A @ weights + rng.standard_normal((300, 10))).argmax(axis=1)
problem = Problem(A, np.eye(10)[labels], MulticlassHinge(), L1Ball(12.0))

# %%
# Every gap is proven, whatever the step: the certificate asks nothing about how a point was found. The bound
# for mirror prox is ``2 L R sqrt(log(2 d k) n log k)`` over the number of steps, of four passes each.

stopping = RelativeGap(1e-3) | MaxPasses(4000)
solvers = {
    "mirror descent, step of the theory": MirrorDescent(),
    "mirror prox, step of the theory": MirrorProx(step_multiple=1.0),
    "mirror prox, 8 times that": MirrorProx(step_multiple=8.0),
    "mirror prox, adaptive": MirrorProx(),
}
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for label, solver in solvers.items():
    result = solve(problem, solver, stopping=stopping)
    print(f"{label}: gap {result.certificate.gap:.1e}, {np.count_nonzero(result.w)} of 1000 coefficients")
    records = [record for record in result.trace if record.passes > 0]
    axes.loglog(
        [record.passes for record in records], [record.certificate.gap for record in records], label=label
    )

largest_column = np.sqrt((A**2).sum(axis=0).max()) / 300
constant = 2 * largest_column * 12.0 * np.sqrt(np.log(2 * 100 * 10) * 300 * np.log(10))
passes = np.array([100.0, 4000.0])
axes.loglog(passes, 4 * constant / passes, "k--", label="bound for the step of the theory")
axes.set(xlabel="passes over the matrix", ylabel="gap (proven)")
axes.legend()
plt.show()
