"""What the paper says about Table 3 and Figures 1 and 2, and what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from experiments.claims import Claim
from experiments.frank_wolfe.counted import Track

__all__ = ["claims"]

Printed = Mapping[str, Mapping[str, tuple[float, int]]]

STOCHASTIC = ("scgm, 0.01 n", "svrf", "sfw", "scgs")
"""The rivals of GSFW in the figures."""


def claims(tracks: list[Track], printed: Printed, goal: float) -> list[Claim]:
    """Return the statements on each set; the printed numbers where the paper has that set."""
    found: list[Claim] = []
    for name in dict.fromkeys(one.data for one in tracks):
        by_method = {one.method: one for one in tracks if one.data == name}
        found += _beside_printed(name, by_method, printed.get(name.removesuffix("-like"), {}))
        found += [
            _fewer_gradients(name, by_method),
            _fewest_lmo(name, by_method),
            _out_of_reach(name, by_method, goal),
            _closest(name, by_method),
            _pairwise(name, by_method),
        ]
    return found


def _beside_printed(
    name: str, by_method: Mapping[str, Track], printed: Mapping[str, tuple[float, int]]
) -> Iterator[Claim]:
    """A method that stopped before the goal needs more calls than it has made."""
    for method, (gradients, _) in printed.items():
        one = by_method[method]
        ratio = one.gradient_calls[-1] / (1e6 * gradients)
        sign = "" if one.reached else "more than "
        yield Claim(
            f"{name}, {method}: calls to the goal within a factor of 2 of Table 3",
            f"{sign}{ratio:.2f} times the printed ones",
            one.reached and 0.5 <= ratio <= 2.0,
        )


def _fewer_gradients(name: str, by_method: Mapping[str, Track]) -> Claim:
    ours, full = by_method["gsfw, 0.01 n"], by_method["fw"]
    return Claim(
        f"{name}: GSFW takes fewer gradients than FW",
        f"{_calls(ours, ours.gradient_calls)} against {_calls(full, full.gradient_calls)}",
        ours.reached and ours.gradient_calls[-1] < full.gradient_calls[-1],
    )


def _fewest_lmo(name: str, by_method: Mapping[str, Track]) -> Claim:
    full, others = by_method["fw"], [by_method["gsfw, 0.01 n"], by_method["scgm, 0.01 n"]]
    shown = ", ".join(_calls(one, one.lmo_calls) for one in others)
    return Claim(
        f"{name}: FW calls the lmo less often than GSFW and SCGM",
        f"{_calls(full, full.lmo_calls)} against {shown}",
        full.reached and all(full.lmo_calls[-1] < one.lmo_calls[-1] for one in others),
    )


def _out_of_reach(name: str, by_method: Mapping[str, Track], goal: float) -> Claim:
    rivals = [by_method[method] for method in ("svrf", "sfw", "scgs")]
    shown = ", ".join(f"{one.method} {one.suboptimality[-1]:.1e}" for one in rivals)
    return Claim(
        f"{name}: SVRF, SFW and SCGS do not reach {goal:g} in a reasonable time",
        f"{shown} after at most {max(one.seconds[-1] for one in rivals):.1f} s",
        not any(one.reached for one in rivals),
    )


def _closest(name: str, by_method: Mapping[str, Track]) -> Claim:
    """At the last number of gradients that GSFW and the rival have both seen."""
    ours = by_method["gsfw, 0.01 n"]
    wins, shown = True, []
    for method in STOCHASTIC:
        rival = by_method[method]
        calls = min(ours.gradient_calls[-1], rival.gradient_calls[-1])
        first, second = _at(ours, calls), _at(rival, calls)
        wins &= first < second
        shown.append(f"{method} {second:.1e} ({first:.1e})")
    return Claim(
        f"{name}: after as many gradients GSFW is closer than the other stochastic methods",
        ", ".join(shown),
        wins,
    )


def _pairwise(name: str, by_method: Mapping[str, Track]) -> Claim:
    pairs, full = by_method["pairwise"], by_method["fw"]
    share = pairs.gradient_calls[-1] / full.gradient_calls[-1]
    return Claim(
        f"{name}: pairwise steps prove a gap of 1e-8 with a fifth of the gradients of FW",
        f"gap {pairs.gap[-1]:.1e} with a share of {share:.3f}",
        pairs.reached and share <= 0.2,
    )


def _calls(one: Track, calls: list[int]) -> str:
    return f"{'' if one.reached else 'more than '}{calls[-1]:.3g}"


def _at(one: Track, calls: int) -> float:
    """P - P* at the last point with at most so many gradients."""
    within = np.searchsorted(one.gradient_calls, calls, side="right")
    return one.suboptimality[max(int(within) - 1, 0)]
