"""The camera of a window: the part of the world that it shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks

Size = tuple[int, int]


class Camera:
    """The part of the world that a window shows.

    Screen positions are pixels (x, y) from the top left corner.

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
    >>> from fieldcraft_worlds.view.camera import Camera
    >>> camera = Camera((10.0, 5.0), zoom=20.0)
    >>> camera.to_screen((10.0, 5.0), (400, 300))
    array([200., 150.])
    >>> camera.to_world((0, 0), (400, 300))
    array([ 0. , -2.5])
    """

    def __init__(
        self, position: ArrayLike = (0.0, 0.0), zoom: float = 1.0, *, y_up: bool = False
    ) -> None:
        x, y = checks.position(position, "The position of a camera is one (x, y) pair").tolist()
        self.position = (float(x), float(y))
        self.zoom = checks.positive("zoom", zoom)
        self.y_up = checks.flag("y_up", y_up)

    def __repr__(self) -> str:
        text = f"Camera at {self.position}, {self.zoom:g} pixels per world unit"
        if self.y_up:
            text += ", y_up=True"
        return f"<{text}>"

    @property
    def zooms(self) -> tuple[float, float]:
        """Pixels to the right and downwards per world unit of x and y."""
        return self.zoom, -self.zoom if self.y_up else self.zoom

    def to_screen(self, positions: ArrayLike, size: Size) -> NDArray[np.float64]:
        """Return the pixels of world positions on a screen of (width, height): (2,) for one, (N, 2)
        for many.
        """
        points, single = checks.positions(positions)
        pixels = (points - self.position) * self.zooms + np.array(size) / 2
        return np.asarray(pixels[0] if single else pixels)

    def to_world(self, pixels: ArrayLike, size: Size) -> NDArray[np.float64]:
        """Return the world positions of pixels on a screen, such as a mouse position."""
        points, single = checks.positions(pixels)
        positions = (points - np.array(size) / 2) / self.zooms + self.position
        return np.asarray(positions[0] if single else positions)
