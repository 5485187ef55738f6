"""Swarms: many agents that sense layers and leave marks on them."""
