"""Your map in a pygame window: reach the green tile before the hunters reach you.

    python main.py                # arrow keys walk, a click changes a wall, R: again
    python main.py --frames 60    # writes main.png after 60 frames and ends

Red shows where hunters arrive soon. They walk to you by the shortest path.
"""

import argparse
import os
from pathlib import Path

import numpy as np

import fieldcraft as fc

LEVEL = """
##############################
#............#...............#
#............#...............#
#...####.....#.....######....#
#...#..............#....#....#
#...#..............#....#....#
#...#....####..........##....#
#........#..#................#
#........#..#.....#..........#
######...#..#.....#....#######
#.................#..........#
#.................#..........#
#....#######......#####......#
#..........#.................#
#..........#.................#
#..........#......#..........#
#.................#..........#
##############################
"""
TILE = 32
KEYS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}

# Your own boolean array: True is a wall.
walls = np.array([[letter == "#" for letter in row] for row in LEVEL.split()])
grid = fc.Grid(walls=walls, neighbors=8)
imap = fc.InfluenceMap(grid)
danger = imap.add_layer("danger", fc.Spread(decay=0.25, momentum=0.8), every=0.05)

HOME = np.array([28.5, 1.5])
START = np.array([2.5, 16.5])
HUNTERS = np.array([[24.5, 14.5], [16.5, 4.5], [7.5, 2.5]])


def main(frames: int | None) -> None:
    if frames is not None:
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    import pygame

    pygame.display.init()
    pygame.font.init()
    height, width = walls.shape
    screen = pygame.display.set_mode((width * TILE, height * TILE))
    font = pygame.font.Font(None, 28)
    clock = pygame.time.Clock()
    player = START
    hunters = HUNTERS
    message = ""
    until_turn = 0.5
    while frames is None or frames > 0:
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                frames = 0
            if event.type == pygame.KEYDOWN and event.key == pygame.K_r:
                player = START
                hunters = HUNTERS
                message = ""
            if event.type == pygame.KEYDOWN and pygame.key.name(event.key) in KEYS and not message:
                goal = player + KEYS[pygame.key.name(event.key)]
                if not grid.walls[int(goal[1]), int(goal[0])]:
                    player = goal
            if event.type == pygame.MOUSEBUTTONDOWN:
                cell = grid.cell_at((event.pos[0] / TILE, event.pos[1] / TILE), outside="clamp")
                taken = grid.cell_at([player, HOME, *hunters])
                if cell not in taken:
                    grid.set_walls(cell, not grid.walls.flat[cell])

        if frames is None:
            seconds = min(clock.tick(60) / 1000, 0.1)
        else:
            seconds = 1 / 60
        imap.advance(seconds)
        until_turn -= seconds
        if until_turn <= 0 and not message:
            until_turn = 0.35
            hunters = fc.distance_map(grid, player).step(hunters, one_per_cell=True).positions
        danger.sync(range(len(hunters)), hunters, 1.0)
        if np.abs(hunters - player).max(axis=1).min() < 1:
            message = "Caught. R: again"
        elif np.abs(player - HOME).max() < 1:
            message = "You are home. R: again"

        drawn = fc.view.frame(danger, scale=TILE, limits=(0, 1), sources=False)
        screen.blit(pygame.image.frombuffer(drawn, screen.get_size(), "RGBX"), (0, 0))
        for y, x in np.argwhere(grid.walls):
            pygame.draw.rect(screen, "#69707d", (x * TILE, y * TILE, TILE - 1, TILE - 1))
        for color, places in (("#4ec98f", [HOME]), ("#ffffff", [player]), ("#ff5d5d", hunters)):
            for x, y in places:
                pygame.draw.circle(screen, color, (x * TILE, y * TILE), 0.36 * TILE)
        text = f"{message or 'Reach the green tile: arrow keys walk, a click builds'}"
        text += f"    danger here {danger.sample(player):.2f}"
        screen.blit(font.render(text, True, "#ffffff", "#000000"), (8, 6))
        pygame.display.flip()
        pygame.display.set_caption(f"{Path(__file__).parent.name} - fieldcraft")
        if frames:
            frames -= 1
            if frames == 0:
                pygame.image.save(screen, "main.png")
    pygame.quit()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, default=None)
    main(parser.parse_args().frames)
