"""Stochastic primal-dual method with O(1) steps (Tan, Zhang, Ma, Liu, 2018)."""
