"""Everything Heldtrue can do, each thing declared once. Every surface is built from these declarations."""
