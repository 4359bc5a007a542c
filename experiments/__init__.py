"""Experiments: one module each, in a folder for each paper; ``python -m experiments list``."""
