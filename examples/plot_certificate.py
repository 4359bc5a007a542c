r"""
Sparse logistic regression with a certificate
=============================================

A fit is a sequence of models, each with a primal value and a lower bound on the optimum. Their difference,
the duality gap, is a proven bound on the distance to the optimum. Here it is drawn against the passes over
the data, next to the distance that a much longer run shows.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fenchel import LogisticRegression

X, y = load_breast_cancer(return_X_y=True)

# %%
# The strength of the l1 penalty is given as a share of the smallest one at which every coefficient is zero.

model = LogisticRegression(l1="0.1max", l2=0.0, tol=1e-6)
make_pipeline(StandardScaler(), model).fit(X, y)
certificate = model.certificate_
print(f"{(model.coef_ != 0).sum()} of {model.coef_.size} coefficients are not zero")
print(f"primal value {certificate.primal:.6f}, lower bound {certificate.dual:.6f}")
print(model.status_.value)

# %%
# The certificate can be computed again from the model and the data. It does not trust the solver.

again = model.certify(StandardScaler().fit_transform(X), y)
print(f"recomputed: relative gap {again.relative_gap:.1e}, as claimed {certificate.relative_gap:.1e}")

# %%
# The trace has one record a certificate. A run to a gap a thousand times smaller stands in for the optimum.

precise = LogisticRegression(l1="0.1max", l2=0.0, tol=1e-9, max_passes=20_000)
precise.fit(StandardScaler().fit_transform(X), y)
optimum = precise.certificate_.dual

passes = [record.passes for record in model.trace_]
gaps = [record.certificate.gap for record in model.trace_]
distances = [record.certificate.primal - optimum for record in model.trace_]

figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
axes.semilogy(passes, gaps, "o-", label="duality gap (proven)")
axes.semilogy(passes, distances, "s--", label="distance to the optimum")
axes.set(xlabel="passes over the data", ylabel="objective")
axes.legend()
plt.show()
