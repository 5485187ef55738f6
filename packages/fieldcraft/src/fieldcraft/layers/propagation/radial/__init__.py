"""Radial: influence that falls with the distance from its source."""
