"""What is measured, one command each: `python -m bench NAME`."""
