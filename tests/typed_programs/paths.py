"""Docs: paths.md. Paths, repaired distance maps, flow fields, danger that changes."""

import numpy as np

import fieldcraft as fc

cave = fc.generate_map("cave", 80, 50, seed=11, neighbors=8)
exits = cave.open_near([(70.5, 40.5), (8.5, 8.5)])
way_out = fc.distance_map(cave, exits)
here = cave.open_near((40.5, 25.5))
path = way_out.descend(here)
tower = int(path.cells[len(path) // 2])
seen = way_out.version
cave.set_walls(tower)
changed = way_out.repair()
again = way_out.changed_since(seen)
if again is not None and changed is not None:
    print(len(again), len(changed))
agents = cave.open_near(np.random.default_rng(3).random((20, 2)) * (80, 50))
for each in fc.shortest_paths(cave, agents, exits[0]):
    if each.found:
        print(each.length, each.at(3.0))
safety = fc.flee_map(fc.distance_map(cave, here), strength=1.5)
escape = safety.descend(cave.open_near((44.5, 25.5)))
flow = fc.flow_field(fc.distance_map(cave, exits))
crowd = agents
for _ in range(10):
    crowd = crowd + 0.4 * flow.sample(crowd)
street = fc.Grid(15, 7)
patrol = fc.InfluenceMap(street).add_layer("patrol", fc.Radial(2.5))
patrol.add_source((1.5, 3.5), 50.0).move((1.5, 3.5), velocity=(2.0, 0.0), outside="clamp")
careful = fc.shortest_path(street, (7.5, 0.5), (7.5, 6.5), danger=patrol, speed=1.0)
print(careful.times[-1], careful.damage, patrol.at(2.0).sample((7.5, 3.5)), escape.cost)
print(fc.would_block(cave, tower, way_out), fc.reach(street, (2.5, 2.5), 3).cells.tolist())
step = way_out.step(agents, one_per_cell=True, onto_goals=False)
print(step.positions.shape, step.cells)
race = fc.query.first_arrival(street, [(7.5, 6.5)], [(2.5, 4.5)], our_speed=1.5)
print(race.safe.sum(), fc.query.watchers(cave, agents, 8.0).max())
