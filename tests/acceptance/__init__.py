"""What Heldtrue must show, through its public surface, on real files and a real PostgreSQL."""
