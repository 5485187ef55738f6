"""Docs: pursuit.md. A lost target, a flood, a belief, a search party and a patrol."""

import numpy as np

import fieldcraft as fc

town = fc.generate_map("cave", 80, 50, seed=11, neighbors=8)
sight = fc.Sight(town, radius=12, angle=120, grace=0.3)
contacts = sight.nobody(targets=1)
guards = town.open_near([(12.5, 36.5), (40.5, 36.5)])
headings = np.array([[1.0, 0.0], [0.0, -1.0]])
corner = town.open_near((40.5, 25.5))
hunt = fc.Pursuit(town, last_seen=corner, velocity=(3.0, 0.0))
for step in range(20):
    thief = town.open_near((20.5 + 0.1 * step, 36.5))
    contacts = sight.observe(contacts, guards, [thief], 1 / 30, facing=headings)
    for target in contacts.lost:
        hunt = fc.Pursuit(town, contacts.positions[target], contacts.velocity_of(target))
hunt.advance(4.0)
hunt.observe(fc.visible(town, guards, 9))
places = hunt.assign(guards, spacing=6)
print(hunt.estimate("medoid"), places, hunt.stopped, hunt.values.max())
belief = fc.Belief(
    town,
    speed=3.0,
    motion={
        "runs": (0.5, fc.pursuit.motion.Run()),
        "hides": (0.3, fc.pursuit.motion.Hide(sight=9)),
        "stands": (0.2, fc.pursuit.motion.Stand()),
    },
)
belief.see(corner, velocity=(3.0, 0.0))
belief.advance(1.0)
if not belief.observe(fc.visible(town, corner, 9)):
    print("it starts again")
belief.report((60, 30), radius=8, certainty=0.7)
for name, weight in belief.hypotheses().items():
    print(name, round(weight, 2))
print(belief.probability(hypothesis="hides").sum(), belief.estimate("peak"))
party = fc.SearchParty(town, speed=3.0, sight=9.0, motion=fc.Motion(runs=0.5, hides=0.3))
party.lost(corner, (3.0, 0.0))
party.advance(0.5)
party.observe(fc.visible(town, guards, 9.0))
goals = party.places(guards, np.random.default_rng(1))
patrol = fc.LastSeen(town, unseen=60)
imap = fc.InfluenceMap(town)
imap.add(patrol)
imap.advance(0.5)
patrol.observe(fc.visible(town, corner, 12))
print(goals.shape, fc.best(patrol, corner, radius=25, walk=40).position)
