"""Copt, on the l1 ball."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from benchmarks.instance import FloatArray, Instance, Matrix
from benchmarks.peers.base import UNLIMITED, Peer

__all__ = ["CoptFista", "CoptFrankWolfe", "CoptPairwise"]


class _Copt(Peer):
    """Copt: the mean of the logistic losses, as ours, with labels 0 and 1; its own loss, set and line search.

    The point is scaled into the ball, which it can miss by rounding.
    """

    module = "copt"
    served: ClassVar[dict[str, tuple[str, ...]]] = {"logistic": ("l1 ball",)}

    def _coefficients(self, A: Matrix, instance: Instance, tolerance: float) -> FloatArray:
        from copt.constraint import L1Ball
        from copt.loss import LogLoss

        loss = LogLoss(A, (instance.b + 1.0) / 2.0)
        found: FloatArray = self._minimise(loss.f_grad, L1Ball(instance.radius), A.shape[1], tolerance)
        return found * min(1.0, instance.radius / max(float(np.abs(found).sum()), instance.radius))

    @abstractmethod
    def _minimise(self, loss: Any, ball: Any, n_features: int, tolerance: float) -> Any:
        """Run the method from zero."""


class CoptFrankWolfe(_Copt):
    """Its Frank-Wolfe with backtracking, from zero."""

    name = "copt-fw"

    def _minimise(self, loss: Any, ball: Any, n_features: int, tolerance: float) -> Any:
        from copt import minimize_frank_wolfe

        start = np.zeros(n_features)
        return minimize_frank_wolfe(loss, start, ball.lmo, jac=True, tol=tolerance, max_iter=UNLIMITED).x


class CoptPairwise(_Copt):
    """Its pairwise Frank-Wolfe with backtracking, from a vertex.

    In 0.9.2 a vertex whose weight has become zero stays active, and from then on all steps have length zero:
    its oracle is given the active vertices without these.
    """

    name = "copt-pairwise"

    def _minimise(self, loss: Any, ball: Any, n_features: int, tolerance: float) -> Any:
        from copt import minimize_frank_wolfe

        start = np.zeros(n_features)
        start[0] = ball.alpha

        def oracle(u: FloatArray, x: FloatArray, active: dict[Any, float]) -> Any:
            for vertex in [vertex for vertex, weight in active.items() if weight <= 0.0]:
                del active[vertex]
            return ball.lmo_pairwise(u, x, active)

        return minimize_frank_wolfe(
            loss,
            start,
            oracle,
            x0_rep=(1.0, 0),
            variant="pairwise",
            jac=True,
            tol=tolerance,
            max_iter=UNLIMITED,
        ).x


class CoptFista(_Copt):
    """Its accelerated proximal gradient with backtracking, from zero."""

    name = "copt-fista"

    def _minimise(self, loss: Any, ball: Any, n_features: int, tolerance: float) -> Any:
        from copt import minimize_proximal_gradient

        start = np.zeros(n_features)
        return minimize_proximal_gradient(
            loss, start, ball.prox, jac=True, tol=tolerance, max_iter=UNLIMITED, accelerated=True
        ).x
