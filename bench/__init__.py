"""Measures fieldcraft against its peers: `python -m bench [suite ...] [--quick]`."""
