"""Readers of recordings, and forecasts of where something happens next."""
