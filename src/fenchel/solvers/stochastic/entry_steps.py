r"""The step sizes of SPD1-VR.

In the variables :math:`\sqrt{m_j} w_j` and :math:`\sqrt{s_i} u_i`, with :math:`m_j = l_{2j} + \alpha_j`, the
game is 1-strongly convex and :math:`\gamma`-strongly concave. There all coordinates have the same step eta,
over :math:`d q_j`, and all rows the same step tau, over :math:`d n \pi_i`; back in the variables themselves

.. math:: h_j = \frac{\eta}{d\, q_j m_j}, \qquad k_i = \frac{\tau}{d\, n\, \pi_i}.

The steps move no fixed point, whatever they are: at a saddle point every prox returns its argument.

Balanced: both sides contract at the same rate when :math:`\tau = n \eta / \gamma`, and the noise of an entry
grows with the product

.. math:: \rho = \eta\, \tau\, \bar a^2, \qquad
    \bar a^2 = \frac1{(nd)^2} \sum_{ij} \frac{s_i a_{ij}^2}{m_j p_{ij}},

so rho is the one number to choose. The steps of the paper, formula (9), :math:`\eta = \gamma / (128 M)` and
:math:`\tau = n / (128 M)` with M the larger of the largest squared norms of a row and of a column, are
balanced too: theirs is a small rho.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel._kernels.spd1_vr import spd1_vr_steps
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.problem.problem import Problem
from fenchel.solvers.centred_game import CentredGame
from fenchel.solvers.stochastic.entry_sampling import EntrySampling
from fenchel.solvers.stochastic.spd1_vr_state import SPD1VRState
from fenchel.typing import FloatArray

__all__ = [
    "LARGEST_RHO",
    "EntrySteps",
    "balanced_steps",
    "contraction",
    "entry_pass",
    "first_rho",
    "theory_rho",
]

LARGEST_RHO = 1.0 / 8.0
"""The largest product that the search tries."""
_LARGEST_FIRST = 1.0 / 256.0
_FASTEST = 2.0
_AT_ONCE = 1 << 16
"""Steps whose random words are drawn at once, at least."""


@dataclass(frozen=True, eq=False)
class EntrySteps:
    """Steps ``h`` (D,) and ``k`` (n,), and what turns an entry into an estimate: see the kernel."""

    step_w: FloatArray
    rate_w: FloatArray
    step_u: FloatArray
    rate_u: FloatArray
    weight: FloatArray


def balanced_steps(problem: Problem, sampling: EntrySampling, game: CentredGame, rho: float) -> EntrySteps:
    """The balanced steps with the product ``rho``; coordinates that are never drawn get any."""
    n, d = problem.n_samples, problem.n_coordinates
    eta, tau = _eta_tau(problem, sampling, game, rho)
    row, column = (np.where(side > 0, side, 1.0) for side in (sampling.row, sampling.column))
    root = np.sqrt(problem.sample_weight)
    mass = sampling.mass
    return EntrySteps(
        step_w=eta / (d * column * game.metric(problem)),
        rate_w=column * mass / n,
        step_u=tau / (d * n * row),
        rate_u=row * mass
        if sampling.even
        else np.divide(row * mass, root, out=np.zeros_like(row), where=root > 0),
        weight=problem.sample_weight if sampling.even else root,
    )


def entry_pass(problem: Problem, state: SPD1VRState, rho: float) -> int:
    """One step for every entry, in the variables ``unit * w``. Returns the entries read."""
    form, game, sampling, unit = problem.coordinate_form, state.game, state.sampling, state.unit
    steps = balanced_steps(problem, sampling, game, rho)
    entries, loss = sampling.entries(problem), problem.kernel_loss
    scaled = CoordinateForm(form.l1 / unit, form.l2 / unit**2, form.lower * unit, form.upper * unit)
    w, snapshot_w, snapshot_u = state.w * unit, state.w * unit, state.u.copy()
    read, left, at_once = 0, problem.design.n_entries, max(_AT_ONCE, sum(problem.design.shape))
    while left > 0:
        words = state.rng.integers(1 << 64, size=2 * min(left, at_once), dtype=np.uint64)
        read += spd1_vr_steps(
            entries,
            words.view(np.uint32).reshape(-1, 4),
            loss,
            b=problem.b,
            form=scaled,
            step_w=steps.step_w * unit**2,
            rate_w=steps.rate_w,
            alpha=game.alpha / unit**2,
            centre_w=game.centre_w * unit,
            step_u=steps.step_u,
            rate_u=steps.rate_u,
            weight=steps.weight,
            beta=game.beta,
            centre_u=game.centre_u,
            snapshot_w=snapshot_w,
            snapshot_u=snapshot_u,
            v=state.v / unit,
            z=state.z,
            w=w,
            u=state.u,
        )
        left -= at_once
    state.w[:] = np.clip(w / unit, form.lower, form.upper)
    return read


def contraction(problem: Problem, sampling: EntrySampling, game: CentredGame, rho: float) -> float:
    """The share of its distance to the solution that a pass of steps takes away from every coordinate."""
    eta, _ = _eta_tau(problem, sampling, game, rho)
    return problem.design.n_entries * eta / problem.n_coordinates


def first_rho(problem: Problem, sampling: EntrySampling, game: CentredGame) -> float:
    r"""A product to begin the search with.

    A pass of N steps turns the squared distance of u from the snapshot into noise on w, with the factor
    :math:`\rho N / n`, and that of w into noise on u, with :math:`\rho N / d`: the product of both should be
    at most 1. Nor need a pass contract more than by :math:`e^{-2}`. And at most 1/256, which was safe on 28
    problems of up to 400 rows and columns.
    """
    crowded = max(problem.design.n_entries, 1) / float(np.sqrt(np.prod(problem.design.shape)))
    rho = min(_LARGEST_FIRST, 1.0 / crowded)
    speed = contraction(problem, sampling, game, rho)
    return rho * min(1.0, (_FASTEST / speed) ** 2 if speed > 0 else 1.0)


def theory_rho(problem: Problem, game: CentredGame) -> float:
    """The product of the steps (9) of the paper, for entries with the same probability."""
    n, metric = problem.n_samples, game.metric(problem)
    rows = problem.sample_weight * problem.design.row_square_sums(1.0 / metric)
    columns = problem.design.column_square_sums(problem.sample_weight) / metric
    largest = max(float(rows.max(initial=0.0)), float(columns.max(initial=0.0)))
    mean = float(columns.sum()) / max(problem.design.n_entries, 1)
    return n * game.gamma(problem) * mean / (128.0 * largest) ** 2 if largest > 0 else 1.0


def _eta_tau(problem: Problem, sampling: EntrySampling, game: CentredGame, rho: float) -> tuple[float, float]:
    n, d, gamma = problem.n_samples, problem.n_coordinates, game.gamma(problem)
    mean = float(np.sum(sampling.spread / game.metric(problem))) / (float(n) * d) ** 2
    eta = float(np.sqrt(rho * gamma / (n * mean))) if mean > 0 else 0.0
    return eta, n * eta / gamma
