"""The algorithms: each is three functions and a list of what it needs."""
