"""The stores: one set of named statements, two databases beneath it."""
