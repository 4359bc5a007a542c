"""The compiled kernels, and the checks in front of them.

Nothing else in the library imports the compiled module. Every check of dtype, contiguity, length and
range happens here, once a call; behind it the kernels trust their arguments.
"""

import os

from fenchel._kernels.simd import choose_level, use_level

use_level(choose_level(os.environ.get("FENCHEL_SIMD")))
