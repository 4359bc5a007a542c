"""Certificates of the common problems by kernels that read every row and every feature a few times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fenchel._kernels.certificate import Certifier
from fenchel.losses.registry import LOSSES
from fenchel.regularizers.separable import SeparableRegularizer

if TYPE_CHECKING:
    from fenchel.problem.problem import Problem

__all__ = ["certifier_of"]


def certifier_of(problem: Problem) -> Certifier | None:
    """The kernels that give the values of a certificate; None where NumPy alone can.

    They serve the library's own scalar losses (a subclass may compute another loss) under a sum over
    coordinates, for vectors of coefficients.
    """
    loss, regularizer = problem.loss, problem.regularizer
    known = LOSSES.get(loss.name) is type(loss) and loss.compiled
    vector = problem.b.ndim == 1 and problem.design.visits_coordinates
    if not (known and vector and isinstance(regularizer, SeparableRegularizer)):
        return None
    scanned, weight = problem.scanned_form, np.ascontiguousarray(problem.sample_weight)
    return Certifier(problem.kernel_loss, problem.b, weight, scanned.form, scanned.domain)
