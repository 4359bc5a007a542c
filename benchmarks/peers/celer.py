"""Celer."""

from __future__ import annotations

from typing import Any, ClassVar

from benchmarks.instance import Instance, Matrix
from benchmarks.peers.base import UNLIMITED, Peer

__all__ = ["Celer"]


class Celer(Peer):
    r"""Celer: scikit-learn's objectives; logistic :math:`C\sum_i\phi_i + \|w\|_1`, :math:`C = 1/(n l_1)`."""

    name = module = "celer"
    layout = "columns"
    served: ClassVar[dict[str, tuple[str, ...]]] = {"logistic": ("l1",), "squared": ("l1", "elastic net")}

    def _coefficients(self, A: Matrix, instance: Instance, tolerance: float) -> Any:
        import celer

        shared: dict[str, Any] = {"tol": tolerance, "fit_intercept": False, "max_iter": UNLIMITED}
        if instance.loss == "logistic":
            C = 1.0 / (instance.n_samples * instance.l1)
            model = celer.LogisticRegression(C=C, max_epochs=UNLIMITED, **shared)
        else:
            strength = {"alpha": instance.l1 + instance.l2, "l1_ratio": instance.l1_ratio}
            model = celer.ElasticNet(**strength, max_epochs=UNLIMITED, **shared)
        return model.fit(A, instance.b).coef_
