"""What Holdfast can do, each thing declared once; every surface is made from this."""
