"""One contract for every store: the whole suite runs on each database."""
