"""Array types shared by every layer."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
DataArray: TypeAlias = npt.NDArray[np.float32] | npt.NDArray[np.float64]
IndexArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
