"""Docs: control.md. Numbers fitted to recordings, and a crowd that follows a trail of traffic."""

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft import steering

ground = fc.generate_map("rooms", 40, 24, seed=4, neighbors=8)
rng = np.random.default_rng(7)
notes = fc.recordings.TimelineBuilder()
cells = np.flatnonzero(~ground.walls)
for second in range(20):
    x, y = ground.position_of(int(rng.choice(cells))).tolist()
    notes.add(second, f"guard {second % 4}", ("archers", "knights")[second % 2], (x, y))
seen = notes.build()
model = fc.fitting.LayerModel(
    fc.Spread(decay=0.1, pin=False), {"knights": "knight", "archers": "archer"}, half_life=30
)


def happened(where: NDArray[np.float64]) -> fc.fitting.Recorded:
    return fc.fitting.Recorded.events(ground, seen, np.repeat(np.arange(10, 20), 2), where)


lost = ground.position_of(rng.choice(cells, 20))
learned = fc.fit("fear * near", {"near": model}, happened(lost), {"fear": 1.0})
print({name: round(value, 2) for name, value in learned.parameters.items()}, learned.bits)
imap = fc.InfluenceMap(ground)
traffic = imap.add_layer("traffic", fc.Trail(vector=True, blur=1, keep=0.9))
workers = steering.PIBT(ground, look_ahead=4, traffic=traffic, weight=4.0)
places = rng.choice(cells, 20, replace=False)
goals = rng.choice(cells, 20)
for _ in range(3):
    places = workers.step(places, goals)
    imap.step()
crowd = steering.Crowd(ground, separation_radius=0.8)
flow = fc.flow_field(fc.distance_map(ground, ground.open_near((5.5, 5.5))))
positions = ground.position_of(places)
velocities = np.zeros_like(positions)
positions, velocities = crowd.step(positions, velocities, flow, 1 / 30, max_speed=4.5)
near = steering.Neighbors(positions, radius=1.0)
force = 8 * steering.follow_flow(positions, velocities, flow, max_speed=3.0)
force = force + 8 * steering.separation(near, strength=3.0)
velocities = steering.accelerate(velocities, force, dt=1 / 60, max_speed=3.0, max_force=30)
drawn = fc.view.frame(traffic, scale=16)
placement = fc.view.Placement(ground, scale=16)
fc.view.draw_arrows(drawn, placement, ground, traffic.vectors, threshold=0.05)
fc.view.save_png("traffic.png", drawn)
