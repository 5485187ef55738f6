"""Pictures of scenes: the world with all that lies on it, a panel beside it, and a page of keys."""
