"""Pure array functions."""
