"""Films, and the writers of their formats."""
