"""Docs: pheromones.md. Ants with two trails, a flock, and stamps."""

import numpy as np

import fieldcraft as fc
from fieldcraft.steering import Deposit, Forage, Swarm, Walk

field = fc.generate_map("open", 60, 40, seed=3, neighbors=8)
nest, pile = field.open_near([(12.5, 20.5), (45.5, 15.5)])
centers = field.position_of(np.arange(len(field))).reshape(*field.shape, 2)
near_nest = np.hypot(centers[..., 0] - nest[0], centers[..., 1] - nest[1]) < 4
near_pile = np.hypot(centers[..., 0] - pile[0], centers[..., 1] - pile[1]) < 4
habits = Walk(speed=8, wander=15, turn=40, angle=45, distance=6, follow=1.0, avoid=1.0)
colony = fc.InfluenceMap(field)
home = colony.add_layer("home", fc.Trail(keep=0.985))
food = colony.add_layer("food", fc.Trail(keep=0.985))
store = Forage(field, np.where(near_pile & ~field.walls, 1000, 0), near_nest)
ants = Swarm.at(field, np.repeat([nest], 100, axis=0), seed=1)
scent = 2.0 ** (-np.arange(200) / 20)
for _ in range(20):
    deposits = [Deposit(home, scent, role=0), Deposit(food, scent, role=1)]
    ants.run(habits, 0.1, trail=[food, home], deposits=deposits, forage=store)
print(store.brought, ants.positions.shape, ants.headings.mean(axis=0))
board = colony.add_layer("board", values=np.zeros(field.shape))
board.stamp(fc.Stamp.cone(9.0, angle=70, falloff="linear"), [(10.5, 8.0)], 5.0, rotations=[90])
board.stamp(fc.Stamp.disc(6) - 2 * fc.Stamp.disc(2), (24.0, 16.0), blend="max")
currents = colony.add_layer("currents", fc.Trail(keep=0.98, vector=True))
currents.deposit([(20.5, 20.5), (24.5, 21.5)], (-0.8, 0.6), on_wall="nearest")
colony.step(4)
print(currents.vectors.shape, currents.values.max())
drawn = fc.view.frame(food, scale=10, limits=(0, 20))
fc.view.draw_dots(
    drawn, fc.view.Placement(field, scale=10), ants.positions, color="#ffffff", width=3
)
fc.view.save_png("ants.png", drawn)
