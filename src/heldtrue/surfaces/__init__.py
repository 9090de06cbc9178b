"""The interfaces of Heldtrue; each only translates to and from the registry."""
