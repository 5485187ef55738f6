"""Pictures drawn on a device, beside those that NumPy makes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.errors import InvalidValue, NoDevice
from fieldcraft.steering import Swarm, Walk
from fieldcraft.view import ColorScale
from fieldcraft_gpu import DevicePicture, show_picture
from support.displays import display
from support.refusals import refused


@pytest.fixture(scope="module")
def device() -> fc.gpu.Device:
    try:
        return fc.gpu.device(exact=False)
    except NoDevice as error:
        pytest.skip(str(error))


def _world(device: fc.gpu.Device) -> tuple[fc.Grid, fc.InfluenceMap]:
    rng = np.random.default_rng(0)
    grid = fc.Grid(61, 47, walls=rng.random((47, 61)) < 0.1)
    imap = fc.InfluenceMap(grid, device=device)
    layer = imap.add_layer("a", fc.Trail())
    layer.deposit_at(rng.choice(np.flatnonzero(~grid.walls), 90), rng.normal(size=90) * 9)
    layer.step(5)
    return grid, imap


@pytest.mark.parametrize(("scale", "limits"), [(1, (0, 3)), (3, (-2, 2)), (6, (-4, 0))])
def test_every_pixel_is_that_of_a_frame(
    device: fc.gpu.Device, scale: int, limits: tuple[float, float]
) -> None:
    grid, imap = _world(device)
    for threshold in (0.0, 0.5):
        colors = ColorScale(*limits, threshold=threshold)
        picture = DevicePicture(grid, scale=scale, device=device).add_layer(
            imap["a"], colors=colors
        )
        np.testing.assert_array_equal(
            picture.pixels(), fc.view.frame(imap["a"], colors=colors, scale=scale, sources=False)
        )
    grid.set_walls(np.arange(200, 260))
    np.testing.assert_array_equal(
        picture.paint().pixels(),
        fc.view.frame(np.zeros(grid.shape), space=grid, scale=scale, sources=False, limits=(0, 1)),
    )


def test_agents_are_dots_or_darts_where_they_are(device: fc.gpu.Device) -> None:
    grid = fc.Grid(30, 20)
    swarm = Swarm.at(grid, [(4.5, 3.5), (20.25, 10.75)], [(1, 0), (0, 1)], device=device)
    picture = DevicePicture(grid, scale=4, device=device)
    empty = picture.pixels()
    for place in (swarm, swarm.copy()):
        changed = np.argwhere(
            (picture.paint().add_swarm(place, color="#ffffff", opacity=1.0).pixels() != empty).any(
                axis=-1
            )
        )
        np.testing.assert_array_equal(changed, [(14, 18), (43, 81)])
    darts = picture.paint().add_swarm(swarm, color="#ffffff", opacity=0.9, length=5).pixels()
    changed = np.argwhere((darts != empty).any(axis=-1))
    assert {(14, 18), (14, 15), (43, 81), (40, 81)} <= set(map(tuple, changed.tolist()))
    assert darts[14, 18, 0] > darts[14, 15, 0]
    crowd = Swarm.at(grid, np.full((40, 2), (4.5, 3.5)), device=device)
    one, many = (
        picture.paint().add_swarm(each, opacity=0.1).pixels()[14, 18, 0] for each in (swarm, crowd)
    )
    assert empty[14, 18, 0] < one < many


def test_a_window_shows_the_picture(device: fc.gpu.Device) -> None:
    offscreen = pytest.importorskip("rendercanvas.offscreen")
    grid, imap = _world(device)
    picture = DevicePicture(grid, scale=2, device=device)
    frames: list[int] = []

    def update() -> None:
        frames.append(1)
        imap.step()
        picture.paint().add_layer(imap["a"], limits=(0, 3))

    canvas = show_picture(
        picture, update, canvas=offscreen.RenderCanvas(size=(picture.width, picture.height))
    )
    for _ in range(2):
        drawn = np.asarray(canvas.draw())
    assert len(frames) == 2
    assert np.abs(drawn[..., :3].astype(int) - picture.pixels()[..., :3]).max() <= 1


def test_refuses_other_cells(device: fc.gpu.Device) -> None:
    grid, imap = _world(device)
    picture = DevicePicture(grid, device=device)
    with refused(InvalidValue, "its own cells"):
        picture.add_layer(fc.InfluenceMap(fc.Grid(9, 7)).add_layer("a", fc.Trail()))
    with refused(InvalidValue, "its own cells"):
        picture.add_swarm(Swarm.scattered(fc.Grid(9, 7), 3))
    with refused(InvalidValue, "64"):
        picture.add_swarm(Swarm.scattered(grid, 3), length=99)
    with refused(InvalidValue, "update"):
        show_picture(picture, None)  # type: ignore[arg-type]
    with refused(InvalidValue, "needs a grid"):
        DevicePicture(grid.to_graph(), device=device)  # type: ignore[arg-type]
    assert repr(picture).startswith("<DevicePicture of")
    assert imap is not None


WINDOW = """
import sys
import numpy as np
from PIL import ImageGrab
import fieldcraft as fc
from fieldcraft_gpu import DevicePicture, show_picture

device = fc.gpu.device(exact=False)
grid = fc.Grid(80, 60)
layer = fc.InfluenceMap(grid, device=device).add_layer("a", fc.Trail(keep=1.0))
layer.deposit_at(np.arange(2000, 2600), 5.0)
picture = DevicePicture(grid, scale=4, device=device)
seen = []

def update():
    if len(seen) < 4:
        layer.step()
    picture.paint().add_layer(layer, limits=(0, 3))
    seen.append(1)
    if len(seen) == 8:
        whole = np.asarray(ImageGrab.grab(xdisplay=None))[..., :3].reshape(-1, 3)
        np.savez(sys.argv[1], screen=np.unique(whole, axis=0), picture=np.unique(picture.pixels()[..., :3].reshape(-1, 3), axis=0))
    if len(seen) == 9:
        canvas.close()

from rendercanvas.auto import RenderCanvas, loop
print(RenderCanvas.__module__)
made = RenderCanvas.__init__

def remembered(self, *given, **options):
    global canvas
    made(self, *given, **options)
    canvas = self

RenderCanvas.__init__ = remembered
show_picture(picture, update, title="a trail", fps=60)
print("closed after", len(seen))
"""


def test_a_window_on_a_display_shows_the_picture_until_it_is_closed(
    device: fc.gpu.Device, tmp_path: Path
) -> None:
    pytest.importorskip("glfw")
    command = [sys.executable, "-c", WINDOW, str(tmp_path / "seen.npz")]
    with display() as name:
        settings = {**os.environ, "DISPLAY": name, "RENDERCANVAS_BACKEND": "glfw"}
        done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "rendercanvas.glfw" in done.stdout
    assert "closed after 9" in done.stdout
    seen = np.load(tmp_path / "seen.npz")
    screen, painted = (
        {tuple(color) for color in seen[name].tolist()} for name in ("screen", "picture")
    )
    assert len(painted) > 5
    assert painted <= screen


def test_a_film_is_made_of_pictures_of_a_device(device: fc.gpu.Device, tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    grid, imap = _world(device)
    swarm = Swarm.scattered(grid, 300, seed=2, device=device)
    picture = DevicePicture(grid, scale=4, device=device)
    with fc.view.Film(tmp_path / "a.mp4", fps=12) as film:
        for _ in range(6):
            swarm.run(
                Walk(9.0, follow=1.0, distance=4.0), 0.1, steps=4, trail=imap["a"], deposit=1.0
            )
            film.add(
                picture.paint()
                .add_layer(imap["a"], limits=(0, 6))
                .add_swarm(swarm, length=3)
                .pixels()
            )
    with av.open(str(tmp_path / "a.mp4")) as read:
        frames = [frame.to_ndarray(format="rgb24").astype(int) for frame in read.decode(video=0)]
    assert len(frames) == 6
    assert frames[0].shape[:2] == (picture.height, picture.width)
    assert np.abs(frames[-1] - picture.pixels()[..., :3]).mean() < 12
    assert np.abs(frames[-1] - frames[0]).mean() > 1
