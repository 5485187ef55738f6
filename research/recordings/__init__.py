"""Readers of recordings, and forecasts of places of events."""
