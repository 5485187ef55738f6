"""An enemy that walks around what the player sees; docs/choosing.md explains it step by step.

python examples/flanking.py                         # WASD or arrows to walk, the mouse to look
                                                    # around, Escape to stop
python examples/flanking.py --picture flanking.png  # the shortest path and the flanking one
python examples/flanking.py --frames 30             # 30 frames; works without a display
"""

import argparse
import os

import numpy as np

import fieldcraft as fc
from fieldcraft import steering

LEVEL = """
########################################
#......................................#
#......................................#
#....###..#####..####..#####..####.....#
#....###..#####..####..#####..####.....#
#......................................#
#......................................#
#......................................#
#......................................#
#....####..####..######..###..####.....#
#....####..####..######..###..####.....#
#......................................#
#......................................#
########################################
"""
walls = [[letter == "#" for letter in line] for line in LEVEL.split()]
space = fc.Grid(40, 14, walls=walls, neighbors=8)

SIGHT = 20

imap = fc.InfluenceMap(space)
near = imap.add_layer("near", fc.Radial(7, "linear", metric="path"))
aim = imap.add_layer("aim", fc.Radial(SIGHT, "linear", metric="sight"))
cone = imap.add_layer("cone", values=np.zeros(space.shape))
threat = aim * cone

player, facing = np.array([28.5, 7.5]), np.array([-1.0, 0.0])
markers = [layer.add_source(player) for layer in (near, aim)]


def watch(player, facing):
    """Bring the layers to where the player stands and looks."""
    for marker in markers:
        marker.move(player)
    imap.step()
    cone.write(fc.visible(space, player, SIGHT, facing=facing, angle=110))


watch(player, facing)

CAUTION = 12

wish = near - 4 * threat


def plan(enemy, player):
    """Return the safest path to a place beside or behind the player."""
    spot = fc.best(wish, player, radius=6).position
    return fc.shortest_path(space, enemy, spot, cost=1 + CAUTION * threat, smooth=True)


enemy = np.array([2.5, 7.5])
path = plan(enemy, player)
straight = fc.shortest_path(space, enemy, player)


def picture(file):
    """Both ways over the threat."""
    place = fc.view.Placement(space, size=900)
    frame = fc.view.frame(threat, size=900, limits=(0, 1))
    fc.view.draw_lines(frame, place, straight, color="#9aa2b2", width=4)
    fc.view.draw_lines(frame, place, path, color="#2fc08f", width=5)
    fc.view.draw_dots(frame, place, enemy, color="#2fc08f", width=18)
    fc.view.draw_dots(frame, place, player, color="#f4f5f7", width=18)
    caption = (
        "Gray: the shortest path to the player, who looks to the left. Green: the path around what"
        " the player sees."
    )
    fc.view.save_png(file, fc.view.page([frame], title="An enemy that flanks", caption=caption))


def play(frames=None):
    """Run the game until the window is closed, or for a number of frames."""
    if frames is not None:
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    import pygame

    pygame.display.init()
    screen = pygame.display.set_mode((1120, 392))
    place = fc.view.Placement(space, scale=28)
    player, facing, enemy = np.array([28.5, 7.5]), np.array([-1.0, 0.0]), np.array([2.5, 7.5])
    clock, since, caught, path = pygame.time.Clock(), 1.0, 0, None
    running = True
    while running and frames != 0:
        for event in pygame.event.get():
            if event.type == pygame.QUIT or (
                event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE
            ):
                running = False
            if event.type == pygame.MOUSEMOTION:
                toward = place.position_of(event.pos) - player
                facing = toward if toward.any() else facing
        dt = min(clock.tick(60) / 1000, 0.1)
        keys = pygame.key.get_pressed()
        across = (keys[pygame.K_d] or keys[pygame.K_RIGHT]) - (
            keys[pygame.K_a] or keys[pygame.K_LEFT]
        )
        down = (keys[pygame.K_s] or keys[pygame.K_DOWN]) - (keys[pygame.K_w] or keys[pygame.K_UP])
        if across or down:
            player = steering.move(space, player, 5.0 * dt * np.array([across, down]))

        watch(player, facing)
        since += dt
        if since > 0.2:
            path, since = plan(enemy, player), 0.0
        if path:
            enemy = path.at(4.5 * since)
        if np.hypot(*(enemy - player)) < 1.5 and threat.sample(enemy) == 0:
            enemy, since, caught = np.array([2.5, 7.5]), 1.0, caught + 1

        drawn = fc.view.frame(threat, scale=28, limits=(0, 1), opacity=0.7)
        screen.blit(pygame.image.frombuffer(drawn, (1120, 392), "RGBX"), (0, 0))
        if path and len(path) > 1:
            line = place.pixel_of([enemy, *path.positions[1:]])
            pygame.draw.lines(screen, "#2fc08f", False, line, 3)
        pygame.draw.circle(screen, "#2fc08f", place.pixel_of(enemy), 9)
        pygame.draw.circle(screen, "#f4f5f7", place.pixel_of(player), 9)
        pygame.display.set_caption(f"fieldcraft: flanked {caught} times")
        pygame.display.flip()
        frames = None if frames is None else frames - 1
    pygame.quit()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, help="stop after so many frames, and need no display")
    parser.add_argument(
        "--picture", metavar="FILE", help="write the picture of both ways, and open no window"
    )
    chosen = parser.parse_args()
    if chosen.picture:
        picture(chosen.picture)
    else:
        play(chosen.frames)
