r"""
The best model in a given time
==============================

A time limit ends a fit before it is solved. The model is the best one so far, a warning says that the fit
stopped early, and the gap says what may be missing: it is as true as that of a fit that was solved.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

from fenchel import ConvergenceWarning, LinearSVC
from fenchel.datasets import text_like

X, y, _ = text_like(n=4000, d=5000, nnz_per_row=60, rng=np.random.default_rng(0))

# %%
# The same fit with more and more time.

limits = [0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
models = []
for limit in limits:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LinearSVC(loss="hinge", l2=1e-4, tol=1e-6, time_limit=limit, random_state=0).fit(X, y)
    print(f"{limit:5.2f} s: {model.status_.name:10}  gap {model.certificate_.gap:.2e}")
    models.append(model)

# %%
# What is proven of the optimum lies between the two curves. The lower bound of a longer run confirms the
# upper bounds of the shorter ones.

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
primal = [model.certificate_.primal for model in models]
dual = [model.certificate_.dual for model in models]
axes.fill_between(limits, dual, primal, alpha=0.3, label="the optimum lies here")
axes.semilogx(limits, primal, "o-", label="primal value of the model")
axes.semilogx(limits, dual, "s-", label="proven lower bound")
axes.set(xlabel="time limit in seconds", ylabel="objective", ylim=(0.0, 1.0))
axes.legend()
plt.show()
