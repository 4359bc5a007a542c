"""Frank-Wolfe methods: the primal point moves by best responses of the set alone."""
