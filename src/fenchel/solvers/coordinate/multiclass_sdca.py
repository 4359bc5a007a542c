"""Proximal stochastic dual coordinate ascent for several classes, one dual block a row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fenchel._kernels.multiclass_sdca import EVERY_CLASS, ClassLists, multiclass_sdca_pass
from fenchel.problem.free import minimise_free
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Products, Requirement, Solver, Start
from fenchel.solvers.coordinate.active_classes import active_classes
from fenchel.solvers.coordinate.conjugate_steps import ConjugateSteps
from fenchel.solvers.coordinate.proximal_point import (
    DualModel,
    WeightedState,
    dual_steps,
    first_dual_point,
    reweigh,
)
from fenchel.solvers.proximal_weights import proximal_alpha
from fenchel.solvers.requirements import MULTICLASS, SEPARABLE
from fenchel.typing import FloatArray, IndexArray

__all__ = ["MulticlassSDCA"]

_MOST_PASSES = 10
"""Whole passes that an epoch may read."""
_FALL, _RELIST = 0.1, 0.2
"""An epoch ends when its passes meet this share of the gap that it began with; the classes are listed anew
when the listed ones have come to that share of theirs."""
_MARGIN = 0.2
"""Classes this close to the worst of their row are listed at first, half as close after every epoch."""
_MISSED = 2.0
"""Where all classes show this many times the gap that the listed ones had, too few were listed."""
_WHOLE, _SHARE = 4, 0.6
"""Three passes in four are over the rows with this share of the mean gap, the fourth over those with any
gap, and every fourth of these over all active rows. After each fourth the point enters the mean."""
_HEAVIER = 4.0
"""The weights of the points in the mean grow as the third power of their number: the first are far."""
_CHUNK, _DEAR = 8, 4
"""Conjugate steps come after a multiple of so many listed passes, which have read so many times the values
of t: they touch all of these."""
_LONGER, _DECAY = 0.6, 0.9
"""The steps of the hinge are longer than the exact ones by this share at first; every epoch lessens it."""
_REFRESH = 4
"""After so many epochs t is taken afresh from u: its increments round."""


@dataclass
class BlockState(WeightedState):
    """Dual point, ``t = alpha anchor - A'(s u) / n``, and the proximal term.

    ``q`` and ``gaps`` are the scores and the Fenchel-Young terms of the rows as they were last met, ``gap``
    their mean, ``margin`` that of the lists, and ``mean`` the mean dual point of an epoch under the hinge.
    """

    epoch: int
    u: FloatArray
    mean: FloatArray
    t: FloatArray
    q: FloatArray
    gaps: FloatArray
    gap: float
    margin: float


@dataclass(frozen=True)
class MulticlassSDCA(Solver[BlockState]):
    r"""Prox-SDCA with simplex-valued dual blocks: all classes of a row at once.

    .. math::
        u_i \leftarrow \mathrm{prox}_{c_i \phi_i^*}(u_i + c_i w^\top a_i), \qquad
        c_i = \frac{n}{s_i \sum_j a_{ij}^2 / (l_{2j} + \alpha_j)}, \qquad
        w = \arg\min_w \; g(w) + \tfrac12 \|w - \bar w\|_\alpha^2 + \langle v, w \rangle

    with :math:`v = A^\top (s \circ u)/n` of shape (D, k) kept up to date. The prox is a projection onto the
    simplex for the multiclass hinge, and the root of one equation for softmax. Every step is exact in a
    quadratic model of the dual, or longer (see the notes): its value never falls. Where a coordinate has no
    curvature of its own (the intercept, an l1 part alone, a box alone) the proximal-point method of
    :class:`~fenchel.SDCA` is added; the certificate is always that of the problem itself.

    Parameters
    ----------
    proximal_weight : float, default 1.0
        Multiplies the automatic weights of the proximal term, as in :class:`~fenchel.SDCA`.

    Notes
    -----
    Serves the softmax and the multiclass hinge loss with every separable regularizer. Rows are visited in
    a random order, a new one each pass. Cost of a step: the stored entries of the row times k for the
    scores, the same for the update of the classes that moved, and one prox: for softmax about four
    exponentials a class.

    An epoch is a pass over all rows and classes, and further ones until the gap that they meet (the mean
    of the Fenchel-Young terms of the rows, which costs nothing beside the step) is a tenth of the one it
    began with, at most ten passes. Under the hinge these go on with the classes that can move, a list for
    every row, three times in four only over the rows whose own gap is not small; the next epoch's pass over
    everything, and the certificate, see what the lists left out. After every eight of these passes,
    where t is small beside the data, comes the best step in the plane of what they moved and of the step
    before, as in conjugate gradients: ill-conditioned data need a fraction of the passes. The point that is
    certified is then the mean of the epoch's dual points: the hinge makes single ones restless, and by
    concavity the mean has no smaller a dual value than they have on average.

    Under the hinge the steps are over-relaxed, :math:`\omega c_i` in place of :math:`c_i` with
    :math:`\omega` from 1.6 down to 1: a step raises the dual value by :math:`(1/\omega - 1/2)\, s_i
    \|\Delta_i\|^2 / (n c_i)` at least.

    Columns of very different scales slow it: for softmax with few coefficients
    :class:`~fenchel.MulticlassNewton` is the remedy. The hinge has none beside the conjugate
    steps, which do not reach far where scales are thousands apart; without an l2 part it is a linear program
    and takes thousands of passes.

    Memory: four arrays of n k values (the targets, u, its mean, the scores), t of D k values, and a few of
    either size while a point is certified or a conjugate step is taken.

    References
    ----------
    Shalev-Shwartz and Zhang, Accelerated proximal stochastic dual coordinate ascent for regularized
    loss minimization, Mathematical Programming 155, 2016, section 5. Lists of active classes: Keerthi,
    Sundararajan, Chang, Hsieh and Lin, A sequential dual method for large scale multi-class linear SVMs,
    KDD 2008. Conjugate steps: Knyazev, Toward the optimal preconditioned eigensolver, SIAM Journal on
    Scientific Computing 23, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import MulticlassSDCA, Problem, solve
    >>> from fenchel.losses import MulticlassHinge
    >>> from fenchel.regularizers import Ridge
    >>> problem = Problem(np.eye(3), np.eye(3), MulticlassHinge(), Ridge(1.0))
    >>> result = solve(problem, MulticlassSDCA())
    >>> result.w.round(6) + 0.0
    array([[ 0.333333, -0.166667, -0.166667],
           [-0.166667,  0.333333, -0.166667],
           [-0.166667, -0.166667,  0.333333]])
    >>> result.status.solved
    True
    """

    name: ClassVar[str] = "multiclass_sdca"
    requires: ClassVar[tuple[Requirement, ...]] = (MULTICLASS, SEPARABLE)

    proximal_weight: float = 1.0

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> BlockState:
        """Start from ``start``, or from the best unpenalised coordinates alone."""
        w = minimise_free(problem, np.zeros(problem.primal_shape)) if start.w is None else start.w
        alpha = proximal_alpha(problem, w, self.proximal_weight)
        model = DualModel(alpha, w, dual_steps(problem, alpha))
        if start.w is None and start.u is None:
            u, v = _zero_dual_point(problem, model)
        else:
            u, v = first_dual_point(problem, start, model, w)
        return BlockState(
            rng=rng,
            entries_read=0,
            epoch=0,
            u=u,
            mean=u.copy(),
            t=np.ascontiguousarray(alpha[:, None] * w - v),
            step=model.step,
            alpha=alpha,
            shrinkage=1.0,
            q=np.zeros_like(u),
            gaps=np.zeros(problem.n_samples),
            gap=np.inf,
            margin=_MARGIN,
        )

    def run_epoch(self, problem: Problem, state: BlockState) -> None:
        """A pass over all rows, then over the active ones, until the gap that is met has fallen."""
        label = problem.b.argmax(axis=1).astype(np.int64)
        everything = np.arange(problem.n_samples)
        last = state.entries_read + _MOST_PASSES * problem.design.n_entries
        target, passes = 0.0, 0
        while passes == 0 or (state.gap > target and state.entries_read < last):
            before, state.gap = state.gap, self._pass(problem, state, label, everything, EVERY_CLASS)
            target = target or _FALL * min(before, state.gap)
            if problem.loss.smooth:
                passes += 1
            else:
                passes = self._average(state, passes)
                state.margin *= 2.0 if state.gap > _MISSED * before else 0.5
                passes = self._ascend_listed(
                    problem, state, label, max(target, _RELIST * state.gap), last, passes
                )
        state.epoch += 1
        if state.alpha.any():
            _move_anchor(problem, state, problem.correlation(state.u))
        elif state.epoch % _REFRESH == 0:
            np.negative(problem.correlation(state.u), out=state.t)

    def _ascend_listed(
        self, problem: Problem, state: BlockState, label: IndexArray, target: float, last: int, passes: int
    ) -> int:
        """Go on with the classes that can move, until the gap is at the target; count the passes."""
        lists = active_classes(state.q, state.u, label, state.margin)
        active = np.flatnonzero((np.diff(lists.indptr) > 1) & (problem.sample_weight * state.step > 0.0))
        steps = ConjugateSteps.begin(problem, active, state.alpha, state.u, state.t)
        pause = _DEAR * state.t.size
        # A step alone in its epoch has none before it, and is not worth what it costs.
        pays = 2 * pause <= _MOST_PASSES * problem.design.n_entries
        turn, due = 0, state.entries_read + pause
        while active.size and state.gap > target and state.entries_read < last:
            rows = _worst_rows(active, state.gaps[active], turn)
            state.gap = self._pass(problem, state, label, rows, lists)
            turn += 1
            if turn % _WHOLE == 0:
                passes = self._average(state, passes)
            if pays and turn % _CHUNK == 0 and state.entries_read >= due:
                state.entries_read += steps.advance(problem, state.u, state.t)
                due = state.entries_read + pause
        return passes if turn % _WHOLE == 0 else self._average(state, passes)

    def _average(self, state: BlockState, passes: int) -> int:
        """Take the dual point into the mean of the epoch, the later the heavier; count the pass."""
        state.mean += (state.u - state.mean) * (_HEAVIER / (passes + _HEAVIER))
        return passes + 1

    def _pass(
        self, problem: Problem, state: BlockState, label: IndexArray, rows: IndexArray, lists: ClassLists
    ) -> float:
        """Visit the rows once; return the mean of their gaps as met, and of what is known of the others."""
        state.entries_read += multiclass_sdca_pass(
            problem.design.rows,
            state.rng.permutation(rows),
            problem.loss.name,
            label=label,
            sample_weight=problem.sample_weight,
            step=_lengthening(problem, state) * state.step,
            form=problem.coordinate_form,
            alpha=state.alpha,
            t=state.t,
            u=state.u,
            q=state.q,
            gap=state.gaps,
            lists=lists,
        )
        return float(np.mean(state.gaps))

    def extract(self, problem: Problem, state: BlockState) -> tuple[FloatArray, FloatArray]:
        """The best response to the mean dual point, and that point.

        In the proximal-point mode, where a mean over several anchors means nothing, the last ones: the best
        response with the best free coordinates that are known for it. The smooth loss needs no mean, and t
        gives the response to the last point.
        """
        if state.alpha.any() or problem.loss.smooth:
            return minimise_free(problem, _response(problem, state)), state.u.copy()
        u = state.mean.copy()
        v = -state.t if state.epoch == 0 else problem.correlation(u)
        return problem.coordinate_form.lmo(v), u

    def products(self, problem: Problem, state: BlockState) -> Products | None:
        """Zeros where the run begins with v = 0 and w = 0: the first certificate then reads nothing."""
        w = problem.coordinate_form.lmo(np.zeros(len(state.t)))
        if state.epoch > 0 or state.alpha.any() or w.any() or state.t.any():
            return None
        return Products(np.zeros_like(state.u), np.zeros_like(state.t))

    def gap_met(self, problem: Problem, state: BlockState) -> float | None:
        """What the last pass met, unless an anchor has moved since."""
        return None if state.alpha.any() else state.gap


def _worst_rows(active: IndexArray, gaps: FloatArray, turn: int) -> IndexArray:
    """The rows of a pass: in turn all active ones, those with some gap, and those with most of it."""
    if turn % _WHOLE**2 == 0:
        return active
    return active[gaps > 0.0 if turn % _WHOLE == 0 else gaps >= _SHARE * gaps.mean()]


def _lengthening(problem: Problem, state: BlockState) -> float:
    """What multiplies the exact steps; below 2, so that no step lowers the dual value."""
    return 1.0 + _LONGER * _DECAY**state.epoch if problem.loss.sparse_dual else 1.0


def _zero_dual_point(problem: Problem, model: DualModel) -> tuple[FloatArray, FloatArray]:
    """No row has a weight yet: under the hinge many never get one. Rows of zeros are at their optimum."""
    u, still = np.zeros_like(problem.b), model.step == 0.0
    u[still] = problem.loss.gradient(u[still], problem.b[still])
    return u, np.zeros(problem.primal_shape)


def _response(problem: Problem, state: BlockState) -> FloatArray:
    """``argmin g(w) + |w - anchor|^2_alpha / 2 + <v, w>``, coordinate by coordinate."""
    form = problem.coordinate_form
    return replace(form, l2=form.l2 + state.alpha).lmo(-state.t)


def _move_anchor(problem: Problem, state: BlockState, v: FloatArray) -> None:
    """Move the anchor to w, and loosen the proximal term when the inner problem is solved well enough.

    The gap of the inner problem, as the last pass met it, is held against the step that the anchor makes.
    """
    moving = np.flatnonzero(state.alpha)
    w = _response(problem, state)[moving]
    alpha = state.alpha[moving, None]
    anchor = (state.t[moving] + v[moving]) / alpha
    outer = 0.5 * float(np.sum(alpha * (w - anchor) ** 2))
    reweigh(problem, state, state.gap, outer)
    np.negative(v, out=state.t)
    state.t[moving] += state.alpha[moving, None] * w
