"""The Model Context Protocol: the capabilities as tools, over any pipe."""
