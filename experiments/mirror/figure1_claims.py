"""What the paper and the stored runs of its authors say about Figure 1, and what was measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from experiments.claims import Claim
from experiments.mirror.following import Followed

__all__ = ["claims"]


def claims(followed: list[Followed], like_theirs: str, stored: dict[str, Any] | None) -> list[Claim]:
    """Return the statements on the methods, and on the curve beside the authors' where that is there."""
    by_name = {one.method: one for one in followed}
    smd, prox, ssm = by_name[like_theirs], by_name["MP, theorem"], by_name["SSM"]
    found = [
        _smaller("SMD has a smaller P than SSM after the same seconds", smd, ssm, _primal),
        _smaller("SMD has a smaller P than mirror prox after the same seconds", smd, prox, _primal),
        _smaller("SMD has a smaller gap than mirror prox after the same seconds", smd, prox, _gap),
        _smaller("and also where mirror prox adapts its steps", smd, by_name["MP, adaptive"], _gap),
    ]
    if stored is not None:
        theirs = stored["smd_full"]
        found += [
            _beside("SMD with the theorem's step", by_name["SMD, theorem"], theirs),
            _beside(like_theirs, smd, theirs),
            _shape(smd, theirs),
        ]
    return found


def _primal(one: Followed) -> list[float]:
    return one.primal


def _gap(one: Followed) -> list[float]:
    return [primal - (dual or 0.0) for primal, dual in zip(one.primal, one.dual, strict=True)]


def _smaller(
    statement: str, one: Followed, other: Followed, values: Callable[[Followed], list[float]]
) -> Claim:
    """Compare at the last time that both have reached."""
    seconds = min(one.seconds[-1], other.seconds[-1])
    first, second = (_at(method.seconds, values(method), seconds) for method in (one, other))
    return Claim(statement, f"{first:.3f} against {second:.3f} after {seconds:.1f} s", first < second)


def _beside(name: str, ours: Followed, theirs: dict[str, Any]) -> Claim:
    """Both values after the same steps; other step sizes and another draw of the data allow a factor."""
    both = [steps for steps in ours.iterations if steps in theirs["iterations"] and steps >= 100_000]
    pairs = []
    for steps in both:
        here, there = ours.iterations.index(steps), theirs["iterations"].index(steps)
        pairs.append(
            (steps, ours.primal[here], theirs["primal"][there], ours.dual[here], theirs["dual"][there])
        )
    measured = "; ".join(
        f"T = {steps}: P {p:.3f} and {their_p:.3f}, D {d:.3f} and {their_d:.3f}"
        for steps, p, their_p, d, their_d in pairs
    )
    close = all(
        abs(np.log(p / their_p)) < np.log(2.0) and abs(d - their_d) < 0.5 * abs(their_d) + 0.2
        for _, p, their_p, d, their_d in pairs
    )
    return Claim(
        f"{name}: P and D are the authors' after as many steps, within a factor of two", measured, close
    )


def _shape(ours: Followed, theirs: dict[str, Any]) -> Claim:
    """P has a hump: it falls to its first low, rises, and falls for good."""
    peaks = []
    for iterations, primal in ((ours.iterations, ours.primal), (theirs["iterations"], theirs["primal"])):
        low = int(np.argmin(primal[:6]))
        top = low + int(np.argmax(primal[low:]))
        peaks.append((iterations[top], primal[top], primal[top] / primal[low]))
    measured = ", authors ".join(f"{top:.2f} at T = {steps}" for steps, top, _ in peaks)
    return Claim(
        "SMD: P rises again before it falls for good",
        measured,
        all(ratio > 1.2 for _, _, ratio in peaks),
    )


def _at(seconds: list[float], values: list[float], limit: float) -> float:
    """The value at the last record within the limit; the first one where there is none."""
    within = [value for at, value in zip(seconds, values, strict=True) if at <= limit]
    return within[-1] if within else values[0]
