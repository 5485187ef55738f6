"""Fade: marks that lose their strength with time."""
