"""Solvers that read the whole matrix at every step."""
