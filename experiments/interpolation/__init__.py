"""The experiments of the paper on regularisation of stochastic gradient methods through duality."""
