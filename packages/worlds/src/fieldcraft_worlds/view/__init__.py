"""Pictures of scenes: the map, a panel beside it, and a page of keys."""
