"""Docs: tiles.md. A dungeon in whole numbers, a hero who flees, hexagons with a river."""

import numpy as np

import fieldcraft as fc

dungeon = """
############
#.....#....#
#.###.#.##.#
#.#.....#..#
#...###....#
############
"""
walls = np.array([list(row) for row in dungeon.split()]) == "#"
space = fc.Grid(walls=walls, tiles=True, neighbors=8)
hero = (1, 1)
hunt = fc.distance_map(space, hero)
monsters = np.array([(10, 4), (9, 3), (10, 1)])
for _ in range(3):
    step = hunt.step(monsters, one_per_cell=True, onto_goals=False)
    monsters = step.positions.astype(int)
print(monsters.tolist(), hunt.sample(monsters).max())
away = fc.flee_map(fc.distance_map(space, monsters), strength=1.3)
next_tile = away.step(hero).positions
print(next_tile.tolist(), space.cell_at(next_tile))
door = space.cell_at((7, 3))
if fc.would_block(space, door, hero, starts=monsters):
    print("would cut somebody off")
else:
    space.set_walls(door)
    hunt.repair()
mud = np.where(np.arange(12) > 6, 2.0, 1.0) * np.ones(space.shape)
reach = fc.reach(space, hero, 5, cost=mud, charge="enter")
there = reach.path((3, 1))
print(len(reach.cells), reach.distances.max(), there.length, there.found)
seen = fc.visible(space, hero, radius=6, walls=True)
known = fc.LastSeen(space)
known.observe(seen)
known.advance(2.0)
print(known.sample((5, 1)), int(seen.sum()))

classes = np.zeros((6, 9), dtype=int)
classes[:, 5:] = 1
terrain = fc.Terrain(classes, [[True, True], [False, True]], ["plateau", "valley"])
ledge = fc.Grid(9, 6, terrain=terrain)
print(fc.shortest_path(ledge, (7.5, 2.5), (1.5, 2.5)).found)

hexes = fc.HexGrid(14, 10, orientation="flat", size=2.0)
cell = hexes.cell_at((6.0, 6.0))
q, r = hexes.to_axial(cell)
east = hexes.from_axial((q + 1, r))
hexes.graph.set_edges((cell, east))
around = fc.shortest_path(hexes, hexes.position_of(cell), hexes.position_of(east))
print(around.length / hexes.typical_step, hexes.steps_between(cell, east), hexes.to_offset(cell))
