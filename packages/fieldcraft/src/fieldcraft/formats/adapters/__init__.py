"""Adapters, one file per library, imported on first use."""
