r"""
The largest margin, between two bounds
======================================

With more features than rows a linear classifier can be right on every row. The one with the largest margin
is the smallest w with :math:`b_i \langle x_i, w \rangle \ge 1`. A dual point bounds that margin from above,
and any w that separates the rows, scaled, from below. The bounds of five methods close on it at different
speeds.
"""

import matplotlib.pyplot as plt
import numpy as np

from fenchel import AcceleratedDualAscent, DualAscent, Perceptron, PrimalMirrorDescent, Problem, Start
from fenchel.losses import MarginConstraint
from fenchel.regularizers import SquaredLp

# %%
# 200 rows whose columns fade, and labels that depend on 20 of 400 features.

rng = np.random.default_rng(0)
A = rng.standard_normal((200, 400)) / np.sqrt(np.arange(1.0, 401.0))
theta = np.zeros(400)
theta[rng.choice(400, 20, replace=False)] = rng.standard_normal(20)
z = A @ theta
b = np.where(z >= 0.0, 1.0, -1.0)

# %%
# Under the l2 norm the step 1 / L is Newton's, and two lines are one. Near the l1 norm the constants behind
# all steps are far from the curvature that a step meets, and a Newton step along the row does more.

exponents = {"p = 2": 2.0, "p = 1 + 1/log d": 1.0 + 1.0 / np.log(400.0)}
solvers = {
    "perceptron": Perceptron(),
    "primal mirror descent": PrimalMirrorDescent(),
    "dual ascent, steps 1 / L": DualAscent(newton_trials=0),
    "dual ascent, Newton": DualAscent(),
    "accelerated": AcceleratedDualAscent(),
}


def bounds(problem, solver, epochs=22):
    """The passes, and the best bounds on the largest margin so far: 1 / |w|_p of either side."""
    state, passes, below, above = solver.init(problem, Start(), np.random.default_rng(0)), [], [0.0], [np.inf]
    for _ in range(epochs):
        solver.run_epoch(problem, state)
        w, u = solver.extract(problem, state)
        norm = np.sqrt(2.0 * problem.regularizer.value(w))
        passes.append(state.entries_read / problem.design.n_entries)
        below.append(max(below[-1], float(np.min(b * (A @ w))) / norm))
        above.append(min(above[-1], (2.0 * problem.certify(w, u).dual) ** -0.5))
    return passes, np.array(below[1:]), np.array(above[1:])


figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
for axis, (title, p) in zip(axes, exponents.items(), strict=True):
    problem = Problem(A, b, MarginConstraint(), SquaredLp(p))
    found = {label: bounds(problem, solver) for label, solver in solvers.items()}
    best = max(below[-1] for _, below, _ in found.values())
    for label, (passes, below, above) in found.items():
        lines = axis.semilogx(passes, above / best, label=label)
        # Until all rows are on their side no margin is proven.
        axis.semilogx(passes, np.where(below > 0.0, below / best, np.nan), "--", color=lines[0].get_color())
        print(f"{title}, {label}: margin in [{below[-1]:.5f}, {above[-1]:.5f}]")
    axis.set(title=title, xlabel="passes over the rows", ylim=(0.0, 3.0))
axes[0].set_ylabel("bounds, in units of the best margin")
axes[0].legend(fontsize="small")
plt.show()
