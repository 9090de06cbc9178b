"""The Model Context Protocol: capabilities as tools, over stdio or HTTP."""
