"""Cyanure."""

from __future__ import annotations

from typing import Any, ClassVar

from benchmarks.instance import Instance, Matrix
from benchmarks.peers.base import UNLIMITED, Peer

__all__ = ["Cyanure"]


class Cyanure(Peer):
    r"""Cyanure: means, as ours, with :math:`\lambda_1\|w\|_1 + \frac{\lambda_2}2\|w\|^2`.

    With one penalty alone, its strength is called :math:`\lambda_1` for l2 too. Its squared hinge is half
    of ours, so the strengths are halved with it.
    """

    name = module = "cyanure"
    served: ClassVar[dict[str, tuple[str, ...]]] = {
        "logistic": ("l1", "l2", "elastic net"),
        "squared_hinge": ("l1", "l2", "elastic net"),
        "squared": ("l1", "l2", "elastic net"),
    }

    def _coefficients(self, A: Matrix, instance: Instance, tolerance: float) -> Any:
        from cyanure.estimators import Classifier, Regression

        scale = 0.5 if instance.loss == "squared_hinge" else 1.0
        shared: dict[str, Any] = {
            "penalty": instance.penalty.replace(" ", ""),
            "lambda_1": scale * (instance.l1 if instance.l1 else instance.l2),
            "lambda_2": scale * instance.l2 if instance.l1 else 0.0,
            # Its own choice, qning-miso, stops 0.3% above the optimum of an elastic net on a9a.
            "solver": "catalyst-svrg" if instance.penalty == "elastic net" else "auto",
            "tol": tolerance,
            "fit_intercept": False,
            "max_iter": UNLIMITED,
            "n_threads": 1,
            "verbose": False,
        }
        if instance.loss == "squared":
            model = Regression(**shared)
        else:
            model = Classifier(loss="logistic" if instance.loss == "logistic" else "sqhinge", **shared)
        return model.fit(A, instance.b).get_weights()
