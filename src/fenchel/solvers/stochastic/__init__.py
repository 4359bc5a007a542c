"""Methods that step along the gradient of one random row, or of one random entry."""
