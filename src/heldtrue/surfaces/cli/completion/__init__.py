"""Shell completion: a script for each shell, which asks `heldtrue __complete` what could be typed next."""
