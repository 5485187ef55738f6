"""The gallery: a short film of every world, and the page that shows them; `python -m
fieldcraft_worlds.gallery` makes both.
"""
