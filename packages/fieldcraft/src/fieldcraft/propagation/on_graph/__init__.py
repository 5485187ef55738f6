"""Fields over arcs, on graphs, meshes and whatever else keeps a graph."""
