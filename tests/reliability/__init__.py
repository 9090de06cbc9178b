"""What Holdfast must survive: many writers, kills, tampering, damaged files."""
