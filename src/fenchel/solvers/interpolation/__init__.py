"""Methods for the least coefficients whose scores lie in given sets: ascent on the dual variables of rows."""
