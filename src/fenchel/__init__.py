"""Large sparse linear models, each fitted with a certified duality gap.

The estimators follow scikit-learn. Beneath them ``Problem`` and ``solve`` take any loss of
``fenchel.losses`` with any regularizer of ``fenchel.regularizers``.
"""

from importlib.metadata import version as _version

from fenchel.design.validation import as_design
from fenchel.driver.result import Result
from fenchel.driver.solve import solve
from fenchel.driver.stopping import MaxPasses, RelativeGap, Status, TimeLimit
from fenchel.errors import ConvergenceWarning, FenchelError, InvalidInputError, UnsupportedProblemError
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Start
from fenchel.solvers.coordinate.primal_cd import PrimalCD
from fenchel.solvers.coordinate.sdca import SDCA
from fenchel.solvers.full.proximal_gradient import ProximalGradient

__version__ = _version("fenchel")

__all__ = [
    "SDCA",
    "Certificate",
    "ConvergenceWarning",
    "FenchelError",
    "InvalidInputError",
    "MaxPasses",
    "PrimalCD",
    "Problem",
    "ProximalGradient",
    "RelativeGap",
    "Result",
    "Start",
    "Status",
    "TimeLimit",
    "UnsupportedProblemError",
    "as_design",
    "solve",
]
