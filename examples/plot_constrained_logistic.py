r"""
A budget in place of a penalty
==============================

Logistic regression with :math:`\|w\|_1 \le r`: the budget r is in the units of the coefficients, and holds
exactly. Frank-Wolfe methods need nothing of the set but its best response to a gradient, here one vertex, so
that a point is made of few of them. The second part shows what a certificate adds to the price.
"""

import matplotlib.pyplot as plt
import numpy as np

from fenchel import (
    GSFW,
    FrankWolfe,
    LogisticRegression,
    MaxPasses,
    PairwiseFrankWolfe,
    Problem,
    RelativeGap,
    solve,
)
from fenchel.losses import Logistic
from fenchel.regularizers import L1Ball

# %%
# Twenty questions with five answers each, one column an answer. Three of the questions matter.

rng = np.random.default_rng(0)
answers = rng.integers(5, size=(4000, 20))
X = np.zeros((4000, 100))
X[np.arange(4000)[:, None], 5 * np.arange(20) + answers] = 1.0
effects = np.zeros(100)
effects[:15] = np.tile([2.0, 1.0, 0.0, -1.0, -2.0], 3)
y = rng.random(4000) < 1 / (1 + np.exp(-(X @ effects)))
X_train, y_train, X_test, y_test = X[:1000], y[:1000], X[1000:], y[1000:]

# %%
# With a growing budget the coefficients come in one by one. The loss on other rows is the smallest at a
# radius near 18, the l1 norm of the true effects; beyond it the model fits noise, until the set is so large
# that it binds no more.

radii = np.geomspace(0.5, 60, 25)
coefficients, held_out = [], []
model = LogisticRegression(warm_start=True)
for radius in radii:
    model.set_params(constraint=L1Ball(radius)).fit(X_train, y_train)
    assert abs(model.coef_).sum() <= radius * (1 + 1e-12)
    coefficients.append(model.coef_[0])
    held_out.append(-model.predict_log_proba(X_test)[np.arange(3000), y_test.astype(int)].mean())
best = int(np.argmin(held_out))
print(f"best radius {radii[best]:.1f}: {np.count_nonzero(coefficients[best])} of 100 coefficients")

figure, (top, bottom) = plt.subplots(2, sharex=True, figsize=(6, 6), layout="constrained")
top.semilogx(radii, np.array(coefficients)[:, 15:], color="lightgrey", linewidth=1)
top.semilogx(radii, np.array(coefficients)[:, :15])
top.set(ylabel="coefficients (grey: no effect)")
bottom.semilogx(radii, held_out, "k")
bottom.axvline(radii[best], linestyle="--", color="grey")
bottom.set(xlabel="radius of the ball", ylabel="loss on other rows")
plt.show()

# %%
# How far a point is from the optimum, and what is proven about it, for three methods. Averages of best
# responses come near the optimum long before their own gradients prove it. Pairwise steps move weight between
# the few vertices that matter, and the last of them are Newton steps: points and proofs come together. The
# optimum comes from a fit to a gap of 1e-12.

problem = Problem(X_train, np.where(y_train, 1.0, -1.0), Logistic(), L1Ball(5.0))
optimum = solve(problem, stopping=RelativeGap(1e-12)).certificate.primal
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for color, solver in zip(
    "rgb", (PairwiseFrankWolfe(), FrankWolfe("open_loop"), GSFW(batch=0.1)), strict=True
):
    trace = solve(problem, solver, stopping=RelativeGap(1e-7) | MaxPasses(3000)).trace[1:]
    passes = np.array([record.passes for record in trace])
    distances = np.array([record.certificate.primal - optimum for record in trace])
    gaps = np.array([record.certificate.gap for record in trace])
    axes.loglog(passes, distances, ":", color=color)
    axes.loglog(passes, gaps, color=color, label=type(solver).__name__)
    reached = [
        f"{passes[values <= 1e-4][0]:.0f}" if values.min() <= 1e-4 else "more" for values in (distances, gaps)
    ]
    print(f"{type(solver).__name__}: within 1e-4 after {reached[0]} passes, proven after {reached[1]}")
axes.set(xlabel="passes over the data", ylabel="proven gap (dotted: distance to the optimum)", ylim=(1e-9, 1))
axes.legend()
plt.show()
