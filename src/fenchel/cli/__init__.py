"""The command line: fit, path, certify, predict, info and demo."""
