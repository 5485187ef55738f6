"""Guards of your own: they see a thief, lose it, and search where it may be now.

python examples/guards.py                       # prints what happens
python examples/guards.py --picture guards.png  # and draws the flood at the end
"""

import argparse
import functools

import numpy as np

import fieldcraft as fc
from fieldcraft import steering
from fieldcraft_worlds.scene import Areas, Field, Marks, Scene
from fieldcraft_worlds.view.scene import draw_scene

DT = 0.1
space = fc.generate_map("rooms", 48, 32, seed=6, neighbors=8)
crowd = steering.Crowd(space, radius=0.3)
sight = fc.Sight(space, radius=12, angle=120, grace=0.5)


@functools.lru_cache(64)
def flow_to(cell):
    """Return the flow field to a cell; each is computed once."""
    return fc.flow_field(fc.distance_map(space, space.position_of(cell)))


# The thief, and three guards.
people = space.open_near([(12.5, 9.5), (5.5, 9.5), (40.5, 6.5), (24.5, 27.5)])
velocities, headings = np.zeros((4, 2)), np.array([(1.0, 0.0)] * 4)
hideout = space.open_near((44.5, 28.5))
contacts, hunt = sight.nobody(targets=1), None
posts = people[1:].copy()

parser = argparse.ArgumentParser()
parser.add_argument("--picture")
picture = parser.parse_args().picture

for step in range(400):
    contacts = sight.observe(
        contacts, people[1:], people[:1], DT, facing=headings[1:], velocities=velocities[:1]
    )
    if len(contacts.found):
        print(f"{step * DT:4.1f} s: {'in sight' if hunt is None else 'found again'}")
        if hunt is not None:
            break
    if len(contacts.lost):
        print(
            f"{step * DT:4.1f} s: lost near ({contacts.positions[0, 0]:.0f},"
            f" {contacts.positions[0, 1]:.0f})"
        )
        hunt = fc.Pursuit(space, contacts.positions[0], contacts.velocity_of(0), speed=5)

    if contacts.in_sight[0]:
        posts[:] = contacts.positions[0]
    elif hunt is not None:
        hunt.advance(DT)
        hunt.observe(sight.view(people[1:], facing=headings[1:]))
        if step % 10 == 0:
            posts = hunt.assign(people[1:])

    goals = [hideout, *posts]
    wish = np.array(
        [flow_to(space.cell_at(goal)).sample(at) for goal, at in zip(goals, people, strict=True)]
    ) * [[5.0], [3.5], [3.5], [3.5]]
    people, velocities = crowd.step(people, velocities, wish, DT, max_speed=5.0)
    speeds = np.hypot(*velocities.T)[:, np.newaxis]
    headings = np.where(speeds > 0.2, velocities / np.maximum(speeds, 0.2), headings)

if picture and hunt is not None:
    seen = Areas(sight.view(people[1:], facing=headings[1:]), ("warning",), opacity=0.2)
    marks = (
        Marks(people[1:], "disc", 0.9, "danger", headings[1:]),
        Marks(people[:1], "disc", 0.9, "goal", headings[:1]),
    )
    scene = Scene(
        space, field=Field(hunt.values, limits=(0, 1), colors="danger"), areas=(seen,), marks=marks
    )
    fc.view.save_png(picture, draw_scene(scene, (960, 640)))
