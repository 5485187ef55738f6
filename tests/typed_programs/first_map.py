"""Docs: first_map.md. A unit asks for the safest place and walks there."""

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc

walls = np.zeros((12, 20), dtype=bool)
walls[3, 4:12] = True
walls[3:9, 14] = True
grid = fc.Grid(walls=walls, neighbors=8)
imap = fc.InfluenceMap(grid)
threat = imap.add_layer("threat", fc.Spread(decay=0.3, momentum=0.4), every=1 / 30)
names = ["gruk", "snaga", "mog"]


def orcs_at(seconds: float) -> NDArray[np.float64]:
    angle = 0.5 * seconds
    return np.array([(6 + np.cos(angle), 6.5), (15.5, 2.5), (3.5, 1.5 + np.sin(angle) ** 2)])


me = np.array([9.5, 9.5])
safest = fc.best(-threat, me, radius=8)
for frame in range(30):
    imap["threat"].sync(names, orcs_at(frame / 60), [8.0, 8.0, 8.0])
    report = imap.advance(1 / 60)
    if report.is_late:
        print(report.dropped["threat"])
    safest = fc.best(-threat, me, radius=8, walk=8)
    if safest:
        me = fc.steering.move(grid, me, (safest.position - me) / 60, radius=0.3)
print(threat.sample(me), safest.value)
exits = fc.distance_map(grid, (19.5, 11.5), cost=1 + 2 * threat)
path = exits.descend(me)
print(path.length, [round(float(x), 1) for x in path.positions[:, 0]])
picture = fc.view.picture(threat, title="Threat", size=800, limits=(0, 8))
fc.view.save_png("threat.png", picture)
