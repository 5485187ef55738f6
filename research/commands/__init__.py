"""The command line of the studies, and their list."""
