"""The command line, recipes and starters."""
