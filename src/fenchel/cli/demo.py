"""The command ``fenchel demo``."""

from __future__ import annotations

from fenchel.cli import options
from fenchel.cli.certify import HEADER, verdict_rows
from fenchel.cli.failures import reported
from fenchel.cli.fit import make_estimator, wants_bar
from fenchel.cli.summary import fit_rows
from fenchel.cli.training import train

__all__ = ["demo"]

_NEXT = """Try next:
  fenchel info DATA
  fenchel fit DATA --loss logistic --l1 0.05max --out model.npz
  fenchel certify model.npz DATA
  fenchel predict model.npz DATA"""


def demo(progress: options.Progress = None) -> None:
    """Fit two small datasets that come with scikit-learn, and check the certificates. Saves nothing."""
    with reported():
        _show("breast_cancer", "logistic", "0.05max", progress)
        _show("diabetes", "squared", "0.1max", progress)
        print(_NEXT)


def _show(name: str, loss: str, l1: str, progress: bool | None) -> None:
    from fenchel.cli.output import print_table
    from fenchel.datasets.bundled import load_demo
    from fenchel.estimators.recertify import recertify

    data = load_demo(name)
    estimator = make_estimator(
        loss, l1=l1, l2=0.0, standardize=True, random_state=0, verbose=int(wants_bar(progress, False))
    )
    outcome = train(estimator, data.X, data.y, feature_names=data.feature_names, reading={})
    print_table(f"{name}: {loss} loss, l1 = {l1}", fit_rows(outcome, None))
    verdicts = recertify(outcome.model, data.X, data.y, name=name)
    print_table(f"{name}: the certificate, recomputed", verdict_rows(outcome.model, verdicts), HEADER)
