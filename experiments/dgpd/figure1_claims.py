"""The claims of the paper about speed, held against the measured runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from experiments.claims import Claim
from experiments.dgpd.speedups import Ratio, Run, geometric_mean, ratio

__all__ = ["ACCURACIES", "BASELINES", "claims", "ratio_lines"]

ACCURACIES = (1e-3, 1e-6)
BASELINES = ("primal_rcd", "sdca", "spdc")
OURS = ("dgpd_plus", "dgpd_active_set")
BY_MAGNITUDES = ("Mnist-RB", "Aloi-RB", "RCV1 topic sets")
"""Where the paper speaks of improvements of orders of magnitude."""
Matched = list[tuple[Run, Run]]


def claims(runs: list[Run], accuracies: Sequence[float]) -> list[Claim]:
    """Judge the claims about speed to each accuracy, then those about iterations and density."""
    found = []
    for accuracy in accuracies:
        found += [_thirty(runs, ours, accuracy) for ours in OURS]
        found += [_always(runs, ours, accuracy) for ours in OURS]
        found.append(_magnitudes(runs, accuracy))
        found += _dense_margin(runs, accuracy)
    found += [_fewer_passes(runs), _spdc(runs, "seconds"), _spdc(runs, "passes")]
    return found + _dual_density(runs)


def ratio_lines(runs: list[Run], accuracies: Sequence[float]) -> list[str]:
    """Return, for every run and accuracy, the seconds of dgpd_plus and the others' over them, as text."""
    others = ("fastest baseline", *BASELINES, "dgpd", "dgpd_active_set")
    lines = [
        f"{'data':<16}{'class':>6}{'lambda':>7}{'mu':>6}{'primal':>7}{'dual':>6}"
        f"{'to':>7}{'dgpd_plus':>10}  over it: " + "".join(f"{name:>18}" for name in others)
    ]
    for run in runs:
        for accuracy in accuracies:
            seconds = run["methods"]["dgpd_plus"]["seconds"]["needed"][f"{accuracy:g}"]
            cells = [
                ratio(run, "seconds", accuracy, BASELINES if name == others[0] else (name,), "dgpd_plus")
                for name in others
            ]
            own = "-" if seconds is None else f"{seconds:.3f}"
            lines.append(
                f"{run['data']:<16}{run['class_rows']:>6}{run['lambda']:>7g}{run['mu']:>6g}"
                f"{run['nonzero_primal']:>7}{run['nonzero_dual']:>6}{accuracy:>7g}{own:>10}{'':11}"
                + "".join(f"{'-' if cell is None else str(cell):>18}" for cell in cells)
            )
    return lines


def _name(run: Run) -> str:
    return f"{run['data']}, class of {run['class_rows']}, lambda {run['lambda']:g}, mu {run['mu']:g}"


def _thirty(runs: list[Run], ours: str, accuracy: float) -> Claim:
    """Find the largest margin over the fastest baseline, and over each alone."""
    over_all = [(ratio(run, "seconds", accuracy, BASELINES, ours), run) for run in runs]
    best = max(((r, run) for r, run in over_all if r), key=lambda pair: pair[0].proven, default=None)
    largest = 0.0 if best is None else best[0].proven
    measured = "never there first" if best is None or largest == 0 else f"{best[0]} on {_name(best[1])}"
    alone = []
    for name in BASELINES:
        proven = [r.proven for run in runs if (r := ratio(run, "seconds", accuracy, (name,), ours))]
        alone.append(f"{name} {max(proven, default=0.0):.1f}")
    measured += f"; over one alone: {', '.join(alone)}"
    return Claim(
        f"{ours} up to 30 times faster than every baseline, to {accuracy:g}", measured, largest >= 30
    )


def _always(runs: list[Run], ours: str, accuracy: float) -> Claim:
    lost = [
        run
        for run in runs
        if (r := ratio(run, "seconds", accuracy, BASELINES, ours)) is None or r.proven <= 1
    ]
    measured = f"in {len(runs) - len(lost)} of {len(runs)} problems"
    if lost:
        counts = Counter((run["data"], run["mu"]) for run in lost)
        measured += "; not in " + ", ".join(f"{n} of {name}, mu {mu:g}" for (name, mu), n in counts.items())
    return Claim(f"{ours} faster than every baseline in all cases, to {accuracy:g}", measured, not lost)


def _magnitudes(runs: list[Run], accuracy: float) -> Claim:
    figure = [
        run for run in runs if run["data"] in BY_MAGNITUDES and (run["lambda"], run["mu"]) == (0.1, 0.01)
    ]
    ratios = {_name(run): ratio(run, "seconds", accuracy, BASELINES, "dgpd_plus") for run in figure}
    measured = "; ".join(f"{r} on {name}" for name, r in ratios.items())
    holds = all(r is not None and r.proven >= 10 for r in ratios.values())
    return Claim(
        f"dgpd_plus ten times faster or more on {', '.join(BY_MAGNITUDES)}, to {accuracy:g}", measured, holds
    )


def _dense_margin(runs: list[Run], accuracy: float) -> list[Claim]:
    """Compare the geometric means of the margins over the fastest baseline."""
    margins: dict[bool, dict[str, list[Ratio]]] = {True: {}, False: {}}
    for run in runs:
        margin = ratio(run, "seconds", accuracy, BASELINES, "dgpd_plus")
        if margin is not None:
            margins[run["dense"]].setdefault(run["data"], []).append(margin)
    if not all(margins.values()):
        return []
    dense, sparse = (geometric_mean([r for part in margins[kind].values() for r in part]) for kind in margins)
    each = [f"{name} {geometric_mean(part)}" for kind in margins for name, part in margins[kind].items()]
    return [
        Claim(
            f"the margin of dgpd_plus is larger on dense data, to {accuracy:g}",
            f"geometric mean {dense} on dense, {sparse} on sparse data; {', '.join(each)}",
            dense.value > sparse.value,
        )
    ]


def _fewer_passes(runs: list[Run]) -> Claim:
    accuracy = ACCURACIES[0]
    won = [
        r for run in runs if (r := ratio(run, "passes", accuracy, ("sdca",), "dgpd_plus")) and r.proven > 1
    ]
    return Claim(
        f"dgpd_plus sometimes needs fewer iterations than sdca, to {accuracy:g}",
        f"fewer entries read in {len(won)} of {len(runs)} problems",
        bool(won),
    )


def _spdc(runs: list[Run], axis: str) -> Claim:
    accuracy = ACCURACIES[0]
    better = [r for run in runs if (r := ratio(run, axis, accuracy, ("sdca",), "spdc")) and r.proven > 1]
    return Claim(
        f"spdc does not improve on sdca in {axis}, to {accuracy:g}",
        f"it does in {len(better)} of {len(runs)} problems",
        not better,
    )


def _dual_density(runs: list[Run]) -> list[Claim]:
    """Compare the numbers of non-zero dual variables where one strength alone differs."""
    largest = [run for run in runs if run["class_rank"] == 0]
    found = []
    for name, other, low, high in (("mu", "lambda", 0.01, 1.0), ("lambda", "mu", 0.01, 0.1)):
        pairs: Matched = [
            (weak, strong)
            for weak in largest
            for strong in largest
            if weak["data"] == strong["data"] and weak[other] == strong[other]
            if (weak[name], strong[name]) == (low, high)
        ]
        if pairs:
            grown = sum(strong["nonzero_dual"] > weak["nonzero_dual"] for weak, strong in pairs)
            statement = f"a larger {name} makes the dual denser, {low:g} against {high:g}"
            found.append(Claim(statement, f"in {grown} of {len(pairs)} pairs", grown == len(pairs)))
    return found
