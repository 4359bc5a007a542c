"""The scikit-learn estimators, one a file; ``fenchel`` has their names."""
