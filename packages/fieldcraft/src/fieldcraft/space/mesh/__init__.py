"""Navigation meshes: polygons joined by portals."""
