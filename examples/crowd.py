"""A thousand agents flow to the mouse and around the walls that you draw.

python examples/crowd.py              # a window: left button builds walls, right button removes
                                      # them, Escape stops
python examples/crowd.py --frames 30  # 30 frames; works without a display
"""

import argparse
import os

import numpy as np

import fieldcraft as fc
from fieldcraft import steering

parser = argparse.ArgumentParser()
parser.add_argument("--frames", type=int, default=None)
frames = parser.parse_args().frames
if frames is not None:
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import pygame  # noqa: E402

pygame.display.init()
screen = pygame.display.set_mode((900, 600))
pygame.display.set_caption("fieldcraft: a crowd follows the mouse")

space = fc.generate_map("cave", 90, 60, seed=3, neighbors=8)
ground = fc.InfluenceMap(space).add_layer("ground", values=np.zeros(space.shape, dtype=np.float32))
goal, target = space.nearest_open(space.cell_at((45, 30))), None
place = fc.view.Placement(space, scale=10)

rng = np.random.default_rng(3)
positions = space.position_of(
    space.nearest_open(space.cell_at(rng.uniform((1, 1), (89, 59), (1000, 2))))
)
velocities = np.zeros_like(positions)
crowd = steering.Crowd(space, radius=0.3, separation_radius=0.9)

clock = pygame.time.Clock()
running = True
while running and frames != 0:
    for event in pygame.event.get():
        if event.type == pygame.QUIT or (
            event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE
        ):
            running = False
        if event.type in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN):
            cell = space.cell_at(place.position_of(event.pos), outside="clamp")
            left, _, right = pygame.mouse.get_pressed()
            if left and cell != goal:
                space.set_walls(cell)
            elif right:
                space.set_walls(cell, False)
            elif not left:
                goal = space.nearest_open(cell)

    if goal != target:
        target, flow = goal, fc.flow_field(fc.distance_map(space, space.position_of(goal)))
    flow.distance_map.repair()
    positions, velocities = crowd.step(
        positions, velocities, flow, 1 / 60, max_speed=6.0, max_force=60.0
    )

    ground.write(np.where(space.walls, 0, 1))
    picture = fc.view.frame(ground, scale=10, limits=(0, 6))
    screen.blit(pygame.image.frombuffer(picture, screen.get_size(), "RGBX"), (0, 0))
    for pixel in place.pixel_of(positions):
        pygame.draw.circle(screen, (240, 170, 60), pixel, 3)
    pygame.display.flip()
    clock.tick(60)
    frames = None if frames is None else frames - 1
pygame.quit()
