r"""
Several classes: one problem, or one for each
=============================================

With more than two classes the logistic loss has two forms. The softmax loss puts all of them into one
problem, whose scores are meant to be compared. One against the rest fits a model a class, none of which knows
of the others. Both are fitted here along a path of l1 penalties on the handwritten digits of scikit-learn,
each with its certificates.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from fenchel import LogisticRegression

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)

# %%
# The strengths are shares of the smallest one at which all coefficients are zero, which differs between the
# forms. We therefore look at what a number of coefficients buys.

shares = ["0.2max", "0.1max", "0.05max", "0.02max", "0.01max"]
curves = {}
for form in ("native", "one_vs_rest"):
    sizes, losses, errors = [], [], []
    for share in shares:
        model = LogisticRegression(l1=share, multi_class=form).fit(X_train, y_train)
        sizes.append(np.count_nonzero(model.coef_))
        losses.append(log_loss(y_test, model.predict_proba(X_test)))
        errors.append(1 - model.score(X_test, y_test))
    curves[form] = sizes, losses, errors
    print(
        f"{form}: certificates {len(model.certificates_)}, gap {model.certificate_.relative_gap:.1e}, "
        f"{sizes[-1]} coefficients, log loss {losses[-1]:.3f}, error {errors[-1]:.3f}"
    )

# %%
# The probabilities of the one problem are the better ones for every number of coefficients. The errors, which
# only ask for the largest score, are closer.

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
for form, (sizes, losses, errors) in curves.items():
    left.plot(sizes, losses, "o-", label=form)
    right.plot(sizes, errors, "o-", label=form)
left.set(xlabel="non-zero coefficients", ylabel="log loss on the test data")
right.set(xlabel="non-zero coefficients", ylabel="error on the test data")
left.legend()
plt.show()
