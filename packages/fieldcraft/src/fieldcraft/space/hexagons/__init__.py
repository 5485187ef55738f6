"""Grids of hexagons."""
