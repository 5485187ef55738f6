"""Docs: graphs.md and tiles.md. Waypoints, kinds by name, a mesh, hexagons."""

import numpy as np

import fieldcraft as fc
from fieldcraft import steering

hall, door, cellar, attic = range(4)
house = fc.Graph(
    [(0, 0, 0), (6, 0, 0), (6, 4, -3), (0, 0, 3)],
    [(hall, door), (door, cellar), (hall, attic)],
    max_height=1.5,
)
kinds = fc.InfluenceMap(house)
zombies = kinds.register_type("zombie", static=True)
noises = kinds.register_type("noise")
zombie = zombies.add_static((0.5, 0.2, 0.1), iterations=2)
noises.add_dynamic((6, 4, -3), 5.0)
kinds.advance(0.5)
zombie.remove()
house.set_edges((door, cellar))
house.set_walls(attic)
print(house.neighbors_of(hall).tolist(), zombies.values[hall])
corners = [
    (0, 0),
    (4, 0),
    (4, 4),
    (0, 4),
    (4, 1),
    (4, 2),
    (9, 1),
    (9, 2),
    (9, 0),
    (13, 0),
    (13, 4),
    (9, 4),
]
rooms = [(0, 1, 4, 5, 2, 3), (4, 6, 7, 5), (8, 9, 10, 11, 7, 6)]
mesh = fc.Graph.from_polygons(corners, rooms)
path = fc.shortest_path(mesh, (1, 3.5), (12, 3.5), smooth=True)
way = fc.flow_field(fc.distance_map(mesh, (12, 3.5)))
walkers = np.array([(1.0, 3.5), (0.5, 0.5)])
for _ in range(5):
    walkers = steering.move(mesh, walkers, 0.1 * way.sample(walkers), leap=way)
hexes = fc.HexGrid(26, 20, orientation="pointy", size=1.0)
board = fc.InfluenceMap(hexes)
threat = board.add_layer("threat", fc.Radial(radius=6.0, metric="sight"))
threat.add_source((6.0, 4.0), strength=5.0)
board.step()
cell = hexes.cell_at((6.0, 4.0))
q, r = hexes.to_axial(cell)
east = hexes.from_axial((q + 1, r))
move = fc.reach(hexes, (6.0, 4.0), 4 * hexes.typical_step, charge="enter")
points = move.distances / hexes.typical_step
hexes.graph.set_edges((cell, east))
hideout = fc.best(-threat, (6.0, 4.0), radius=8.0, walk=9.0)
print(path.positions.tolist(), points.max(), hideout.position, hexes.steps_between(cell, east))
terrain = fc.Terrain([[0, 0, 1]], [[True, True], [False, True]], ["plateau", "valley"])
ledge = fc.Grid(3, 1, terrain=terrain)
print(fc.shortest_path(ledge, (0.5, 0.5), (2.5, 0.5)).found)
