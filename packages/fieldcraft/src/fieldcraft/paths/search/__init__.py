"""Search engines of distance maps and paths."""
