"""Docs: coming_from.md. NetLogo's slime, IMAP's working map, Unreal's queries."""

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc

dice = np.random.default_rng(5)
space = fc.Grid(81, 51, neighbors=8, wrap=True)
world = fc.InfluenceMap(space)
chemical = world.add_layer("chemical", fc.Diffuse(rate=1.0, keep=0.9))
turtles: NDArray[np.float64] = space.position_of(dice.choice(len(space), 40, replace=False))
for _ in range(20):
    smelled = fc.sample(chemical, turtles)
    climb = fc.query.uphill(chemical, turtles).positions
    stray = space.wrapped(turtles + dice.integers(-1, 2, turtles.shape))
    turtles = np.where((smelled > 2)[:, np.newaxis], climb, stray)
    chemical.deposit(turtles, 2.0)
    world.step()
ahead = chemical.sample(turtles + np.array([1.0, 0.0]), outside="clamp")
print(ahead.mean(), fc.best(chemical, turtles, 5).positions.shape)

imap = fc.InfluenceMap(fc.Grid(30, 20, cell_size=2.0))
proximity = imap.add_layer("proximity", fc.Radial(8.0, falloff="linear"))
curve = imap.add_layer("curve", fc.Radial(8.0, falloff=[1.0, 0.5, 0.0]))
army = ["tank", "scout"]
places = np.array([(10.0, 10.0), (30.0, 20.0)])
proximity.sync(army, places, [2.0, 1.0])
curve.sync(army, places)
imap.advance(1 / 10, budget_work=100_000)
interest = proximity.normalize() * curve + 0.5 * (1 - proximity.curve("smoothstep", 0, 4))
own = fc.window(interest, places, 6.0, without=army)
spot = fc.best(interest, places[0], 12.0, walk=20.0, without="tank")
stops = fc.best(interest, places[1], 12.0, count=5, spacing=2.0)
reserved = fc.query.Reservations(imap.space)
mine = reserved.best(interest, places, 12.0, agents=army)
print(own.values.shape, spot.value, stops.values.max(), mine.cells.tolist())
texture = fc.view.frame(interest)
print(texture.dtype, texture.shape, fc.explain(proximity, (10.0, 10.0)))
query = fc.Question.read(
    "hide.toml",
    text="""
[hide]
generate = { reach = 10 }
score = [{ distance = "me", curve = ["linear", 10, 0] }]
""",
)["hide"]
told = query.ask(imap, me=places[0])
if told:
    print(told.position, told.explain())
