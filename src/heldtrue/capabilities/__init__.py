"""What Heldtrue can do, each thing declared once; every surface is made from this."""
