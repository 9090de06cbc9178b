"""The command line: commands made from the registry, answers for people and for programs."""
