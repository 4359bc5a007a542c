"""NumPy twins of the kernels: the executable paper, short and slow on purpose."""
