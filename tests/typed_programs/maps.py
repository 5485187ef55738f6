"""Docs: maps.md. Maps of arrays, seeds and files; all layers of one of them saved."""

from pathlib import Path

import numpy as np

import fieldcraft as fc

tiles = np.array([[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0]])
space = fc.Grid(walls=tiles == 1, cell_size=32, neighbors=8, y_up=True, origin=(-64, 0))
print(space.shape, space.cell_size, space.walls.sum(), space.extent)
knight = fc.Grid(8, 8, neighbors=[(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1)])
print(fc.shortest_path(knight, (0.5, 0.5), (7.5, 7.5)).found)
maze = fc.generate_map("maze", 41, 31, seed=7, algorithm="growing", loops=0.3)
kinds = ("rooms", "cave", "open", "pillars", "maze")
made = [fc.generate_map(kind, 30, 20, seed=3) for kind in ("rooms", "cave", "maze")]
drawn = [fc.view.frame(np.zeros(each.shape), space=each, scale=5) for each in made]
fc.view.save_png("maps.png", fc.view.page(drawn, kinds[:3], columns=3))
Path("tiny.map").write_text("type octile\nheight 3\nwidth 5\nmap\n.....\n.@@@.\n..WW.\n")
ground: fc.Grid = fc.load_map("tiny.map", neighbors=8)
boat = fc.load_map("tiny.map", mobility="water")
print(ground.walls.sum(), len(boat))
Path("yard.json").write_text("""{
    "vertices": [[0, 0], [3, 4], [6, 0]],
    "edges": [[0, 1], [1, 2, 7.5]],
    "names": ["gate", "well", "shed"]
}""")
yard: fc.Graph = fc.load_map("yard.json")
assert yard.labels is not None
shed = yard.labels.index("shed")
print(yard.lengths.tolist(), yard.positions[shed].tolist())
try:
    fc.load_map("tiny.map", mobility="trees")
except fc.errors.FieldcraftError as error:
    print(error)
imap = fc.InfluenceMap(ground)
imap.add_layer("height", values=np.zeros(ground.shape))
noise = imap.add_layer("noise", fc.Spread(decay=0.1, momentum=1.0), cell_size=1, walls=False)
noise.add_source((0.5, 0.5), 4.0)
imap.step(3)
imap.save("world.fieldcraft")
again = fc.InfluenceMap.load("world.fieldcraft")
print(sorted(again.layers), again["noise"].values.max(), np.asarray(noise).dtype)
