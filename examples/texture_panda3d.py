"""A live layer as a texture in Panda3D: one upload a frame, scaled by the graphics card.

python examples/texture_panda3d.py                                # a window
python examples/texture_panda3d.py --frames 30 --picture out.png  # 30 frames
"""

import argparse

import numpy as np
from direct.showbase.ShowBase import ShowBase
from panda3d.core import CardMaker, PNMImage, SamplerState, Texture, loadPrcFileData

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


if chosen.frames is not None:
    loadPrcFileData("", "window-type offscreen")
loadPrcFileData("", "win-size 960 640\nnotify-level-display fatal\naudio-library-name null")
base = ShowBase()
texture = Texture("threat")
texture.setup_2d_texture(space.width, space.height, Texture.T_unsigned_byte, Texture.F_rgba)
texture.set_magfilter(SamplerState.FT_nearest)
maker = CardMaker("map")
maker.set_frame_fullscreen_quad()
card = base.render2d.attach_new_node(maker.generate())
card.set_texture(texture)
frame = 0
while frame != chosen.frames:
    # Rows run upwards, colors are blue, green, red.
    texture.set_ram_image(np.ascontiguousarray(pixels(frame / 60)[::-1, :, [2, 1, 0, 3]]))
    base.taskMgr.step()
    frame += 1
if chosen.picture:
    base.graphicsEngine.render_frame()
    shot = PNMImage()
    base.win.get_screenshot(shot)
    shot.write(chosen.picture)
base.destroy()
