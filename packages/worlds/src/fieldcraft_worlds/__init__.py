"""Worlds made with fieldcraft: games, the frame that plays them, experiments on them, and a gallery
of films.

This package uses only what fieldcraft shows to everybody; it proves that the library is enough from
outside.
"""
