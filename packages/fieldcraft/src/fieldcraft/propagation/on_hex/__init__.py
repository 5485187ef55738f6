"""Trails and stamps on hexagons."""
