"""Lines of sight, fields of view and shots."""
