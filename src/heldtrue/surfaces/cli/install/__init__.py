"""Installing into the programs that people work with: their configuration files, edited and never rewritten."""
