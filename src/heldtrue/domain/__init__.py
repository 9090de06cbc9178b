"""The nouns and their rules. Nothing here does input or output."""
