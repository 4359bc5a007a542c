"""Efficient primal-dual algorithms for multiclass classification (Babichev, Ostrovskii, Bach, 2019)."""
