"""What "auto" chooses among our own solvers, held against what they take."""
