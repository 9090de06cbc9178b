"""The ways to use Holdfast; each only translates to and from the registry."""
