from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft import Grid, view
from fieldcraft.errors import InvalidValue, MissingLibrary
from fieldcraft.view import Camera, ColorScale

pygame = pytest.importorskip("pygame")

BACK = (40, 50, 60)


def surface(width: int = 80, height: int = 60, **options: Any) -> Any:
    made = pygame.Surface((width, height), **options)
    made.fill(BACK)
    return made


def pixels(screen: Any) -> np.ndarray:
    """[row, column, rgb]."""
    return pygame.surfarray.array3d(screen).transpose(1, 0, 2)


def field(seed: int, shape: tuple[int, int]) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-3, 5, shape).astype(np.float32)


def expected(
    space: Any, values: np.ndarray, camera: Camera, screen: Any, scale: ColorScale
) -> np.ndarray:
    """Pixel by pixel: where in the world is it, which cell is that, which colour has it."""
    width, height = screen.get_size()
    wanted = np.empty((height, width, 3), dtype=np.uint8)
    for row in range(height):
        for column in range(width):
            x, y = camera.to_world((column + 0.5, row + 0.5), screen)
            wanted[row, column] = BACK
            left, low = space.origin
            inside = left <= x < left + space.size[0] and low <= y < low + space.size[1]
            if inside or space.wrap:
                value = values.reshape(-1)[space.cell_at((x, y))]
                if scale.threshold is None or abs(value) > scale.threshold:
                    wanted[row, column] = scale.rgb(np.array([value]))[0]
    return wanted


@pytest.mark.parametrize("y_up", [False, True])
@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize(
    ("position", "zoom"),
    [
        ((3.0, 12.0), 1.7),
        ((-1.0, 9.0), 6.0),
        ((4.2, 13.1), 31.0),
        ((400.0, 0.0), 2.0),
        ((3.0, 12.0), 0.2),
    ],
)
def test_each_pixel_shows_the_cell_that_lies_there(
    y_up: bool, wrap: bool, position: tuple[float, float], zoom: float
):
    space = Grid(9, 6, cell_size=1.5, origin=(-3, 8), y_up=y_up, wrap=wrap)
    values, scale = field(1, space.shape), ColorScale(-5, 5, threshold=1)
    screen, camera = surface(33, 21), Camera(position, zoom, y_up=y_up)
    view.draw(screen, SimpleNamespace(values=values, space=space), camera, colors=scale)
    assert (pixels(screen) == expected(space, values, camera, screen, scale)).all()


@pytest.mark.parametrize("y_up", [False, True])
def test_a_surface_shows_what_a_frame_shows(y_up: bool):
    space = Grid(8, 5, y_up=y_up, cell_size=3, origin=(10, 20))
    values = field(2, space.shape)
    screen = surface(80, 50)
    view.draw(screen, values, space=space, limits=(-5, 5), threshold=None)
    assert (
        pixels(screen)
        == view.frame(values, space=space, limits=(-5, 5), threshold=None, scale=10 / 3)[..., :3]
    ).all()


def test_below_the_threshold_the_surface_shows_through():
    values = np.array([[0, 1, 2, 3], [-3, -2, -1, 0]], dtype=np.float32)
    screen = surface(4, 2)
    view.draw(screen, values, threshold=1)
    assert ((pixels(screen) == BACK).all(axis=2) == (np.abs(values) <= 1)).all()


def test_opacity_mixes_with_what_was_there():
    screen = surface(4, 2)
    view.draw(screen, np.full((2, 4), 5.0), opacity=0.5)
    wanted = (np.array(BACK) + view.sequential()[-1]) / 2
    assert np.abs(pixels(screen) - wanted).max() <= 2
    view.draw(screen, np.full((2, 4), 5.0), opacity=0)
    assert np.abs(pixels(screen) - wanted).max() <= 2


@pytest.mark.parametrize(
    "options", [{}, {"depth": 24}, {"flags": 0x00010000, "depth": 32}, {"depth": 16}]
)
def test_every_kind_of_surface_is_drawn_on(options: dict[str, int]):
    screen = surface(8, 6, **options)
    view.draw(screen, np.full((3, 4), 5.0))
    assert np.abs(pixels(screen).astype(int) - view.sequential()[-1]).max() <= (
        8 if options.get("depth") == 16 else 0
    )


def test_a_subsurface_and_a_clip_are_respected():
    screen = surface(40, 30)
    view.draw(screen.subsurface((10, 5, 20, 10)), np.ones((3, 6)))
    outside = pixels(screen)
    outside[5:15, 10:30] = BACK
    assert (outside == BACK).all()
    screen = surface(40, 30)
    screen.set_clip((0, 0, 40, 4))
    view.draw(screen, np.ones((3, 4)))
    assert (pixels(screen)[4:] == BACK).all()
    assert (pixels(screen)[:4] != BACK).any()


def test_only_cells_in_view_are_looked_at():
    values = np.zeros((500, 700), dtype=np.float32)
    values[100:110, 200:220] = 1
    values[0, 0] = np.nan  # out of view
    screen = surface(20, 10)
    view.draw(screen, values, Camera((210, 105), zoom=1), limits=(0, 1))
    assert (pixels(screen) == view.sequential()[-1]).all()
    with pytest.raises(InvalidValue, match="in view"):
        view.draw(screen, values, Camera((0, 0), zoom=1), limits=(0, 1))


def test_a_huge_zoom_costs_no_more_than_the_screen():
    screen = surface(64, 48)
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    view.draw(screen, values, Camera((1.5, 0.5), zoom=1e7), limits=(0, 4))
    assert (pixels(screen) == ColorScale(0, 4).rgb(np.float32([[2.0]]))[0, 0]).all()


@settings(max_examples=25, deadline=None)
@given(
    st.tuples(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4)),
    st.floats(0.01, 500),
    st.booleans(),
    st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4)), min_size=1, max_size=5),
)
def test_the_camera_goes_there_and_back(position, zoom, y_up, points):
    camera = Camera(position, zoom, y_up=y_up)
    screen = (641, 480)
    assert camera.to_screen(position, screen) == pytest.approx((320.5, 240))
    assert camera.to_world(camera.to_screen(points, screen), screen) == pytest.approx(
        np.array(points), abs=1e-6
    )
    right, further = camera.to_screen([position, (position[0] + 1, position[1] + 1)], screen)
    assert further[0] > right[0]
    assert (further[1] < right[1]) == y_up


def test_fitting_shows_the_whole_map_in_the_middle():
    space = Grid(20, 5, cell_size=2, origin=(7, -3), y_up=True)
    camera = Camera.fit(space, (200, 200))
    corners = camera.to_screen([(7, -3), (47, 7)], (200, 200))
    assert corners == pytest.approx(np.array([[0, 125], [200, 75]]))


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: view.draw(np.zeros((3, 3)), np.zeros((3, 3))), "Surface"),
        (lambda: view.draw(surface(), np.array([[np.nan]])), "finite"),
        (lambda: view.draw(surface(), np.array([[np.nan]]), limits=(0, 1)), "finite"),
        (lambda: view.draw(surface(), np.zeros(4)), "height, width"),
        (lambda: view.draw(surface(), np.zeros((2, 3)), space=Grid(2, 3)), "transpose"),
        (lambda: view.draw(surface(), np.zeros((2, 3)), threshold=-1), "threshold"),
        (lambda: view.draw(surface(), np.zeros((2, 3)), opacity=2), "opacity"),
        (lambda: view.draw(surface(), np.zeros((2, 3)), limits=(2, 1)), "low below high"),
        (lambda: view.draw(surface(), np.zeros((2, 3)), Camera(y_up=True)), "y_up=False"),
        (lambda: Camera((0, 0), zoom=0), "zoom"),
        (lambda: Camera((0, np.nan)), "finite"),
        (lambda: Camera([(0, 1), (2, 3)]), "one"),
        (lambda: Camera().to_screen((0, 0), 5), "width, height"),
        (lambda: Camera().to_screen((0, 0), (0, 5)), "width of the screen"),
        (lambda: Camera.fit(object(), (5, 5)), "space"),
    ],
)
def test_bad_input_is_refused(call: Any, word: str):
    with pytest.raises(InvalidValue, match=word):
        call()


def test_a_missing_pygame_is_named(monkeypatch: pytest.MonkeyPatch):
    screen = surface()
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(MissingLibrary, match=r"pygame-ce.*fieldcraft\[view\]"):
        view.draw(screen, np.zeros((2, 3)))


def test_cameras_need_no_pygame():
    code = (
        "import sys; from fieldcraft.view import Camera; print(Camera((1, 2), 3).to_screen((2, 2),"
        " (10, 10)), 'pygame' in sys.modules)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[8. 5.] False"
    )
