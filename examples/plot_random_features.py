r"""
Linear models on random features
================================

A linear model on random features is a kernel machine at the price of a linear one. Random binning
(:class:`fenchel.RandomBinning`) has the Laplacian kernel :math:`\exp(-\|x - y\|_1 / \sigma)`. Its features
are sparse, with one entry a grid. ``RBFSampler`` of scikit-learn gives random Fourier features of the
Gaussian kernel, which are dense. Both are put before the same classifier, and both fits are certified.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import RBFSampler
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from fenchel import LinearSVC, RandomBinning

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16.0, y, test_size=0.5, random_state=0)

# %%
# More grids bring the products of the features closer to the kernel: the error falls as one over the root of
# their number.

points = X_train[:40]
kernel = np.exp(-np.abs(points[:, None] - points[None]).sum(axis=2) / 10.0)
numbers = [10, 30, 100, 300, 1000]
errors = []
for n_grids in numbers:
    features = RandomBinning(n_grids, scale=10.0, random_state=0).fit_transform(points)
    errors.append(np.abs((features @ features.T).toarray() - kernel).mean())
    print(f"{n_grids:5d} grids: mean error {errors[-1]:.4f}, {features.shape[1]} columns")

# %%
# A sample of the fit has one entry in each grid, whatever the number of columns.

features = RandomBinning(200, scale=10.0, random_state=0).fit_transform(X_train)
print(f"{features.shape[1]} columns, {np.unique(np.diff(features.indptr))} entries a row")

# %%
# Three classifiers with the same penalty: on the data themselves, and on the two kinds of features.

maps = {
    "no features": [],
    "random Fourier": [RBFSampler(gamma=0.1, n_components=500, random_state=0)],
    "random binning": [RandomBinning(200, scale=10.0, random_state=0)],
}
scores = {}
for name, steps in maps.items():
    begun = time.perf_counter()
    model = make_pipeline(*steps, LinearSVC(l2=1e-3, tol=1e-3)).fit(X_train, y_train)
    seconds = time.perf_counter() - begun
    scores[name] = model.score(X_test, y_test)
    certificate = model[-1].certificate_
    print(
        f"{name:15} {scores[name]:.3f} right, objective {certificate.primal:.4f}, "
        f"relative gap {certificate.relative_gap:.1e}, {seconds:.1f} s"
    )

# %%
# The kernels bend the boundaries between the digits, which a linear model on the pixels cannot.

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
left.loglog(numbers, errors, "o-", label="mean error")
left.loglog(numbers, errors[0] * np.sqrt(numbers[0] / np.array(numbers)), ":", label="one over the root")
left.set(xlabel="grids", ylabel="error of the kernel")
left.legend()
right.barh(list(scores), list(scores.values()))
right.set(xlabel="share of right answers", xlim=(0.9, 1.0))
plt.show()
