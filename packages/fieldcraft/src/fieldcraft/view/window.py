"""A layer on the user's own pygame surface, through a camera."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, MissingLibrary
from fieldcraft.space import Grid, Space
from fieldcraft.space.kinds import checked_space
from fieldcraft.view.brush import Brush
from fieldcraft.view.colors import HIDDEN, ColorScale, plain_values
from fieldcraft.view.frame import scale_for
from fieldcraft.view.placement import Subject, subject_of
from fieldcraft.view.plan_graph import outlines

if TYPE_CHECKING:
    import pygame

__all__ = ["Camera", "draw"]

_DOT = 0.3


class Camera:
    """The part of the world that a window shows. All three parameters may be set at any time.

    Screen positions are pixels (x, y) from the top left corner of the surface.

    Parameters
    ----------
    position : array_like, optional
        (x, y), the world position at the center of the screen.
    zoom : float, optional
        Pixels per world unit, above 0.
    y_up : bool, optional
        Whether the world's y grows upwards, as the map's.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> camera = fc.view.Camera.fit(fc.Grid(20, 10), (400, 300))
    >>> camera.to_screen((10.0, 5.0), (400, 300))
    array([200., 150.])
    >>> camera.to_world((0, 0), (400, 300))
    array([ 0. , -2.5])
    """

    def __init__(
        self, position: ArrayLike = (0.0, 0.0), zoom: float = 1.0, *, y_up: bool = False
    ) -> None:
        self.position = position
        self.zoom = zoom
        self.y_up = checks.flag("y_up", y_up)

    def __repr__(self) -> str:
        return (
            f"<Camera at {self.position}, {self.zoom:g} pixels per world"
            f" unit{', y_up=True' if self.y_up else ''}>"
        )

    @classmethod
    def fit(cls, space: Space, screen: pygame.Surface | tuple[int, int]) -> Camera:
        """Return the camera that shows a whole map as large as the screen allows, in the middle."""
        wide, high = _size(screen)
        low, far = checked_space(space, "A camera needs").extent[:, :2]
        size = np.maximum(far - low, 1e-9)
        return cls(low + size / 2, float(min((wide, high) / size)), y_up=space.y_up)

    @property
    def position(self) -> tuple[float, float]:
        """(x, y), the world position at the center of the screen."""
        return self._position

    @position.setter
    def position(self, value: ArrayLike) -> None:
        x, y = checks.position(value, "The position of a camera is one (x, y) pair").tolist()
        self._position = (x, y)

    @property
    def zoom(self) -> float:
        """Pixels per world unit."""
        return self._zoom

    @zoom.setter
    def zoom(self, value: float) -> None:
        self._zoom = checks.positive("zoom", value)

    def to_screen(
        self, positions: ArrayLike, screen: pygame.Surface | tuple[int, int]
    ) -> NDArray[np.float64]:
        """Return the pixels of world positions on a surface, or on one of (width, height): (2,) for
        one, (N, 2) for many.
        """
        points, single = checks.positions(positions)
        pixels = (points - self._position) * self.zooms + np.array(_size(screen)) / 2
        return np.asarray(pixels[0] if single else pixels)

    def to_world(
        self, pixels: ArrayLike, screen: pygame.Surface | tuple[int, int]
    ) -> NDArray[np.float64]:
        """Return the world positions of pixels on a surface, such as a mouse position."""
        points, single = checks.positions(pixels)
        positions = (points - np.array(_size(screen)) / 2) / self.zooms + self._position
        return np.asarray(positions[0] if single else positions)

    @property
    def zooms(self) -> tuple[float, float]:
        """Pixels to the right and downwards per world unit of x and y."""
        return self._zoom, -self._zoom if self.y_up else self._zoom


def draw(
    surface: pygame.Surface,
    layer: Any,
    camera: Camera | None = None,
    *,
    space: Space | None = None,
    colors: ColorScale | None = None,
    limits: tuple[float, float] | None = None,
    threshold: float | None = 0.0,
    opacity: float = 1.0,
) -> None:
    """Draw a layer onto a pygame surface, over what is there.

    With `limits` or `colors` only the cells in view are read, at most one per pixel, so that a
    large map costs no more than the screen. A torus repeats itself.

    Parameters
    ----------
    surface : pygame.Surface
        The display, or any other.
    layer : Layer, Expression or array_like
        As for `frame`.
    camera : Camera, optional
        What to show; by default the whole map, as large as fits.
    space : Space, optional
        The map of an array.
    colors, limits, threshold
        As for `frame`.
    opacity : float, optional
        Of the layer over what was there, 0 to 1.

    Raises
    ------
    InvalidValue
        For values in view that are not finite and for a camera whose `y_up` differs from the map's.
    MissingLibrary
        Without pygame.
    """
    try:
        import pygame
    except ImportError:
        raise MissingLibrary("pygame-ce", "view", "Drawing onto a pygame surface") from None
    if not isinstance(surface, pygame.Surface):
        raise InvalidValue(
            "A layer is drawn onto a pygame.Surface",
            got=type(surface).__name__,
            remedy="Pass pygame.display.get_surface(), say",
        )
    subject, _ = subject_of(layer, space, finite=False)
    ground = subject.space
    view = camera if camera is not None else Camera.fit(ground, surface)
    if view.y_up != ground.y_up:
        raise InvalidValue(
            "A camera and the map that it shows agree on y_up",
            got=f"y_up={view.y_up} for a map with {ground.y_up}",
            remedy=f"Pass y_up={ground.y_up}",
        )
    shown = scale_for(subject, colors, limits, threshold)
    table = np.zeros((HIDDEN + 1, 4), dtype=np.uint8)  # transparent at `HIDDEN`
    table[: len(shown.table), :3] = shown.table
    table[: len(shown.table), 3] = round(255 * checks.fraction("opacity", opacity))
    in_view = _grid_in_view if isinstance(ground, Grid) else _above_in_view
    pixels, corner = in_view(subject, view, shown, table.view(np.uint32)[:, 0], surface.get_size())
    if pixels.size:
        image = pygame.image.frombuffer(pixels.tobytes(), pixels.shape[::-1], "RGBA")
        surface.blit(image, corner)


Size = tuple[int, int]
Pixels = NDArray[np.uint32]
"""RGBA colors as one number each."""


def _grid_in_view(
    subject: Subject, camera: Camera, colors: ColorScale, table: Pixels, size: Size
) -> tuple[Pixels, Size]:
    """Return the pixels that show a grid, and the first of them (x, y) on the screen."""
    space = subject.space
    assert isinstance(space, Grid)
    across, down = (
        (np.arange(side) + 0.5 - side / 2) / zoom + middle
        for side, zoom, middle in zip(size, camera.zooms, camera.position, strict=True)
    )
    left, columns, repeat_columns = _cells(across, space, 0, space.width)
    top, rows, repeat_rows = _cells(down, space, 1, space.height)
    if not len(columns) or not len(rows):
        return np.zeros((0, 0), dtype=np.uint32), (0, 0)
    if space.y_up:
        rows = space.height - 1 - rows
    # Rows first, and only as far as columns are in view: single cells gathered from a large map are
    # slow.
    part = subject.values[rows, columns.min() : columns.max() + 1]
    values = plain_values(part.take(columns - columns.min(), axis=1), "values in view")
    cells = table.take(colors.index(values))
    return cells.take(repeat_columns, axis=1).take(repeat_rows, axis=0), (left, top)


def _above_in_view(
    subject: Subject, camera: Camera, colors: ColorScale, table: Pixels, size: Size
) -> tuple[Pixels, Size]:
    """Return the pixels of a screen that shows a space from above: of cells above each other the
    highest shows.
    """
    space = subject.space
    polygons, reach = outlines(space)
    places = camera.to_screen(space.positions[:, :2], size)
    margin = reach * camera.zoom + 1
    near = ((places >= -margin) & (places <= np.array(size) + margin)).all(axis=1)
    values = np.where(near, subject.values.reshape(-1), 0)
    index = colors.index(plain_values(values, "values in view", dimensions=(1,)))
    if subject.unknown is not None:
        index[subject.unknown.reshape(-1)] = HIDDEN
    order = np.flatnonzero(near & (index != HIDDEN))
    if space.dimensions == 3:
        order = order[np.argsort(space.positions[order, 2], kind="stable")]
    brush = Brush(size[1], size[0])
    if polygons is None:
        found = brush.nearest(places[order], max(_DOT * reach * camera.zoom, 2.0))
        owners = np.where(found >= 0, order[found], -1) if len(order) else found
    else:
        corners, starts = polygons
        owners = brush.polygons(
            camera.to_screen(corners, size), starts, np.arange(len(corners)), order
        )
    return np.append(table.take(index), np.uint32(0))[owners], (0, 0)


def _cells(
    places: NDArray[np.floating[Any]], space: Grid, axis: int, count: int
) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """Return, along one axis, the first pixel that shows the map, the cells in view in order, and
    which of them each pixel shows.
    """
    cells = np.floor((places - space.origin[axis]) / space.cell_size)
    shown = np.full(len(cells), space.wrap) | ((cells >= 0) & (cells < count))
    first = int(shown.argmax())
    cells = np.mod(cells[shown], count).astype(np.int64)
    starts = np.diff(cells, prepend=-1) != 0
    return first, cells[starts], np.cumsum(starts) - 1


def _size(screen: pygame.Surface | tuple[int, int]) -> Size:
    """Return (width, height) of a surface, or of a pair of numbers."""
    size: Any = screen
    if not isinstance(screen, (tuple, list)):
        size = getattr(screen, "get_size", lambda: screen)()
    if not isinstance(size, (tuple, list)) or len(size) != 2:
        raise InvalidValue(
            "A screen is a pygame.Surface or (width, height) in pixels",
            got=repr(screen)[:80],
            remedy="Pass the surface that you draw on",
        )
    width = checks.integer("The width of the screen", size[0], minimum=1)
    return width, checks.integer("The height of the screen", size[1], minimum=1)
