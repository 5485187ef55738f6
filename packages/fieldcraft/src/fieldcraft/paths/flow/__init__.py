"""Flow fields: a direction toward the goals at every position."""
