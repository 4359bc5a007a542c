"""The data sets of the benchmarks and of the experiments: stored, generated, and with classes by name."""
