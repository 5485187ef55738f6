"""A live layer as a texture in Arcade: one upload a frame, scaled by the graphics card.

python examples/texture_arcade.py                                # a window
python examples/texture_arcade.py --frames 30 --picture out.png  # 30 frames
"""

import argparse

import arcade
import numpy as np
from arcade import gl

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


class Game(arcade.Window):
    def __init__(self) -> None:
        super().__init__(960, 640, "fieldcraft")
        self.map = self.ctx.texture(
            (space.width, space.height), components=4, filter=(gl.NEAREST, gl.NEAREST)
        )
        self.screen_wide = gl.geometry.quad_2d_fs()
        self.program = self.ctx.program(
            vertex_shader="""#version 330
            in vec2 in_vert; in vec2 in_uv; out vec2 uv;
            void main() { gl_Position = vec4(in_vert, 0, 1); uv = vec2(in_uv.x, 1 - in_uv.y); }""",
            fragment_shader="""#version 330
            uniform sampler2D map; in vec2 uv; out vec4 color;
            void main() { color = texture(map, uv); }""",
        )
        self.frame = 0

    def on_draw(self) -> None:
        self.clear()
        self.map.write(pixels(self.frame / 60).tobytes())
        self.map.use(0)
        self.screen_wide.render(self.program)
        self.frame += 1
        if self.frame == chosen.frames:
            if chosen.picture:
                arcade.get_image(0, 0, 960, 640).save(chosen.picture)
            arcade.exit()


Game()
arcade.run()
