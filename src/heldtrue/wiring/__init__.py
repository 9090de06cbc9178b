"""Wiring: the settings, and the code that chooses the store, the clock and the models."""
