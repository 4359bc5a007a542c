"""Fenchel against its peers: the same data, the same process, the same recomputed gap."""

import os

# Every number is for one thread. The libraries read these variables when they are first imported.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
