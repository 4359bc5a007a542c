"""Doubly greedy primal-dual coordinate descent (Lei, Yen, Wu, Dhillon, Ravikumar, 2017)."""
