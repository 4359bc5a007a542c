"""Mirror descent and its kin: steps under a Bregman divergence on both sides of the game."""
