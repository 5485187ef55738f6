"""Docs: conventions.md and tasks.md. Time, resistance, undoing, removing, clearing."""

import numpy as np

import fieldcraft as fc


def after_one_second(frames: int) -> bytes:
    imap = fc.InfluenceMap(fc.Grid(20, 10))
    noise = imap.add_layer("noise", fc.Spread(decay=0.3, momentum=0.4), every=0.1)
    noise.add_source((3, 4), strength=9.0)
    for _ in range(frames):
        imap.advance(1 / frames)
    return noise.values.tobytes()


assert after_one_second(30) == after_one_second(60)
hall = fc.Grid(20, 3)
imap = fc.InfluenceMap(hall)
noise = imap.add_layer("noise", fc.Spread(decay=0.1, momentum=1.0))
steps = imap.add_layer("steps", fc.Fade(half_life=3.0, maximum=1.0))
door = np.zeros(hall.shape)
door[:, 8] = np.log(4)
noise.resistance = door
siren = noise.add_source((2.5, 0.5), strength=9.0, lifetime=2.0)
imap.step(5)
before = imap.state()
siren.move((4.5, 1.5))
siren.strength = 5.0
imap.step(5)
imap.restore(before)
noise.resistance = None
curtain = hall.cell_at([(3.5, 0.5), (3.5, 1.5), (3.5, 2.5)])
hall.set_opaque(curtain)
hidden = not fc.sees(hall, (0.5, 1.5), (6.5, 1.5), 9.0)
many = fc.sees(hall, [(0.5, 1.5), (1.5, 1.5)], [(6.5, 1.5)], 9.0)
hall.set_opaque(curtain, None)
print(hidden, many.shape)
answer = imap.advance(2.0)
if answer.is_late:
    print(answer.steps["noise"], answer.dropped["noise"])
steps.mark((4.5, 1.5), radius=2.0)
ahead = noise.at(0.5)
print(ahead.sample((4.5, 1.5)), steps.sample([(4.5, 1.5), (9.5, 1.5)]).tolist())
noise.sources.remove(noise.sources.ids)
noise.write(np.zeros(noise.shape))
noise.deposit((4.5, 1.5), 2.0)
noise.remove_at([(4.5, 1.5)])
copy = noise.values.copy()
copy[0, 0] = 5
noise.write(copy)
shown = -1
if noise.version != shown:
    shown = noise.version
    drawn = fc.view.frame(noise, scale=8, limits=(0, 8), sources=False)
    print(drawn.shape)
imap.remove_layer("steps")
hall.set_walls(hall.walls, False)
