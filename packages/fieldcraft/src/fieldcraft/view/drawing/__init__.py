"""Brushes and overlays: what is drawn over a picture."""
