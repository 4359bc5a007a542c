"""Solvers that move one coordinate of the primal or the dual at a time."""
