"""Draw a threat layer into your own pygame window; the orc follows the mouse.

python examples/pygame_enemy.py              # a window; close it or press Escape to stop
python examples/pygame_enemy.py --frames 30  # 30 frames; works without a display
"""

import argparse
import os

import fieldcraft as fc

parser = argparse.ArgumentParser()
parser.add_argument("--frames", type=int, default=None)
frames = parser.parse_args().frames
if frames is not None:
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import pygame  # noqa: E402

pygame.display.init()
screen = pygame.display.set_mode((900, 600))
pygame.display.set_caption("fieldcraft: the orc follows the mouse")

space = fc.generate_map("cave", 90, 60, seed=3)
imap = fc.InfluenceMap(space)
threat = imap.add_layer("threat", fc.Spread(decay=0.2, momentum=0.5, half_life=0.3), every=0.03)
orc = threat.add_source((45, 30), strength=8.0, on_wall="nearest")
place = fc.view.Placement(space, scale=10)

clock = pygame.time.Clock()
running = True
while running and frames != 0:
    for event in pygame.event.get():
        if event.type == pygame.QUIT or (
            event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE
        ):
            running = False
        if event.type == pygame.MOUSEMOTION:
            orc.move(place.position_of(event.pos), on_wall="nearest", outside="clamp")

    imap.advance(clock.tick(60) / 1000)
    picture = fc.view.frame(threat, scale=10, limits=(0, 8))
    screen.blit(pygame.image.frombuffer(picture, screen.get_size(), "RGBX"), (0, 0))
    pygame.display.flip()
    frames = None if frames is None else frames - 1
pygame.quit()
