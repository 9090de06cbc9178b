"""What Heldtrue must survive: many writers, kills, tampering, damaged files."""
