"""Docs: steering.md. Boids, a chase, a crowd on a flow field, workers that never jam."""

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft import steering

Vectors = NDArray[np.float64]
space = fc.generate_map("cave", 60, 40, seed=3, neighbors=8)
rng = np.random.default_rng(3)
flow = fc.flow_field(fc.distance_map(space, space.open_near((50.5, 30.5))))
positions = space.open_near(rng.uniform((2, 2), (58, 38), (40, 2)))
velocities = np.zeros((40, 2))


def forces(positions: Vectors, velocities: Vectors) -> Vectors:
    near = steering.Neighbors(positions, radius=1.0)
    force = 8 * steering.follow_flow(positions, velocities, flow, max_speed=3.0)
    force += 8 * steering.separation(near, strength=3.0)
    force += steering.alignment(near, velocities) + steering.cohesion(near, velocities, 3.0)
    force += 4 * steering.avoid_walls(space, positions, velocities, ahead=1.5)
    return force


for _ in range(10):
    force = forces(positions, velocities)
    velocities = steering.accelerate(velocities, force, dt=1 / 60, max_speed=3.0, max_force=30)
    positions = steering.move(space, positions, velocities / 60, radius=0.3)
field = fc.Grid(60, 40)
wolf, hare = np.array([4.0, 20.0]), np.array([14.0, 20.0])
wolf_velocity, hare_velocity = np.zeros(2), np.array([0.0, 2.0])
chase = 4 * steering.pursue(wolf, wolf_velocity, hare, hare_velocity, max_speed=6.0, horizon=2.0)
wolf_velocity = steering.accelerate(wolf_velocity, chase, dt=1 / 60, max_speed=6.0)
wolf = steering.move(field, wolf, wolf_velocity / 60)
print(np.linalg.norm(wolf - hare), steering.Neighbors(positions, radius=2.0).counts().max())
crowd = steering.Crowd(space, radius=0.3, separation_radius=1.0, ahead=1.5)
for _ in range(10):
    positions, velocities = crowd.step(positions, velocities, flow, 1 / 60, max_speed=3.0)
    wanted = steering.arrive(positions, velocities, (30.5, 20.5), max_speed=2.0, slowing=3.0)
    positions, velocities = crowd.step(positions, velocities, wanted, 1 / 60, max_speed=2.0)

floor = fc.Grid(30, 20)
imap = fc.InfluenceMap(floor)
traffic = imap.add_layer("traffic", fc.Trail(vector=True, blur=1, keep=0.9))
workers = steering.PIBT(floor, look_ahead=5, traffic=traffic, weight=4.0, seed=2)
cells = rng.choice(600, 50, replace=False)
goals = rng.choice(600, 50, replace=False)
pinned = np.zeros(50, dtype=bool)
pinned[0] = True
for _ in range(5):
    cells = workers.step(cells, goals, pinned=pinned)
    imap.step()
    done = cells == goals
    goals[done] = rng.choice(600, int(done.sum()))
lanes = fc.distance_map(floor, (2.5, 2.5), traffic=traffic, weight=4.0)
traffic.deposit([(5.5, 8.5)], [(0.3, 0.0)])
lanes.repair()
print(traffic.vectors.shape, fc.flow_field(lanes).sample((9.5, 9.5)))
drawn = fc.view.frame(traffic, scale=8)
place = fc.view.Placement(floor, scale=8)
fc.view.draw_arrows(drawn, place, floor, traffic.vectors, threshold=0.05)
fc.view.draw_dots(drawn, place, floor.position_of(cells), color="#4aa8ff", width=5)
