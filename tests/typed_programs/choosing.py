"""Docs: choosing.md. Curves, questions from text, reservations and windows."""

import numpy as np

import fieldcraft as fc

space = fc.generate_map("pillars", 40, 26, seed=3, neighbors=8)
imap = fc.InfluenceMap(space)
near = imap.add_layer("near", fc.Radial(7, "linear", metric="path"))
aim = imap.add_layer("aim", fc.Radial(12, "linear", metric="sight"))
cone = imap.add_layer("cone", values=np.zeros(space.shape))
player = space.open_near((20.5, 12.5))
markers = [layer.add_source(player) for layer in (near, aim)]
imap.step()
cone.write(fc.visible(space, player, 12, facing=(-1.0, 0.0), angle=110))
threat = aim * cone
flag = fc.distance_map(space, space.open_near((30.5, 5.5)))
close = flag.curve("linear", 25, 0)
score = fc.where(threat > 0.5, 0.0, close * threat.curve("power", 1, 0, 2))
either = fc.maximum(close, score.smooth())
brave = fc.compose.lerp(score, close, 0.5)
here = space.open_near((10.5, 6.5))
spot = fc.best(brave, here, radius=12, where=threat < 0.1, none="stay")
posts = fc.pick(
    either, here, radius=12, rng=np.random.default_rng(5), above=0.1, count=3, spacing=4
)
text = """
[cover]
generate = { reach = 14 }
require = [{ hidden_from = "enemies" }]
score = [{ distance = "me", curve = ["linear", 14, 0] }]
"""
questions = fc.Question.read("enemies.toml", text=text)
answer = questions["cover"].ask(imap, me=here, enemies=[player])
if answer:
    print(answer.position, answer.explain())
slow = questions["cover"].start(imap, me=here, enemies=[player])
while not slow.advance(microseconds=150):
    pass
taken = fc.query.Reservations(space, spacing=2.0)
for name in ("ann", "bob"):
    print(name, taken.best(score, here, 12, agents=name).positions)
taken.release("ann")
goal = fc.window(close, here, 10)
planes = fc.observe([close, threat], here, window=21)
print(goal.values.shape, goal.inside.sum(), planes.shape, spot.position, posts.positions)
allies = imap.add_layer("allies", fc.Radial(6))
allies.sync(["ann", "bob"], [here, player], [1.0, 1.0])
imap.step()
print(allies.without("ann").sample(here))
for marker in markers:
    marker.remove()
