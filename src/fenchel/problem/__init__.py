"""The game, its values, and the certificate."""
