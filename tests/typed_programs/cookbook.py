"""Docs: cookbook.md. A guard, a tower, an ambush, a hound, a patrol, bottlenecks."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

import fieldcraft as fc
from fieldcraft.layers import Operand

space = fc.generate_map("rooms", 48, 30, seed=11, neighbors=8)
rng = np.random.default_rng(3)
open_cells = np.flatnonzero(~space.walls.ravel())


def near(x: float, y: float) -> NDArray[np.float64]:
    return space.open_near((x, y))


def show(
    name: str,
    layer: Operand,
    dots: Sequence[tuple[str, ArrayLike]] = (),
    paths: Sequence[fc.Path | NDArray[np.float64]] = (),
) -> None:
    frame = fc.view.frame(layer, scale=8)
    place = fc.view.Placement(space, scale=8)
    fc.view.draw_lines(frame, place, paths, width=2)
    for color, where in dots:
        fc.view.draw_dots(frame, place, where, color=color, width=9)
    fc.view.save_png(f"{name}.png", frame)


thief, leave, guard = near(4, 26), near(44, 3), near(30, 24)
way = fc.shortest_path(space, thief, leave)
by_thief, by_guard = fc.distance_map(space, thief), fc.distance_map(space, guard)
sooner = by_guard.sample(way.positions) < by_thief.sample(way.positions)
meet = way.positions[np.argmax(sooner)] if sooner.any() else leave
cut = fc.shortest_path(space, guard, meet)
both = fc.minimum(by_thief, 60) - fc.minimum(by_guard, 60)
show("cut_off", both, [("#e0352b", thief), ("#4fb3ff", guard)], [way, cut])
imap = fc.InfluenceMap(space)
seen = fc.query.watchers(space, space.positions[open_cells[::9]], 14.0)
views = imap.add_layer("views", values=seen.astype(np.float32))
posts = fc.peaks(views, 4, spacing=8)
show("post", views, [("#c8f7b0", posts.positions)])
trodden = imap.add_layer("trodden", fc.Radial(6, "constant", metric="sight"))
trodden.add_sources(way.positions, 1.0)
ring = imap.add_layer("ring", fc.Radial(9, fc.Ring(inner=0.6), metric="sight"))
ring.add_source(near(20, 12), 5.0)
imap.step()
hidden = imap.add_layer("hidden", values=((seen == 0) & ~space.walls).astype(np.float32))
lair = fc.best(hidden - by_guard / 40, guard, 12, where=hidden > 0)
worst = fc.query.worst(trodden, guard, 12)
print(lair.position, worst.value, fc.query.along(trodden, way).sum)
scent = imap.add_layer("scent", fc.Trail(keep=0.97, blur=1))
for place in way.positions[:20]:
    scent.deposit(place, 1.0)
    imap.step()
hound = [way.positions[2]]
for _ in range(10):
    hound.append(space.position_of(fc.query.uphill(scent, hound[-1]).cells))
rounds = fc.LastSeen(space)
rounds.observe(fc.visible(space, guard, 6.0))
rounds.advance(1.0)
goal = fc.best(rounds - 0.5 * fc.minimum(by_guard, 99), guard, 60).positions
starts, goals = (space.position_of(rng.choice(open_cells, 20)) for _ in range(2))
passed = np.zeros(len(space), dtype=np.float32)
for each in fc.shortest_paths(space, starts, goals):
    passed[space.cell_at(each.positions)] += 1
runners = np.array([near(6, 6), near(26, 26)])
first = np.argmin([fc.distance_map(space, each).values for each in runners], axis=0)
told = fc.explain(trodden, way.positions[0])
print(told, first.shape, passed.max(), np.array(hound).shape, goal)
print(fc.formula("clamp(trodden, 0, 4) * 2", imap.layers).sample(guard))
