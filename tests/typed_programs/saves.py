"""Docs: conventions.md. Time, resistance, saves, states and forecasts."""

from pathlib import Path

import numpy as np

import fieldcraft as fc

hall = fc.Grid(20, 10)
imap = fc.InfluenceMap(hall)
noise = imap.add_layer("noise", fc.Spread(decay=0.3, momentum=0.4), every=0.1)
noise.add_source((3, 4), strength=9.0)
door = np.zeros((10, 20))
door[4, 8] = np.log(4)
noise.resistance = door
answer = imap.advance(2.0)
print(answer.steps["noise"], answer.dropped["noise"], answer.is_late)
noise.resistance = None
curtain = hall.cell_at([(5.5, 0.5), (5.5, 1.5)])
hall.set_opaque(curtain)
hall.set_opaque(curtain, None)
before = imap.state()
imap.step(5)
imap.restore(before)
path = Path("world.fieldcraft")
imap.save(path)
again = fc.InfluenceMap.load(path)
again["noise"].sync(["one"], [(4.5, 4.5)], [3.0], outside="clamp", on_wall="nearest")
again["noise"].step()
later = again["noise"].at(1.0)
print(later.sample((3.5, 4.5)), again["noise"].values.dtype, again.space.shape)
for name, layer in again.layers.items():
    print(name, layer.values.max(), layer.lag)
copy = again["noise"].read(np.zeros((10, 20), dtype=np.float32))
report = again.advance(1 / 60, budget_ms=2.0)
try:
    noise.add_source((99.0, 4.0))
except fc.errors.OutsideMap as error:
    print(error)
except fc.FieldcraftError as error:
    print("another", error)
print(copy.sum(), report)
