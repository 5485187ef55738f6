"""A tower defence: 500 creeps walk from two gates to a castle while towers rise in their way
without ever blocking it.

    python examples/tower_defence.py                              # prints the towers and arrivals
    python examples/tower_defence.py --picture tower_defence.png  # and draws the field

One distance map to the castle is repaired where a tower rises; `would_block` checks before; one
flow field leads all creeps.
"""

import argparse

import numpy as np

import fieldcraft as fc
from fieldcraft import steering

parser = argparse.ArgumentParser()
parser.add_argument("--picture")
picture = parser.parse_args().picture

space = fc.Grid(64, 40, neighbors=8)
castle, gates = (60.5, 20.5), np.array([(2.5, 6.5), (2.5, 33.5)])
ways = fc.distance_map(space, castle)
flow = fc.flow_field(ways)
crowd = steering.Crowd(space, radius=0.3)
imap = fc.InfluenceMap(space)
fire = imap.add_layer(
    "fire", fc.Radial(7, metric="straight")
)  # towers stand on what they block: straight, over walls

rng = np.random.default_rng(2)
creeps, velocities = np.empty((0, 2)), np.empty((0, 2))
built = refused = arrived = 0
for frame in range(600):
    if frame < 500:  # a creep a frame, from either gate
        creeps = np.vstack([creeps, gates[frame % 2] + rng.uniform(-0.4, 0.4, 2)])
        velocities = np.vstack([velocities, np.zeros((1, 2))])
    if frame % 6 == 0:
        corner = rng.integers((8, 1), (54, 37))
        tower = space.cell_at(corner + np.array([(0.5, 0.5), (1.5, 0.5), (0.5, 1.5), (1.5, 1.5)]))
        if space.walls.flat[tower].any() or fc.would_block(
            space, tower, ways, starts=np.vstack([gates, creeps])
        ):
            refused += 1
        else:
            space.set_walls(tower)
            ways.repair(tower)
            fire.add_source(corner + 1.0, strength=1.0, on_wall="through")
            built += 1
    creeps, velocities = crowd.step(
        creeps, velocities, 3.0 * flow.sample(creeps), 1 / 15, max_speed=3.0
    )
    home = np.hypot(*(creeps - castle).T) < 1.5
    arrived += home.sum()
    creeps, velocities = creeps[~home], velocities[~home]

imap.step()
print(
    f"{built} towers stand, {refused} were refused, {arrived} creeps arrived and {len(creeps)} are"
    " on their way"
)
if picture:
    frame = fc.view.frame(fire, scale=16, sources=False)
    place = fc.view.Placement(space, scale=16)
    fc.view.draw_lines(frame, place, [ways.descend(gate) for gate in gates], color="#ffffff")
    fc.view.draw_dots(frame, place, creeps, color="#7dff6a", width=8)
    fc.view.save_png(picture, frame)
