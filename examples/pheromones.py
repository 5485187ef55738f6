"""A thousand ants find food and bring it home on two pheromones; docs/pheromones.md explains it.

python examples/pheromones.py                           # a window; Escape stops
python examples/pheromones.py --picture pheromones.png  # four moments of a minute
python examples/pheromones.py --frames 30               # 30 frames; works without a display
"""

import argparse
import os

import numpy as np

import fieldcraft as fc
from fieldcraft.steering import Deposit, Forage, Swarm, Walk

field = fc.generate_map("open", 120, 80, seed=3, neighbors=8)
nest, pile = field.open_near([(25.5, 40.5), (95.5, 30.5)])
centers = field.position_of(np.arange(len(field))).reshape(*field.shape, 2)
near_nest, near_pile = (np.hypot(*np.moveaxis(centers - p, -1, 0)) < 4 for p in (nest, pile))
habits = Walk(speed=10.0, wander=15, turn=40, follow=1.0, distance=6.0, avoid=1.0)
scent = [0.5 ** (k / 20) for k in range(200)]


def begin(keep=0.985):
    colony = fc.InfluenceMap(field)
    home = colony.add_layer("home", fc.Trail(keep=keep))
    food = colony.add_layer("food", fc.Trail(keep=keep))
    store = Forage(field, np.where(near_pile & ~field.walls, 1000, 0), near_nest)
    ants = Swarm.at(field, np.repeat([nest], 1000, axis=0), seed=1)
    return ants, home, food, store


def step(ants, home, food, store, habits=habits):
    deposits = [Deposit(home, scent, role=0), Deposit(food, scent, role=1)]
    ants.run(habits, 0.1, trail=[food, home], deposits=deposits, forage=store)


def picture(path):
    """Both trails and the ants after 4, 12, 20 and 60 seconds."""
    (ants, home, food, store), frames, titles = begin(), [], []
    for now in range(1, 601):
        step(ants, home, food, store)
        if now in (40, 120, 200, 600):
            trails = [(home, "#3fa7f5", "home"), (food, "#ff8a3c", "food")]
            shown = fc.view.frame_teams(trails, limits=(0, 4), threshold=0.05, scale=3)
            place = fc.view.Placement(field, scale=3)
            for at, color in ((nest, (63, 167, 245)), (pile, (140, 200, 90))):
                x, y = place.pixel_of(at).astype(int)
                shown[y - 8 : y + 8, x - 8 : x + 8, :3] = color
            x, y = place.pixel_of(ants.positions).astype(int).T
            shown[y, x, :3] = shown[y, np.minimum(x + 1, shown.shape[1] - 1), :3] = np.where(
                ants.roles[:, None] == 1, (190, 235, 130), 255
            )
            frames.append(shown)
            titles.append(f"{now / 10:g} s, {store.brought} brought home")
    caption = "Blue leads home and orange to food; white ants search, green ones carry."
    fc.view.save_png(
        path,
        fc.view.page(
            frames, titles, columns=2, title="A thousand ants, two pheromones", caption=caption
        ),
    )


def window(frames):
    if frames is not None:
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    import pygame

    pygame.display.init()
    screen = pygame.display.set_mode((960, 640))
    place = fc.view.Placement(field, scale=8)
    clock, (ants, home, food, store) = pygame.time.Clock(), begin()
    while frames != 0 and not any(
        event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE)
        for event in pygame.event.get()
    ):
        step(ants, home, food, store)
        drawn = fc.view.frame(food - home, scale=8, limits=(-1.2, 1.2))
        screen.blit(pygame.image.frombuffer(drawn, screen.get_size(), "RGBX"), (0, 0))
        for pixel, loaded in zip(place.pixel_of(ants.positions), ants.roles, strict=True):
            pygame.draw.circle(screen, (190, 235, 130) if loaded else (240, 240, 240), pixel, 2)
        for at, color in ((nest, (63, 167, 245)), (pile, (140, 200, 90))):
            pygame.draw.circle(screen, color, place.pixel_of(at), 12, 3)
        pygame.display.set_caption(f"fieldcraft: {store.brought} brought home")
        pygame.display.flip()
        clock.tick(30)
        frames = None if frames is None else frames - 1
    pygame.quit()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, default=None)
    parser.add_argument("--picture", metavar="FILE")
    chosen = parser.parse_args()
    if chosen.picture:
        picture(chosen.picture)
    else:
        window(chosen.frames)
