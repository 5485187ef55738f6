"""A layer on the user's own pygame surface, through a camera."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, MissingLibrary
from fieldcraft.space import Grid, Space
from fieldcraft.space.kinds import checked_space
from fieldcraft.view.colors import HIDDEN, ColorScale, plain_values
from fieldcraft.view.frame import scale_for
from fieldcraft.view.placement import Subject, subject_of
from fieldcraft.view.plan_graph import outlines

if TYPE_CHECKING:
    import pygame

__all__ = ["Camera", "draw"]

_DOT = 0.3


class Camera:
    """The camera: the part of the world that a window shows.

    All three may be set at any time. Screen positions are pixels (x, y) from the top left corner of
    the surface.

    Parameters
    ----------
    position : array_like, optional
        (x, y), the world position at the center of the screen.
    zoom : float, optional
        Pixels per world unit, above 0.
    y_up : bool, optional
        Whether the world's y grows upwards, as the map's.
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
        """The camera that shows a whole map as large as the screen allows, in the middle."""
        wide, high = _size(screen)
        low, far = checked_space(space, "A camera needs").extent[:, :2].tolist()
        extent = (max(far[0] - low[0], 1e-9), max(far[1] - low[1], 1e-9))
        center = (low[0] + extent[0] / 2, low[1] + extent[1] / 2)
        return cls(center, min(wide / extent[0], high / extent[1]), y_up=space.y_up)

    @property
    def position(self) -> tuple[float, float]:
        """(x, y), the world position at the center of the screen."""
        return self._position

    @position.setter
    def position(self, value: ArrayLike) -> None:
        points, single = checks.positions(value)
        if not single:
            raise InvalidValue(
                "The position of a camera is one (x, y) pair",
                got=repr(value)[:80],
                remedy="Pass (x, y)",
            )
        self._position = (float(points[0, 0]), float(points[0, 1]))

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
        """The pixels of world positions on a surface, or on one of (width, height): (2,) for one,
        (N, 2) for many.
        """
        points, single = checks.positions(positions)
        pixels = (points - self._position) * (self._zoom, self._down) + np.array(_size(screen)) / 2
        return pixels[0] if single else pixels

    def to_world(
        self, pixels: ArrayLike, screen: pygame.Surface | tuple[int, int]
    ) -> NDArray[np.float64]:
        """The world positions of pixels on a surface, a mouse position, say; `to_screen`
        backwards.
        """
        points, single = checks.positions(pixels)
        positions = (points - np.array(_size(screen)) / 2) / (
            self._zoom,
            self._down,
        ) + self._position
        return positions[0] if single else positions

    @property
    def _down(self) -> float:
        return -self._zoom if self.y_up else self._zoom


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
    """Draw a layer onto a pygame surface; what was there shows through where the layer is not
    drawn.

    With `limits` or `colors` only the cells in view are looked at, at most one per pixel, so that a
    large map costs no more than the screen. A torus repeats itself.

    Parameters
    ----------
    surface:
        a `pygame.Surface` of yours, the display or any other.
    layer:
        a layer (anything with `values` and `space`), or an array of numbers of shape (height,
        width).
    camera:
        what to show; the whole map, as large as fits, if absent.
    space:
        the map of an array that comes without one.
    colors:
        a color scale, instead of `limits` and `threshold`.
    limits:
        (low, high), the values that get the end colors; 0 to the strongest value on the whole map
        if absent.
    threshold:
        nothing is drawn where `abs(value) <= threshold`; None draws every cell.
    opacity:
        of the layer over what was there, 0 to 1.

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
    if not isinstance(ground, Grid):
        _draw_from_above(surface, subject, view, shown, checks.fraction("opacity", opacity))
        return
    wide, high = surface.get_size()
    wraps = ground.wrap
    across = view.to_world(np.stack([np.arange(wide) + 0.5, np.zeros(wide)], axis=1), (wide, high))[
        :, 0
    ]
    down = view.to_world(np.stack([np.zeros(high), np.arange(high) + 0.5], axis=1), (wide, high))[
        :, 1
    ]
    left, columns, repeat_columns = _cells(
        across, ground.origin[0], ground.cell_size, ground.width, wraps
    )
    top, rows, repeat_rows = _cells(down, ground.origin[1], ground.cell_size, ground.height, wraps)
    if not len(columns) or not len(rows):
        return
    if ground.y_up:
        rows = ground.height - 1 - rows
    # Rows first, and only as far as columns are in view: single cells gathered from a large map are
    # slow.
    strip = subject.values[rows, columns.min() : columns.max() + 1]
    values = plain_values(strip.take(columns - columns.min(), axis=1), "values in view")
    patch = pygame.Surface((len(repeat_columns), len(repeat_rows)), pygame.SRCALPHA, 32)
    image = _packed_table(shown, checks.fraction("opacity", opacity), patch.get_shifts()).take(
        shown.index(values)
    )
    pixels = pygame.surfarray.pixels2d(patch)
    image.take(repeat_columns, axis=1).take(repeat_rows, axis=0, out=pixels.T, mode="clip")
    del pixels  # it locks the surface
    surface.blit(patch, (left, top))


def _draw_from_above(
    surface: pygame.Surface, subject: Subject, camera: Camera, colors: ColorScale, opacity: float
) -> None:
    """Draw the cells in view that the scale does not hide; of those above each other the highest
    shows.
    """
    import pygame

    space = subject.space
    places = camera.to_screen(space.positions[:, :2], surface)
    drawn, reach = outlines(space)
    margin = reach * camera.zoom + 1
    wide, high = surface.get_size()
    near = ((places >= -margin) & (places <= (wide + margin, high + margin))).all(axis=1)
    flat = subject.values.reshape(-1)
    values = plain_values(np.where(near, flat, 0), "values in view", dimensions=(1,))
    shown = near & (colors.index(values) != HIDDEN)
    if subject.unknown is not None:
        shown &= ~subject.unknown.reshape(-1)
    patch = surface if opacity == 1 else pygame.Surface((wide, high), pygame.SRCALPHA, 32)
    order = np.flatnonzero(shown)
    if space.dimensions == 3:
        order = order[np.argsort(space.positions[order, 2], kind="stable")]
    tints = colors.rgb(values)[order].tolist()
    if drawn is None:
        radius = max(_DOT * reach * camera.zoom, 2.0)
        for place, tint in zip(places[order].tolist(), tints, strict=True):
            pygame.draw.circle(patch, tint, place, radius)
    else:
        corners, starts = drawn
        pixels = camera.to_screen(corners, surface).tolist()
        for cell, tint in zip(order.tolist(), tints, strict=True):
            pygame.draw.polygon(patch, tint, pixels[starts[cell] : starts[cell + 1]])
    if patch is not surface:
        patch.set_alpha(round(255 * opacity))
        surface.blit(patch, (0, 0))


def _cells(
    places: NDArray[np.float64], origin: float, cell_size: float, count: int, wraps: bool
) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """Along one axis: the first pixel that shows the map, the cells in view in order, and which of
    them each pixel shows.
    """
    cells = np.floor((places - origin) / cell_size)
    shown = np.ones(len(cells), dtype=np.bool_) if wraps else (cells >= 0) & (cells < count)
    first = int(shown.argmax())
    cells = np.mod(cells[shown], count).astype(np.int64)
    starts = np.ones(len(cells), dtype=np.bool_)
    starts[1:] = cells[1:] != cells[:-1]
    return first, cells[starts], np.cumsum(starts) - 1


def _packed_table(
    colors: ColorScale, opacity: float, shifts: tuple[int, int, int, int]
) -> NDArray[np.uint32]:
    """The colors as the numbers that a 32-bit surface holds; transparent at `HIDDEN`."""
    table = np.zeros(HIDDEN + 1, dtype=np.uint32)
    alpha = np.full(len(colors.table), round(255 * opacity), dtype=np.uint32)
    channels = [*colors.table.astype(np.uint32).T, alpha]
    for channel, shift in zip(channels, shifts, strict=True):
        table[: len(channel)] |= channel << np.uint32(shift)
    return table


def _size(screen: pygame.Surface | tuple[int, int]) -> tuple[int, int]:
    """(width, height) of a surface, or of a pair of numbers."""
    size = (
        screen
        if isinstance(screen, (tuple, list))
        else getattr(screen, "get_size", lambda: screen)()
    )
    if not isinstance(size, (tuple, list)) or len(size) != 2:
        raise InvalidValue(
            "A screen is a pygame.Surface or (width, height) in pixels",
            got=repr(screen)[:80],
            remedy="Pass the surface that you draw on",
        )
    return checks.integer("The width of the screen", size[0], minimum=1), checks.integer(
        "The height of the screen", size[1], minimum=1
    )
