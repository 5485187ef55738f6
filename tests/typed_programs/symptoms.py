"""Docs: symptoms.md, what_a_step_does.md and shipping.md. Metrics, own influence, forecasts."""

import logging
from typing import Literal

import numpy as np

import fieldcraft as fc

logging.getLogger("fieldcraft").setLevel(logging.ERROR)
Metric = Literal["straight", "connected", "path", "sight"]
METRICS: list[Metric] = ["straight", "connected", "path", "sight"]


def prepared(done: int, total: int) -> None:
    if done == total:
        print("ready")


loading = fc.warm_up(background=True, progress=prepared)
loading.join()
walls = np.zeros((5, 9), dtype=bool)
walls[:, 4] = True


def passes(metric: Metric) -> bool:
    imap = fc.InfluenceMap(fc.Grid(walls=walls))
    light = imap.add_layer("light", fc.Radial(4.0, metric=metric))
    light.add_source((2.5, 2.5))
    imap.step()
    return bool(light.values[:, 5:].any())


print({metric: passes(metric) for metric in METRICS})
imap = fc.InfluenceMap(fc.Grid(9, 5))
crowded = imap.add_layer("crowded", fc.Radial(3.0))
unit = crowded.add_source((4.5, 2.5))
imap.step()
with_itself, without_itself = 1 - crowded, 1 - crowded.without(unit)
print(with_itself.sample((4.5, 2.5)), without_itself.sample((4.5, 2.5)))
threat = imap.add_layer("threat", fc.Spread(decay=0.3, half_life=2.0, floor=0))
orc = threat.add_source((3.5, 2.5), strength=8.0)
threat.settle()
threat.tune(decay=0.4)
orc.remove()
print(threat.propagation, imap.advance(0.5), imap.advance(0.5, max_steps=60).steps)
values = fc.propagation.influence_at([(2.5, 2.5), (3.5, 2.5)], [(4.5, 2.5)], 3.0, 6.0)
forbidden = np.where(threat.values > 5, np.inf, 1)
path = fc.shortest_path(imap.space, (0.5, 2.5), (8.5, 2.5), cost=forbidden)
print(values.shape, path.found, float(threat.sample(path.positions).max()))
cheap = fc.distance_map(imap.space, (8.5, 2.5), cost=1 + 0.5 * threat + crowded**2)
print(cheap.step((0.5, 2.5)).positions, np.isfinite(cheap.values).all())
for name, layer in imap.layers.items():
    print(name, layer.values.mean(), layer.every, len(fc.regions(layer, 0.5)))
