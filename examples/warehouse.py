"""Two hundred workers in a warehouse that never collide or jam; docs/steering.md explains it.

python examples/warehouse.py                          # a window; Escape stops
python examples/warehouse.py --picture warehouse.png  # without and with the layer of traffic
python examples/warehouse.py --film warehouse.gif     # two hundred steps
python examples/warehouse.py --frames 30              # 30 frames; works without a display
"""

import argparse
import os

import numpy as np

import fieldcraft as fc

walls = np.zeros((33, 46), dtype=bool)
for shelf in (7, 18, 29):
    walls[2:32:4, shelf : shelf + 10] = True
floor = fc.Grid(walls=walls, neighbors=4)
beside = ~walls & (np.roll(walls, 1, axis=0) | np.roll(walls, -1, axis=0))
picks, free = np.flatnonzero(beside), np.flatnonzero(~walls)


def begin(workers=200, weight=4.0):
    dice = np.random.default_rng(1)
    imap = fc.InfluenceMap(floor)
    traffic = imap.add_layer("traffic", fc.Trail(vector=True, blur=1, keep=0.9))
    crowd = fc.steering.PIBT(floor, look_ahead=10, traffic=traffic, weight=weight)
    cells = dice.choice(free, workers, replace=False)
    return imap, crowd, cells, dice.choice(picks, workers), dice


def step(imap, crowd, cells, goals, dice):
    cells = crowd.step(cells, goals)
    imap.step()
    done = cells == goals
    goals[done] = dice.choice(picks, done.sum())
    return cells, int(done.sum())


def shown(imap, cells, scale=9):
    """Traffic, and a square for each worker."""
    frame = fc.view.frame(imap["traffic"], scale=scale, limits=(0, 0.6))
    rows, columns = np.divmod(cells, floor.width)
    for y, x in zip(rows * scale + scale // 3, columns * scale + scale // 3, strict=True):
        frame[y : y + scale // 2, x : x + scale // 2, :3] = (245, 245, 245)
    return frame


def picture(path):
    """The same warehouse without and with the layer of traffic after 200 steps."""
    frames, titles = [], []
    for weight, name in ((0.0, "traffic costs nothing"), (4.0, "against the traffic costs more")):
        imap, crowd, cells, goals, dice = begin(weight=weight)
        orders = 0
        for _ in range(200):
            cells, done = step(imap, crowd, cells, goals, dice)
            orders += done
        frames.append(shown(imap, cells))
        titles.append(f"{name}: {orders} orders")
    fc.view.save_png(path, fc.view.page(frames, titles, columns=2, title="200 workers, 200 steps"))


def film(path):
    imap, crowd, cells, goals, dice = begin()
    frames = []
    for _ in range(200):
        cells, _ = step(imap, crowd, cells, goals, dice)
        frames.append(shown(imap, cells, scale=10))
    fc.view.save_film(path, frames, fps=10)


def window(frames):
    if frames is not None:
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    import pygame

    pygame.display.init()
    screen = pygame.display.set_mode((floor.width * 20, floor.height * 20))
    clock, (imap, crowd, cells, goals, dice), orders = pygame.time.Clock(), begin(), 0
    place = fc.view.Placement(floor, scale=20)
    while frames != 0 and not any(
        event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE)
        for event in pygame.event.get()
    ):
        cells, done = step(imap, crowd, cells, goals, dice)
        orders += done
        drawn = fc.view.frame(imap["traffic"], scale=20, limits=(0, 0.6))
        screen.blit(pygame.image.frombuffer(drawn, screen.get_size(), "RGBX"), (0, 0))
        for pixel in place.pixel_of(floor.position_of(cells)):
            pygame.draw.circle(screen, (240, 240, 240), pixel, 6)
        pygame.display.set_caption(f"fieldcraft: {orders} orders")
        pygame.display.flip()
        clock.tick(10)
        frames = None if frames is None else frames - 1
    pygame.quit()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, default=None)
    parser.add_argument("--picture", metavar="FILE")
    parser.add_argument("--film", metavar="FILE")
    chosen = parser.parse_args()
    if chosen.picture:
        picture(chosen.picture)
    elif chosen.film:
        film(chosen.film)
    else:
        window(chosen.frames)
