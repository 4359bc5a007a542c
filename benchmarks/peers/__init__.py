r"""The other libraries, one small class each, and how our objective maps to theirs.

Ours is a mean: :math:`\frac1n \sum_i \phi(a_i^\top w, b_i) + l_1\|w\|_1 + \frac{l_2}2\|w\|^2`. Each class
states the objective of its library and the strength that makes the two minimisers equal. No peer fits
an intercept, and none is limited in iterations: only the tolerance stops it, or the clock of the run.
"""

from benchmarks.peers.base import Peer
from benchmarks.peers.celer import Celer
from benchmarks.peers.copt import CoptFista, CoptFrankWolfe, CoptPairwise
from benchmarks.peers.cyanure import Cyanure
from benchmarks.peers.fista import Fista
from benchmarks.peers.scikit_learn import (
    LiblinearDual,
    LiblinearPrimal,
    NewtonCG,
    NewtonCholesky,
    Saga,
    SklearnCD,
)
from benchmarks.peers.skglm import Skglm
from benchmarks.peers.snapml import SnapML

__all__ = ["PEERS", "Peer"]

PEERS: tuple[Peer, ...] = (
    LiblinearPrimal(),
    LiblinearDual(),
    Saga(),
    NewtonCG(),
    NewtonCholesky(),
    SklearnCD(),
    Skglm(),
    Celer(),
    Cyanure(),
    SnapML(),
    CoptFrankWolfe(),
    CoptPairwise(),
    CoptFista(),
    Fista(),
)
