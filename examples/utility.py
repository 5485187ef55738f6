"""Where to stand? Three wishes as maps with curves, multiplied: near the flag, under cover, in
range of an enemy but not too near.

    python examples/utility.py                        # prints the five best places
    python examples/utility.py --picture utility.png  # and draws the three wishes and their product

A wish is an expression of maps and a curve. It is live: when an enemy moves, the answer changes.
"""

import argparse

import fieldcraft as fc

parser = argparse.ArgumentParser()
parser.add_argument("--picture")
picture = parser.parse_args().picture

space = fc.generate_map("pillars", 60, 40, seed=3, neighbors=8)
imap = fc.InfluenceMap(space)
fire = imap.add_layer("fire", fc.Radial(18, falloff="linear", metric="sight"))
fire.sync(["sniper", "gunner"], [(36.5, 14.5), (26.5, 27.5)], [1.0, 0.7], on_wall="nearest")
imap.step()

flag = fc.distance_map(space, (30.5, 20.5))
looked_at = fc.LastSeen(space)
looked_at.advance(60)
looked_at.observe(fc.visible(space, (12.5, 12.5), radius=15))

near = flag.curve("linear", 25, 0)  # 1 at the flag, 0 from 25 steps on, and where no way leads
safe = fire.curve("power", 1, 0, 2)  # 1 out of fire, falling faster and faster
unknown = looked_at.curve("linear", 0, 60)  # 1 where nobody has looked for a minute

# An "infinite axis": each wish is a veto, and three wishes are not punished for being three.
product = near * safe * unknown
score = product + (1 - product) * (1 - 1 / 3) * product

spots = fc.best(score, (30.5, 20.5), radius=20, count=5, spacing=4, outside="clamp")
for position, value in zip(spots.positions, spots.values, strict=True):
    told = f"{flag.sample(position):.0f} steps to the flag, fire {fire.sample(position):.2f}"
    print(f"({position[0]:.0f}, {position[1]:.0f}) scores {value:.2f}: {told}")

before = spots.values[0]
fire.sync(
    ["sniper"], [tuple(spots.positions[0])], [1.0]
)  # the sniper comes to the best of them, and the gunner goes
imap.step()
print(
    f"with the sniper there it scores {score.sample(spots.positions[0]):.2f} instead of"
    f" {before:.2f}"
)

if picture:
    wishes = {
        "near the flag": near,
        "out of fire": safe,
        "not looked at": unknown,
        "all three": score,
    }
    frames = [
        fc.view.frame(wish, limits=(0, 1), threshold=None, size=600) for wish in wishes.values()
    ]
    fc.view.save_png(picture, fc.view.page(frames, list(wishes), columns=2))
