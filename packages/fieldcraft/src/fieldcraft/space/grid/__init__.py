"""Grids of squares."""
