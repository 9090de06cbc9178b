"""The ways to use Heldtrue; each only translates to and from the registry."""
