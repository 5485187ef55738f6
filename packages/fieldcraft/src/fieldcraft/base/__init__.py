"""Errors, checks, clock, files, progress and other parts that all folders use."""
