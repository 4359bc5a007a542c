"""Skglm."""

from __future__ import annotations

from typing import Any, ClassVar

from benchmarks.instance import Instance, Matrix
from benchmarks.peers.base import UNLIMITED, Peer

__all__ = ["Skglm"]


class Skglm(Peer):
    r"""Skglm: means, as ours; elastic net as :math:`\alpha(r\|w\|_1 + \frac{1-r}2\|w\|^2)`.

    Its linear SVM is :math:`C\sum_i\phi_i + \frac12\|w\|^2`, solved in the dual: :math:`C = 1/(n l_2)`.
    """

    name = module = "skglm"
    layout = "columns"
    compiles = True
    served: ClassVar[dict[str, tuple[str, ...]]] = {
        "logistic": ("l1", "l2", "elastic net"),
        "hinge": ("l2",),
        "squared": ("l1", "elastic net"),
    }

    def _coefficients(self, A: Matrix, instance: Instance, tolerance: float) -> Any:
        from skglm import LinearSVC, datafits, penalties, solvers

        if instance.loss == "hinge":
            C = 1.0 / (instance.n_samples * instance.l2)
            model = LinearSVC(C=C, tol=tolerance, max_iter=UNLIMITED, fit_intercept=False)
            return model.fit(A, instance.b).coef_
        loss = datafits.Logistic() if instance.loss == "logistic" else datafits.Quadratic()
        if instance.l1 == 0:
            solver, penalty = solvers.LBFGS(tol=tolerance, max_iter=UNLIMITED), penalties.L2(instance.l2)
            return solver.solve(A, instance.b, loss, penalty)[0]
        if instance.l2 == 0:
            penalty = penalties.L1(instance.l1)
        else:
            penalty = penalties.L1_plus_L2(instance.l1 + instance.l2, instance.l1_ratio)
        kind = solvers.ProxNewton if instance.loss == "logistic" else solvers.AndersonCD
        solver = kind(tol=tolerance, max_iter=UNLIMITED, fit_intercept=False)
        return solver.solve(A, instance.b, loss, penalty)[0]
