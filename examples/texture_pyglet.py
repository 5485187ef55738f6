"""A live layer as a texture in pyglet: one upload a frame, scaled by the graphics card.

python examples/texture_pyglet.py                                # a window
python examples/texture_pyglet.py --frames 30 --picture out.png  # 30 frames
"""

import argparse

import numpy as np
import pyglet
from pyglet import gl, image

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


window = pyglet.window.Window(960, 640, caption="fieldcraft")
# Rows of an image run upwards unless its pitch is negative.
picture = image.ImageData(
    space.width, space.height, "RGBA", pixels(0).tobytes(), pitch=-4 * space.width
)
texture = picture.get_texture()
sprite = pyglet.sprite.Sprite(texture)
gl.glBindTexture(texture.target, texture.id)
gl.glTexParameteri(texture.target, gl.GL_TEXTURE_MAG_FILTER, gl.GL_NEAREST)
sprite.update(scale_x=960 / space.width, scale_y=640 / space.height)
frame = 0


def draw(dt: float) -> None:
    global frame
    picture.set_data("RGBA", -4 * space.width, pixels(frame / 60).tobytes())
    texture.blit_into(picture, 0, 0, 0)
    window.clear()
    sprite.draw()
    frame += 1
    if frame == chosen.frames:
        if chosen.picture:
            image.get_buffer_manager().get_color_buffer().save(chosen.picture)
        pyglet.app.exit()


pyglet.clock.schedule_interval(draw, 1 / 60)
pyglet.app.run()
