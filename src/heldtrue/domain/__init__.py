"""The domain types and their rules. Nothing here does input or output."""
