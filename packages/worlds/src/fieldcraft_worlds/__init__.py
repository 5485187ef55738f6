"""Worlds made with fieldcraft: games, learning environments, and a gallery of films.

The package uses only public names of fieldcraft.
"""
