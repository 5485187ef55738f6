"""A scene with its panel in one picture, for windows and films."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.view.picture_parts import Brush, wrapped
from fieldcraft_worlds.scene import Scene
from fieldcraft_worlds.view.camera import Camera
from fieldcraft_worlds.view.extent import extent_of, full_view, step_of
from fieldcraft_worlds.view.help import draw_help
from fieldcraft_worlds.view.panel import PANEL_WIDTH, Panel, Track, draw_panel
from fieldcraft_worlds.view.scene import SceneView, write_over

RGBA = NDArray[np.uint8]

_LEAST_MAP = 260
_NEAREST = 200.0  # pixels per cell, and as many screens across a map at the other end
_ZOOM_STEP = 1.2


class Viewport:
    """Pictures of one size, the map on the left and the panel on the right, if there is room.

    Parameters
    ----------
    width, height : int
        The size of the picture in pixels.
    has_panel : bool, optional
        Whether to show the panel.
    """

    def __init__(self, width: int, height: int, *, has_panel: bool = True) -> None:
        self.size = (
            checks.integer("The width of a picture", width, minimum=1),
            checks.integer("The height of a picture", height, minimum=1),
        )
        self.camera: Camera | None = None
        self._picture = np.zeros((height, width, 4), dtype=np.uint8)
        self._brush = Brush(height, width)
        self._tracks: tuple[Track, ...] = ()
        self.has_panel = has_panel

    @property
    def has_panel(self) -> bool:
        """Whether to show the panel."""
        return self._has_panel

    @has_panel.setter
    def has_panel(self, wanted: bool) -> None:
        self._has_panel = wanted
        width, height = self.size
        if wanted and width >= PANEL_WIDTH + _LEAST_MAP:
            self._panel_width = PANEL_WIDTH
        else:
            self._panel_width = 0
        self._view = SceneView(width - self._panel_width, height)
        self._panel = np.zeros((height, self._panel_width, 4), dtype=np.uint8)
        self._tracks = ()

    @property
    def map_size(self) -> tuple[int, int]:
        """The (width, height) of the map's part."""
        return self._view.size

    def draw(
        self,
        scene: Scene,
        panel: Panel | None = None,
        *,
        help_title: str = "",
        help_lines: Sequence[tuple[str, str]] = (),
    ) -> RGBA:
        """Return the picture, uint8 of shape (H, W, 4): an array that the next call overwrites.

        Lines of help are drawn over it.
        """
        picture = self._picture
        width = self.map_size[0]
        picture[:, :width] = self._view.draw(scene, self._camera_for(scene.space))
        if self._panel_width:
            self._tracks = draw_panel(
                self._panel, self._brush, scene, self._view.scale, panel or Panel()
            )
            picture[:, width:] = self._panel
        elif panel is not None:
            self._write_status(picture, [panel.status, *panel.notes])
        if help_lines:
            draw_help(picture, self._brush, help_title, help_lines)
        return picture

    def _write_status(self, picture: RGBA, lines: Sequence[str]) -> None:
        """Write the panel's status and notes over the map."""
        scale = 0.8
        baseline = 16
        for line in lines:
            for part in wrapped(line, max(self.size[0] - 12, 40), scale=scale):
                if part and baseline < self.size[1]:
                    write_over(self._brush, picture, 6, baseline, part, "ink", scale)
                    baseline += 17

    # Camera

    def fit(self) -> None:
        """Show the whole map again."""
        self.camera = None

    def world_at(self, space: Any, pixel: ArrayLike) -> tuple[float, float] | None:
        """Return the world position under a pixel; None outside the map."""
        point, _ = checks.positions(pixel)
        x, y = point[0].tolist()
        wide, high = self.map_size
        if not (0 <= x < wide and 0 <= y < high):
            return None
        found = self._camera_for(space).to_world((x, y), (wide, high))
        low, size = extent_of(space)
        inside = bool(((found >= low) & (found < low + size)).all())
        if inside:
            return (float(found[0]), float(found[1]))
        return None

    def track_at(self, pixel: tuple[float, float]) -> tuple[str, float] | None:
        """Return the slider under a pixel, and the share of its length there, 0 to 1; None without
        one.
        """
        x = pixel[0] - self.map_size[0]
        y = pixel[1]
        for track in self._tracks:
            if track.left - 6 <= x <= track.right + 6 and track.top <= y < track.bottom:
                return track.name, self.share_along(track.name, pixel[0])
        return None

    def share_along(self, name: str, x: float) -> float:
        """Return the share of a slider's length at the x of a pixel, 0 to 1."""
        for track in self._tracks:
            if track.name == name:
                share = (x - self.map_size[0] - track.left) / max(track.right - track.left, 1)
                return float(min(max(share, 0.0), 1.0))
        return 0.0

    def zoom(self, space: Any, steps: float, pixel: ArrayLike) -> None:
        """Zoom by some steps; the world under a pixel stays in place."""
        camera = self._own_camera(space)
        here = camera.to_world(pixel, self.map_size)
        cell = step_of(space)
        fit = full_view(space, self.map_size).zoom
        camera.zoom = float(
            np.clip(
                camera.zoom * _ZOOM_STEP**steps,
                min(fit / 4, _NEAREST / cell),
                max(_NEAREST / cell, fit),
            )
        )
        moved = here - camera.to_world(pixel, self.map_size)
        self._move(space, np.array(camera.position) + moved)

    def pan(self, space: Any, dx: float, dy: float) -> None:
        """Move the map by some pixels."""
        camera = self._own_camera(space)
        down = -dy if camera.y_up else dy
        self._move(space, np.array(camera.position) - np.array([dx, down]) / camera.zoom)

    def _move(self, space: Any, position: NDArray[np.float64]) -> None:
        low, size = extent_of(space)
        x, y = np.clip(position, low, low + size).tolist()
        self._own_camera(space).position = (x, y)

    def _own_camera(self, space: Any) -> Camera:
        if self.camera is None:
            self.camera = full_view(space, self.map_size)
        return self.camera

    def _camera_for(self, space: Any) -> Camera:
        if self.camera is not None:
            return self.camera
        return full_view(space, self.map_size)
