r"""
One entry at a time
===================

SPD1 and SPD1-VR look at single entries of the matrix, or at small blocks of them; PSGD, SVRG and SAGA look
at whole rows. One pass is as many entries read as the matrix has, whoever reads them, so that the proven gaps
can be drawn on one axis.
"""

import matplotlib.pyplot as plt
import numpy as np

from fenchel import PSGD, SAGA, SPD1, SPD1VR, SVRG, MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import Logistic
from fenchel.regularizers import Ridge

# %%
# Twice as many columns as rows, and a condition number of 2500.

rng = np.random.default_rng(0)
A = rng.standard_normal((200, 400))
A /= np.linalg.norm(A, axis=1, keepdims=True)
b = np.sign(A @ rng.standard_normal(400))
problem = Problem(A, b, Logistic(), Ridge(1e-4))

# %%
# Every method is certified by the same function. SPD1-VR needs no extra work for it: the two products of a
# snapshot are those of the certificate.

solvers = {
    "SPD1-VR, entries": SPD1VR(block="entries"),
    "SPD1-VR, blocks": SPD1VR(),
    "SVRG": SVRG(),
    "SAGA": SAGA(),
    "SPD1": SPD1(),
    "PSGD": PSGD(),
}
stopping = RelativeGap(1e-8) | MaxPasses(400)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
for name, solver in solvers.items():
    result = solve(problem, solver, stopping=stopping)
    records = [record for record in result.trace[1:] if 0 < record.certificate.relative_gap < np.inf]
    gaps = [record.certificate.relative_gap for record in records]
    axes[0].loglog([record.passes for record in records], gaps, ".-", label=name)
    axes[1].loglog([record.seconds for record in records], gaps, ".-")
    print(f"{name}: gap {result.certificate.relative_gap:.1e} after {result.passes:.0f} passes")
axes[0].set(xlabel="entries read, in passes over the matrix", ylabel="relative gap (proven)")
axes[1].set(xlabel="seconds, certificates included")
axes[0].legend(fontsize="small")
plt.show()
