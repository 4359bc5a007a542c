"""The command line: fit, certify, predict, info and demo."""
