"""Diffuse: cells share their values with their neighbors."""
