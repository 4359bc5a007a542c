r"""
Sparsity along the l1 path
==========================

The l1 strength decides how many coefficients are not zero. The path goes from the smallest strength at which
all of them are, :meth:`fenchel.Problem.zero_solution_strength`, down to a thousandth of it. Every solution
starts the next one, and every one is certified.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

from fenchel import Problem, RelativeGap, solve
from fenchel.losses import Squared
from fenchel.regularizers import L1

X, y = load_diabetes(return_X_y=True)
X = StandardScaler().fit_transform(X)
y = (y - y.mean()) / y.std()


def problem(strength):
    """Return the lasso with this strength, and an intercept."""
    return Problem(X, y, Squared(), L1(strength), fit_intercept=True)


# %%
# At the largest strength the solution is exactly zero, and the certificate proves it without work.

largest = problem(1.0).zero_solution_strength()
result = solve(problem(largest))
print(f"strength {largest:.4f}: {np.count_nonzero(result.w[:-1])} coefficients, {result.passes:.0f} passes")

# %%
# From there down, each solve starts where the last one ended.

shares = np.geomspace(1.0, 1e-3, 40)
coefficients, gaps = [], []
for share in shares:
    result = solve(problem(share * largest), start=result, stopping=RelativeGap(1e-8))
    coefficients.append(result.w[:-1])
    gaps.append(result.certificate.relative_gap)
print(f"the largest relative gap on the path is {max(gaps):.1e}")

figure, (top, bottom) = plt.subplots(2, sharex=True, figsize=(6, 6), layout="constrained")
top.semilogx(shares, coefficients)
top.set(ylabel="coefficients")
bottom.semilogx(shares, np.count_nonzero(coefficients, axis=1), drawstyle="steps-post")
bottom.set(xlabel="l1 strength, as a share of the largest useful one", ylabel="non-zero coefficients")
bottom.invert_xaxis()
plt.show()
