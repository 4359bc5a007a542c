r"""
Choosing the strength by cross-validation
=========================================

A path on the training rows of each fold gives the scores of all strengths at once. The rule of one standard
error takes a sparser model than the best mean, whose score is as good as can be told.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from fenchel import LogisticRegressionCV
from fenchel.plotting import plot_cv

X, y = load_breast_cancer(return_X_y=True)

for selection in ("min", "one_se"):
    model = LogisticRegressionCV(
        n_strengths=30, ratio=5e-3, standardize=True, selection=selection, n_jobs=2, tol=1e-4
    ).fit(X, y)
    print(f"{selection}: strength {model.strength_:.4f}, {(model.coef_ != 0).sum()} coefficients")

# %%
# Every fit of every fold has its own certificate, and so has the model.

print(f"the largest relative gap of all folds is {model.fold_gaps_.max():.1e}")
print(f"the relative gap of the model is {model.certificate_.relative_gap:.1e}")

figure, ax = plt.subplots(figsize=(7, 5), layout="constrained")
plot_cv(model, ax)
plt.show()
