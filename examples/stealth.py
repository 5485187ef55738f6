"""Three guards and a thief: guards patrol rooms that nobody has checked, hear noise through doors,
see, lose and search.

    python examples/stealth.py                        # prints what happens
    python examples/stealth.py --picture stealth.png  # and draws the noise, the checked rooms, and
                                                      # where the thief may be

Sound is a distance with a cost for doors and walls, a patrol goes where nobody has looked for
longest, a search follows a belief.
"""

import argparse
import functools

import numpy as np

import fieldcraft as fc
from fieldcraft import steering

parser = argparse.ArgumentParser()
parser.add_argument("--picture")
picture = parser.parse_args().picture

DT = 0.1
space = fc.generate_map("rooms", 56, 36, seed=8, neighbors=8)
crowd = steering.Crowd(space, radius=0.3)
sight = fc.Sight(space, radius=11, angle=120, grace=0.4)
checked, thief_may_be = fc.LastSeen(space), fc.Belief(space, speed=3.0)
rng = np.random.default_rng(8)
people = space.positions[
    rng.choice(np.flatnonzero(~space.walls), 4, replace=False)
]  # the thief, and three guards
velocity, heading = np.zeros((4, 2)), np.tile((1.0, 0.0), (4, 1))

# Sound goes through the air: a wall swallows 12 times as much as free air. What is left at the ear
# is exp(-0.12 * what it passed).
air, muffle = space.with_walls(None), np.where(space.walls, 12.0, 1.0)


@functools.lru_cache(64)
def flow_to(cell):
    """The flow field to a cell, made when it is first asked for."""
    return fc.flow_field(fc.distance_map(space, space.position_of(cell)))


def loudness(at, strength):
    """How loud a noise at a position is, everywhere."""
    return strength * np.exp(-0.12 * fc.distance_map(air, at, cost=muffle, limit=60).values)


contacts, hunting, noise = sight.nobody(targets=1), False, None
goals = people.copy()
for step in range(600):
    contacts = sight.observe(
        contacts, people[1:], people[:1], DT, facing=heading[1:], velocities=velocity[:1]
    )
    view = sight.view(people[1:], facing=heading[1:])
    checked.advance(DT)
    checked.observe(view)
    thief_may_be.advance(DT)
    thief_may_be.observe(view)
    if len(contacts.found):
        print(f"{step * DT:4.1f} s: {'found again' if hunting else 'seen'}")
        hunting = True
    if contacts.in_sight[0]:
        thief_may_be.see(contacts.positions[0])
    if len(contacts.lost):
        print(f"{step * DT:4.1f} s: lost from sight")
    if step == 100:  # the thief breaks a pane
        noise = loudness(people[0], 5.0)
        heard = noise.reshape(-1)[space.cell_at(people[1:])]
        print(
            f"{step * DT:4.1f} s: glass breaks; the guards hear"
            f" {', '.join(f'{h:.2f}' for h in heard)}"
        )
        if heard.max() > 0.2:
            thief_may_be.report(people[0], radius=8)
            hunting = True
    if step % 10 == 0:
        goals[1:] = (thief_may_be if hunting else checked).assign(people[1:])
        danger = fc.distance_map(space, people[1:])
        goals[0] = fc.best(
            danger, people[0], radius=15, walk=20
        ).positions  # as far from the guards as a short walk leads
    if contacts.in_sight[0]:
        goals[1:] = contacts.positions[0]
    if (np.hypot(*(people[1:] - people[0]).T) < 1).any():
        print(f"{step * DT:4.1f} s: caught")
        break
    wish = [
        speed * flow_to(space.cell_at(goal)).sample(at)
        for goal, at, speed in zip(goals, people, (2.6, 3.4, 3.4, 3.4), strict=True)
    ]
    people, velocity = crowd.step(people, velocity, np.array(wish), DT, max_speed=3.5)
    fast = np.hypot(*velocity.T)[:, np.newaxis]
    heading = np.where(fast > 0.2, velocity / np.maximum(fast, 0.2), heading)

else:
    print(
        f"{step * DT:4.1f} s: the guards think of {np.round(thief_may_be.estimate())}, the thief is"
        f" at {np.round(people[0])}"
    )

if picture:
    maps = {
        "noise": noise,
        "seconds since checked": checked,
        "where the thief may be": thief_may_be,
    }
    frames = [fc.view.frame(shown, space=space, scale=12) for shown in maps.values()]
    for frame in frames:
        fc.view.draw_dots(
            frame, fc.view.Placement(space, scale=12), people[1:], color="#ff5a4e", width=10
        )
        fc.view.draw_dots(
            frame, fc.view.Placement(space, scale=12), people[0], color="#ffffff", width=10
        )
    fc.view.save_png(picture, fc.view.page(frames, list(maps), columns=2))
