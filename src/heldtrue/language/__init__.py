"""Rules of language: pure functions from text to values, shared by the way in and the way out."""
