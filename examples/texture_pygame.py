"""A live layer as a texture in pygame: one upload a frame, scaled by the graphics card.

python examples/texture_pygame.py                                # a window
python examples/texture_pygame.py --frames 30 --picture out.png  # 30 frames
"""

import argparse

import numpy as np
import pygame
from pygame._sdl2 import video

import fieldcraft as fc

parser = argparse.ArgumentParser()
parser.add_argument("--frames", type=int, default=None)
parser.add_argument("--picture", default=None)
chosen = parser.parse_args()

space = fc.generate_map("cave", 96, 64, seed=3)
imap = fc.InfluenceMap(space)
threat = imap.add_layer("threat", fc.Spread(decay=0.15, momentum=0.6, half_life=0.4), every=1 / 30)
orc = threat.add_source((48, 32), strength=8.0, on_wall="nearest")


def pixels(seconds: float) -> np.ndarray:
    """The layer a moment later, as uint8 RGBA of shape (height, width, 4), row 0 at the top."""
    orc.move((48 + 30 * np.cos(seconds), 32 + 20 * np.sin(seconds)), on_wall="nearest")
    imap.advance(1 / 60)
    return fc.view.frame(threat, scale=1, limits=(0, 8), sources=False)


pygame.display.init()
window = video.Window("fieldcraft", (960, 640))
renderer = video.Renderer(window)
texture = video.Texture(renderer, (space.width, space.height), streaming=True)
frame, clock = 0, pygame.time.Clock()
while frame != chosen.frames and not pygame.event.get(pygame.QUIT):
    shown = pixels(frame / 60)
    texture.update(pygame.image.frombuffer(shown, (space.width, space.height), "RGBA"))
    renderer.clear()
    texture.draw(dstrect=(0, 0, 960, 640))
    if chosen.picture and frame + 1 == chosen.frames:
        pygame.image.save(renderer.to_surface(), chosen.picture)
    renderer.present()
    clock.tick(60)
    frame += 1
pygame.quit()
