"""Adapters: one file for each library that fieldcraft works beside, loaded when it is asked for."""
