"""Docs: lab.md, recipes.md and public.md. A session, its orders, and a watched map."""

import numpy as np

import fieldcraft as fc
from fieldcraft.commands import recipe
from fieldcraft_lab import orders

imap = fc.InfluenceMap(fc.generate_map("rooms", 60, 40, seed=7))
threat = imap.add_layer("threat", fc.Spread(decay=0.15, momentum=0.4), every=0.05)
threat.add_source((10.5, 12.5), strength=8.0, on_wall="nearest")
session = fc.lab.Session(imap)
session.step(20)
session.apply(orders.Tune("threat", "decay", 0.5))
session.step(20)
after = session.digest()
session.seek(10)
session.seek(40)
assert session.digest() == after
session.save("session.lab")
print(fc.lab.Session.load("session.lab").digest() == after)
print(recipe.__all__[:3], np.isfinite(threat.values).all())
