"""Ways through a map: distance maps, flow fields, shortest paths."""
