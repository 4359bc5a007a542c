r"""
Sparsity along the l1 path
==========================

The l1 strength decides how many coefficients are not zero. The path goes from the smallest strength at which
all of them are, :meth:`fenchel.Problem.zero_solution_strength`, down to a thousandth of it. Every solution
starts the next one, and every one is certified.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

from fenchel import Problem, RelativeGap, path
from fenchel.losses import Squared
from fenchel.plotting import plot_path
from fenchel.regularizers import L1

data = load_diabetes()
X = StandardScaler().fit_transform(data.data)
y = (data.target - data.target.mean()) / data.target.std()

problem = Problem(X, y, Squared(), L1(1.0), fit_intercept=True)
result = path(problem, n_strengths=40, ratio=1e-3, stopping=RelativeGap(1e-8))

# %%
# At the largest strength the solution is exactly zero; below it the features come in one after the other.

for point in result.points[::8]:
    print(f"strength {point.strength:.5f}: {point.nonzeros:2d} coefficients, {point.explained:.1%} explained")
print(f"the largest relative gap on the path is {result.relative_gaps.max():.1e}")

# %%
# The lines are the coefficients, in the order of the strengths; their number stands above.

figure, ax = plt.subplots(figsize=(7, 5), layout="constrained")
plot_path(result, ax, labels=data.feature_names)
plt.show()
