r"""
Many labels for each sample
===========================

A text, a picture or a gene has any number of labels. :class:`fenchel.MultilabelClassifier` fits one model a
label on the same data matrix, and certifies each. The metrics are those of scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

from fenchel import MultilabelClassifier

X, Y = make_multilabel_classification(
    n_samples=2000, n_features=100, n_classes=20, n_labels=3, length=100, random_state=0
)
X_train, X_test, Y_train, Y_test = train_test_split(sp.csr_matrix(X), sp.csr_matrix(Y), random_state=0)

# %%
# The l1 strength is relative to the smallest one at which all coefficients of all labels are zero.

model = MultilabelClassifier(l1="0.05max", l2=1e-4, tol=1e-3, n_jobs=2).fit(X_train, Y_train)
certificate = model.certificate_
gaps = [single.relative_gap for single in model.certificates_]
print(f"sum over the labels: primal {certificate.primal:.4f}, dual {certificate.dual:.4f}")
print(f"the largest relative gap of a label is {max(gaps):.1e}")
print(f"{model.coef_.nnz} of {np.prod(model.coef_.shape)} coefficients are not zero")

# %%
# F1 looks at the labels that are predicted; precision at k at the k labels with the largest scores.

predicted = model.predict(X_test)
for average in ("micro", "macro"):
    print(f"{average} F1: {f1_score(Y_test, predicted, average=average, zero_division=0):.3f}")
truth = Y_test.toarray()
order = np.argsort(-model.decision_function(X_test), axis=1)
hits = np.cumsum(np.take_along_axis(truth, order, axis=1), axis=1)
precision = hits.mean(axis=0) / np.arange(1, truth.shape[1] + 1)
for k in (1, 3, 5):
    print(f"precision at {k}: {precision[k - 1]:.3f}")

# %%
# Every label has a gap of its own, and as many coefficients as it needs.

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
left.semilogy(sorted(gaps), "o")
left.axhline(model.tol, linestyle=":", label="tol")
left.set(xlabel="label, by its gap", ylabel="relative gap")
left.legend()
right.hist(model.coef_.getnnz(axis=1), bins=15)
right.set(xlabel="non-zero coefficients", ylabel="labels")
plt.show()
