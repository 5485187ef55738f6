"""A thousand ants find food and bring it home on two pheromones; the guide in docs/pheromones.md
explains it.

python examples/pheromones.py                           # a window; Escape stops
python examples/pheromones.py --picture pheromones.png  # four moments of a minute, as a picture
python examples/pheromones.py --frames 30               # so many frames, then stop: what CI runs,
without a display
"""

import argparse
import os
from dataclasses import replace

import numpy as np

import fieldcraft as fc

field = fc.generate_map("open", 120, 80, seed=3, neighbors=8)
colony = fc.InfluenceMap(field)
home = colony.add_layer("home", fc.Trail(keep=0.985))
food = colony.add_layer("food", fc.Trail(keep=0.985))
nest, pile = field.position_of(field.nearest_open(field.cell_at([(25, 40), (95, 30)])))
habits = fc.steering.Walk(speed=10.0, wander=15, turn=40, follow=1.0, distance=6.0, avoid=1.0)


def step(ants, carrying, since):
    ants = ants.walk(habits, 0.1, trail=[food, home], roles=carrying)
    goal = np.where(carrying[:, None], nest, pile)
    there = np.hypot(*(ants.positions - goal).T) < 4
    ants = replace(ants, headings=np.where(there[:, None], -ants.headings, ants.headings))
    brought = np.count_nonzero(there & carrying)
    carrying, since = carrying ^ there, np.where(there, 0.0, since + 0.1)
    scent = 0.5 ** (since / 2)
    home.deposit_at(ants.cells[~carrying], scent[~carrying])
    food.deposit_at(ants.cells[carrying], scent[carrying])
    colony.advance(0.1)
    return ants, carrying, since, brought


def begin():
    ants = fc.steering.Walkers.at(field, np.repeat([nest], 1000, axis=0), seed=1)
    return ants, np.zeros(1000, dtype=bool), np.zeros(1000)


def picture(path):
    """Both trails and the ants after 4, 12, 20 and 60 seconds."""
    state, total, frames, titles = begin(), 0, [], []
    for now in range(1, 601):
        *state, brought = step(*state)
        total += brought
        if now in (40, 120, 200, 600):
            trails = [(home, "#3fa7f5", "home"), (food, "#ff8a3c", "food")]
            shown = fc.view.frame_teams(trails, limits=(0, 4), threshold=0.05, scale=5)
            place = fc.view.Placement(field, scale=5)
            for at, color in ((nest, (63, 167, 245)), (pile, (140, 200, 90))):
                x, y = place.pixel_of(at).astype(int)
                shown[y - 8 : y + 8, x - 8 : x + 8, :3] = color
            x, y = place.pixel_of(state[0].positions).astype(int).T
            shown[y, x, :3] = shown[y, np.minimum(x + 1, shown.shape[1] - 1), :3] = np.where(
                state[1][:, None], (190, 235, 130), 255
            )
            frames.append(shown)
            titles.append(f"{now / 10:g} s, {total} brought home")
    caption = "Blue leads home and orange to food; white ants search, green ones carry."
    fc.view.save_png(
        path,
        fc.view.sheet(
            frames, titles, columns=2, title="A thousand ants, two pheromones", caption=caption
        ),
    )


def window(frames):
    if frames is not None:
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    import pygame

    pygame.display.init()
    screen = pygame.display.set_mode((960, 640))
    camera = fc.view.Camera.fit(field, screen)
    clock, state, total = pygame.time.Clock(), begin(), 0
    while frames != 0 and not any(
        event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE)
        for event in pygame.event.get()
    ):
        *state, brought = step(*state)
        total += brought
        screen.fill((12, 13, 17))
        fc.view.draw(screen, food - home, camera, limits=(-1.2, 1.2))
        for pixel, loaded in zip(
            camera.to_screen(state[0].positions, screen), state[1], strict=True
        ):
            pygame.draw.circle(screen, (190, 235, 130) if loaded else (240, 240, 240), pixel, 2)
        for at, color in ((nest, (63, 167, 245)), (pile, (140, 200, 90))):
            pygame.draw.circle(screen, color, camera.to_screen(at, screen), 12, 3)
        pygame.display.set_caption(f"fieldcraft: {total} brought home")
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
