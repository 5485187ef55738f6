"""Waypoint graphs."""
