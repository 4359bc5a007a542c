"""Lu and Freund: generalized stochastic Frank-Wolfe algorithm with stochastic "substitute" gradient."""
