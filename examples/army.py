"""A thousand units each frame, without a loop: what a bot does with the list its game hands it."""

import numpy as np

import fieldcraft as fc

rng = np.random.default_rng(5)
space = fc.generate_map("cave", 120, 80, seed=5)
imap = fc.InfluenceMap(space)
enemies = imap.add_layer("enemies", fc.Spread(decay=0.4, momentum=0.6))

ids = np.arange(1000)
positions = rng.random((1000, 2)) * space.size
health = rng.random(1000)

for _ in range(30):
    positions = np.clip(positions + rng.normal(0, 0.3, positions.shape), 0, np.array(space.size) - 1e-6)
    health -= rng.random(1000) * 0.03
    alive = health > 0
    enemies.sync(ids[alive], positions[alive], 10 * health[alive], on_wall="nearest")
    imap.advance(1 / 20)

scouts = rng.random((5, 2)) * space.size
for scout, danger in zip(scouts.round(1), enemies.sample(scouts), strict=True):
    print(f"danger at {scout}: {danger:.2f}")
print(f"{alive.sum()} of 1000 units left, {len(enemies.sources)} sources")
