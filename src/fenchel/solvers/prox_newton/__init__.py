"""Prox-Newton: quadratic models of the loss on working sets of columns. One file an idea."""
