"""The iteration loop, its stopping rules, results and checkpoints."""
