"""Docs: bots.md. Damage next turn, choke points, a planet, wind, large units, eased maps."""

import numpy as np

import fieldcraft as fc

level = fc.generate_map("rooms", 40, 24, seed=5, neighbors=8)
me = level.open_near((20.5, 12.5))
foes = level.open_near([(5.5, 5.5), (30.5, 18.5)])
damage = fc.query.damage_next_turn(level, foes, [3, 2], moves=[4, 3], ranges=[1, 5], sight=True)
goal = fc.distance_map(level, level.open_near((35.5, 3.5)))
safe = fc.best(-damage.total - 0.01 * goal, me, radius=9, walk=6)
print(damage.total.sample(me), damage.most.sample(safe.position))
found = fc.query.choke_points(level, narrowing=0.7)
narrow = [point for point in found.points if point.width <= 2]
for point in narrow[:2]:
    print(point.position, point.areas, point.width)
gate = level.with_walls(level.walls)
if found.points:
    gate.set_walls(found.points[0].cells)
print(int(found.areas.max()))

names = [f"unit {number}" for number in range(3)]
units = level.open_near([(10.5, 10.5), (12.5, 10.5), (30.5, 6.5)])
imap = fc.InfluenceMap(level)
allies = imap.add_layer("allies", fc.Radial(6, "linear", metric="path"))
allies.sync(names, units, on_wall="nearest")
imap.step()
moves = fc.best(allies, units, radius=4, walk=5, without=names)
rng = np.random.default_rng(7)
post = fc.best(allies, me, radius=14, within=0.2, rng=rng)
print(moves.positions.shape, post.value, moves.cells.tolist())
paths = fc.shortest_paths(level, me, foes, unreachable="nearest")
print([path.partial for path in paths], [path.length for path in paths])
wide = fc.shortest_path(level, me, foes[0], size=2)
room = fc.question.Clearance(level)
same = fc.shortest_path(level, me, foes[0], cost=fc.where(room >= 2, 1.0, np.inf))
print(len(wide.cells) == len(same.cells))

planet = fc.Grid(44, 18, neighbors=8, wrap="x")
world = fc.InfluenceMap(planet)
smoke = world.add_layer("smoke", fc.Diffuse(rate=0.2, half_life=8, edges="lose", drift=(4.0, 0.8)))
chimney = smoke.add_source((40.5, 5.5), 1.0)
towers = world.add_layer("towers", fc.Radial(8, "parabolic"), every=0.05)
shown = world.add(fc.compose.Eased(towers, half_life=0.4))
towers.add_source((7.5, 10.5))
report = world.advance(2.0, max_steps=100)
print(report.steps["smoke"], shown.sample((7.5, 10.5)), smoke.sample((2.5, 6.5)))
chimney.remove()
