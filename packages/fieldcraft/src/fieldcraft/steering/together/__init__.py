"""Agents that step together without collisions (PIBT)."""
