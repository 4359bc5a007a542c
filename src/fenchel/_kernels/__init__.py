"""The compiled kernels, and the checks in front of them.

Nothing else in the library imports the compiled module. Every check of dtype, contiguity, length and
range happens here, once a call; behind it the kernels trust their arguments.
"""
