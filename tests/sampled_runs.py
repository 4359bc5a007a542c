"""One sampled game twice: the compiled tables and the twin's point."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel._kernels.entropic import EntropicStep, SampledGame
from fenchel._kernels.mirror_dense import DenseTables, mirror_dense_steps
from fenchel._kernels.mirror_sparse import SparseTables, mirror_sparse_flush, mirror_sparse_steps
from fenchel.design import as_design
from fenchel.reference import sampled_mirror as twins
from fenchel.reference.stochastic_mirror import LiftedGame

FORMS = ("static", "optimal", "full", "hashed")
"""Dense data with static and optimal rows; sparse data with full and hashed tables."""
WIDTH = {"static": 4, "optimal": 4, "full": 11, "hashed": 11}

each_served = pytest.mark.parametrize(
    ("form", "hinge"),
    [(form, hinge) for form in FORMS for hinge in (True, False) if hinge or form != "optimal"],
    ids=lambda value: value if isinstance(value, str) else ("softmax", "hinge")[value],
)


def wide(weight) -> np.ndarray:
    """Weights of which the smallest stand as minus 2^1000 times themselves."""
    return np.where(weight >= 0, weight, np.abs(weight) * 2.0**-1000)


class Run:
    """One game twice: compiled tables, and the twin's point."""

    def __init__(self, A, label, k, form, hinge, *, weight=None, radius=4.0, l1=0.03, dtype=np.float64):
        n = len(label)
        weight = np.ones(n) if weight is None else weight
        self.form, self.k, self.label, self.radius, self.l1 = form, k, label, radius, l1
        A = np.asarray(A, dtype=dtype)
        self.naive = LiftedGame(A.astype(np.float64), np.eye(k)[label], weight, hinge, l1, radius)
        design = as_design(A if self.dense else sp.csr_array(A))
        size = np.abs(self.naive.A).max(axis=1)
        of_column = np.sqrt(weight @ self.naive.A**2)
        self.game = SampledGame(design.rows, design.columns, hinge, k, label, size, weight * size, of_column)
        self.tables = (
            DenseTables.initial(self.game, radius)
            if self.dense
            else SparseTables.initial(self.game, radius, form == "hashed")
        )
        self.point = twins.MirrorPoint.uniform(self.naive)
        lists = twins.TouchedClasses if form == "hashed" else twins.AllClasses
        self.lists = lists(), lists()
        self.steps = 0

    @property
    def dense(self) -> bool:
        return self.form in ("static", "optimal")

    def step(self, gamma, draws=1, window=1024.0) -> EntropicStep:
        n, stride = len(self.label), 2.0 * gamma * self.radius * self.naive.primal_log
        dual = 2.0 * gamma * self.naive.dual_log
        return EntropicStep(stride / (n * draws), stride * self.l1, self.radius, dual, draws, window)

    def order(self, rng, draws):
        if self.form == "optimal":
            return None
        return rng.choice(len(self.label), p=self.game.row_weight / self.game.weight_sum, size=draws)

    def compiled(self, step, order, uniforms) -> np.ndarray:
        self.steps += len(uniforms) // step.draws
        if self.dense:
            return mirror_dense_steps(self.game, step, self.tables, order, uniforms)
        drawn = mirror_sparse_steps(self.game, step, self.tables, order, uniforms)
        mirror_sparse_flush(self.game, step, self.tables)
        return drawn

    def twin(self, gamma, draws, order, uniforms) -> np.ndarray:
        if self.dense:
            return twins.mirror_dense_steps(self.naive, self.point, gamma, draws, order, uniforms)
        return twins.mirror_sparse_steps(self.naive, self.point, gamma, draws, order, uniforms, *self.lists)

    @property
    def alpha(self) -> float:
        return float((self.tables.alpha if self.dense else self.tables.scalars)[0])

    @property
    def U(self) -> np.ndarray:
        alpha = self.alpha
        W = self.tables.primal[0].T if self.dense else self.tables.primal.dense(self.naive.A.shape[1], 0, 1.0)
        return np.vstack([alpha * W, alpha / W])

    @property
    def w_mean(self) -> np.ndarray:
        d = self.naive.A.shape[1]
        total = self.tables.primal[1].T if self.dense else self.tables.primal.dense(d, 2)
        return total / self.steps

    def _with_own(self, V, own):
        V = V.copy()
        V[np.arange(len(V)), self.label] = own
        return V

    @property
    def V(self) -> np.ndarray:
        n, tables = len(self.label), self.tables
        if not self.naive.hinge:
            logits = tables.dual[0] if self.dense else tables.dual.dense(n, 0)
            factor = 1.0 if self.dense else tables.scalars[5]
            powers = np.exp(factor * (logits - logits.max(axis=1, keepdims=True)))
            return powers / powers.sum(axis=1, keepdims=True)
        if self.dense:
            return self._with_own(wide(tables.dual[0]), wide(tables.own))
        own, rest, _, _, base, _, _ = tables.dual_rows.T
        total = (wide(own) + rest)[:, None]
        return self._with_own(wide(tables.dual.dense(n, 0, base)) / total, wide(own) / total[:, 0])

    @property
    def V_mean(self) -> np.ndarray:
        n, tables = len(self.label), self.tables
        total = tables.dual[1] if self.dense else tables.dual.dense(n, 2, tables.dual_rows[:, 5])
        mean = self._with_own(total / self.steps, 0.0)
        return self._with_own(mean, 1.0 - mean.sum(axis=1))

    def assert_twins(self, iterates=1e-12, averages=1e-11):
        np.testing.assert_allclose(self.U, np.exp(self.point.log_U), rtol=1e-9, atol=iterates)
        np.testing.assert_allclose(self.V, np.exp(self.point.log_V), rtol=1e-9, atol=iterates)
        np.testing.assert_allclose(self.w_mean, self.point.w_total / self.steps, atol=averages)
        if self.naive.hinge:
            np.testing.assert_allclose(self.V_mean, self.point.V_total / self.steps, atol=averages)


def data(rng, n=13, d=9, k=5):
    """Half of the entries are zero; so are a row and a column."""
    A = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    A[3], A[:, 2] = 0.0, 0.0
    return A, rng.integers(k, size=n), k


def weights(rng, n):
    weight = rng.random(n) + 0.3
    weight[1] = 0.0
    return weight / weight.mean()
