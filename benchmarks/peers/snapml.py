"""Snap ML."""

from __future__ import annotations

from typing import Any, ClassVar

from benchmarks.instance import Instance, Matrix
from benchmarks.peers.base import UNLIMITED, Peer

__all__ = ["SnapML"]


class SnapML(Peer):
    r"""Snap ML: sums, :math:`\sum_i\phi_i + \lambda\|w\|_1` or :math:`\sum_i\phi_i + \frac\lambda2\|w\|^2`.

    Hence :math:`\lambda = n(l_1 + l_2)`, one of the two being 0.
    """

    name = module = "snapml"
    served: ClassVar[dict[str, tuple[str, ...]]] = {
        "logistic": ("l1", "l2"),
        "hinge": ("l2",),
        "squared": ("l1", "l2"),
    }

    def _coefficients(self, A: Matrix, instance: Instance, tolerance: float) -> Any:
        import snapml

        shared: dict[str, Any] = {
            "regularizer": instance.n_samples * (instance.l1 + instance.l2),
            "tol": tolerance,
            "max_iter": UNLIMITED,
            "random_state": 0,
        }
        if instance.loss == "hinge":
            return snapml.SupportVectorMachine(**shared).fit(A, instance.b).coef_
        sparse = instance.l1 > 0
        kind = snapml.LogisticRegression if instance.loss == "logistic" else snapml.LinearRegression
        model = kind(penalty="l1" if sparse else "l2", dual=not sparse, **shared)
        return model.fit(A, instance.b).coef_
