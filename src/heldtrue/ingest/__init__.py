"""The way in: everything that is ever written passes through the gateway here."""
