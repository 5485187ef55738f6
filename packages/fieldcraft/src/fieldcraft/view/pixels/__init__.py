"""Which pixel of a picture shows which cell."""
