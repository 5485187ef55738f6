"""A live layer as a texture in raylib: one upload a frame, scaled by the graphics card.

python examples/texture_raylib.py                                # a window
python examples/texture_raylib.py --frames 30 --picture out.png  # 30 frames
"""

import argparse

import numpy as np
import pyray as ray
from raylib import ffi

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


ray.set_trace_log_level(ray.TraceLogLevel.LOG_ERROR)
ray.init_window(960, 640, "fieldcraft")
ray.set_target_fps(60)
texture = ray.load_texture_from_image(ray.gen_image_color(space.width, space.height, ray.BLACK))
everything = ray.Rectangle(0, 0, space.width, space.height), ray.Rectangle(0, 0, 960, 640)
frame = 0
while frame != chosen.frames and not ray.window_should_close():
    shown = np.ascontiguousarray(pixels(frame / 60))
    ray.update_texture(texture, ffi.cast("void *", ffi.from_buffer(shown)))
    ray.begin_drawing()
    ray.draw_texture_pro(texture, *everything, ray.Vector2(0, 0), 0.0, ray.WHITE)
    ray.end_drawing()
    frame += 1
if chosen.picture:
    ray.export_image(ray.load_image_from_screen(), chosen.picture)
ray.close_window()
