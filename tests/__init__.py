"""The tests: sentences about real parts."""
