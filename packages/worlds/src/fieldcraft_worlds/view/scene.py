"""Scenes as pixels, with NumPy alone, for pictures, films and windows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.view import ColorScale
from fieldcraft.view.picture_parts import ASCENT, LINE, SHAPES, Brush, lettered, measure
from fieldcraft_worlds.arrays import RGBA, Floats
from fieldcraft_worlds.scene import Arrows, Cones, Label, Lines, Marks, Scene, Tone
from fieldcraft_worlds.view.backdrop import PAGE, GridBackdrop, scale_of
from fieldcraft_worlds.view.camera import Camera
from fieldcraft_worlds.view.extent import full_view
from fieldcraft_worlds.view.graphground import GraphBackdrop
from fieldcraft_worlds.view.tones import rgb_of_tone, rgb_of_tones

# pixels: wider marks have a dark outline
_OUTLINE_FROM = 5.0
_OUTLINE = 1.2
_NOSE_FROM = 9.0
_LABEL = 14 / 13  # of a font of 13 pixels
_BAR = 2.6
_BAR_FROM = 6.0
_FARTHEST = 1e6  # pixels
_HEALTH_COLORS = ((0.0, 0.33, "danger"), (0.33, 0.66, "warning"), (0.66, 1.0, "good"))


def draw_scene(
    scene: Scene, size: tuple[int, int] = (960, 720), camera: Camera | None = None
) -> RGBA:
    """Return a scene as pixels: uint8 of shape (H, W, 4) for a size of (W, H), by default with the
    whole map.

    For many scenes use one `SceneView`, which caches. Raises `InvalidValue` for arrays in a scene
    with a wrong shape.
    """
    return SceneView(*size).draw(scene, camera)


class SceneView:
    """Draws scenes of one size in pixels, with caches.

    `scale` is the color scale of the last field, None without one.
    """

    def __init__(self, width: int, height: int) -> None:
        self.size = (
            checks.integer("The width of a picture", width, minimum=1),
            checks.integer("The height of a picture", height, minimum=1),
        )
        self.scale: ColorScale | None = None
        self._canvas = np.zeros((height, width, 4), dtype=np.uint8)
        self._brush = Brush(height, width)
        self._grid = GridBackdrop()
        self._graph = GraphBackdrop()

    def draw(self, scene: Scene, camera: Camera | None = None) -> RGBA:
        """Return the scene as pixels, uint8 of shape (H, W, 4): an array that the next call
        overwrites.
        """
        canvas = self._canvas
        view = camera if camera is not None else full_view(scene.space, self.size)
        self.scale = None if scene.field is None else scale_of(scene.field)
        ground = self._grid if hasattr(scene.space, "cell_size") else self._graph
        ground.draw(canvas, scene.space, view, scene.field, self.scale, scene.areas, self._brush)
        for cones in scene.cones:
            self._cones(canvas, cones, view)
        for lines in scene.lines:
            self._lines(canvas, lines, view)
        for arrows in scene.arrows:
            self._arrows(canvas, arrows, view)
        for marks in scene.marks:
            self._marks(canvas, marks, view)
        for label in scene.labels:
            self._label(canvas, label, view)
        if scene.headline:
            self._headline(canvas, scene.headline)
        return canvas

    # Parts

    def _cones(self, canvas: RGBA, cones: Cones, camera: Camera) -> None:
        pixels = self._pixels(cones.positions, camera)
        count = len(pixels)
        ahead = _screen_directions(cones.directions, count, camera)[0]
        radii = checks.numbers("radius", cones.radius, count) * camera.zoom
        angles = np.radians(checks.numbers("angle", cones.angle, count))
        opacity = checks.fraction("opacity", cones.opacity)
        near = _in_view(pixels, radii, self.size)
        for color, chosen in _groups(cones.color, count):
            picked = chosen & near
            self._brush.sectors(
                canvas, pixels[picked], ahead[picked], radii[picked], angles[picked], color, opacity
            )

    def _lines(self, canvas: RGBA, lines: Lines, camera: Camera) -> None:
        many = lines.points
        width = checks.positive("width", lines.width)
        opacity = checks.fraction("opacity", lines.opacity)
        shade = checks.fraction("shade", lines.shade) * opacity
        if isinstance(many, np.ndarray):
            if many.ndim != 3:
                raise InvalidValue(
                    "Lines are a tuple of arrays (N, 2), or one array (L, N, 2)",
                    got=f"shape {many.shape}",
                    remedy="Pass (points,) for one line",
                )
            count, length = many.shape[:2]
            pixels = self._pixels(many.reshape(-1, 2), camera).reshape(count, length, 2)
            starts = pixels[:, :-1].reshape(-1, 2)
            ends = pixels[:, 1:].reshape(-1, 2)
            owners = np.repeat(np.arange(count), max(length - 1, 0))
        else:
            count = len(many)
            drawn = [self._pixels(line, camera) for line in many]
            starts = np.concatenate([np.zeros((0, 2)), *(line[:-1] for line in drawn)])
            ends = np.concatenate([np.zeros((0, 2)), *(line[1:] for line in drawn)])
            owners = np.repeat(np.arange(count), [max(len(line) - 1, 0) for line in drawn])
        middle = (starts + ends) / 2
        half = np.abs(ends - starts).max(axis=1) / 2
        near = _in_view(middle, half + width + 3, self.size)
        starts = starts[near]
        ends = ends[near]
        owners = owners[near]
        if shade:
            self._brush.segments(canvas, starts, ends, width + 2.4, rgb_of_tone("dark"), shade)
        for color, chosen in _groups(lines.color, count):
            picked = chosen[owners]
            self._brush.segments(canvas, starts[picked], ends[picked], width, color, opacity)

    def _arrows(self, canvas: RGBA, arrows: Arrows, camera: Camera) -> None:
        pixels = self._pixels(arrows.positions, camera)
        vectors = _vectors(arrows.vectors, len(pixels), camera) * camera.zoom
        lengths = np.hypot(vectors[:, 0], vectors[:, 1])
        near = _in_view(pixels, lengths, self.size) & (lengths > 0)
        pixels = pixels[near]
        vectors = vectors[near]
        lengths = lengths[near]
        if not len(pixels):
            return
        spacing = checks.not_negative("spacing", arrows.spacing)
        if spacing:
            chosen = _thin(pixels, spacing)
            pixels = pixels[chosen]
            vectors = vectors[chosen] * (0.8 * spacing / lengths.max())
        tips = pixels + vectors / 2
        tails = pixels - vectors / 2
        barb = vectors * 0.3
        side = np.stack([-barb[:, 1], barb[:, 0]], axis=1) * 0.6
        starts = np.concatenate([tails, tips, tips])
        ends = np.concatenate([tips, tips - barb + side, tips - barb - side])
        width = checks.positive("width", arrows.width)
        opacity = checks.fraction("opacity", arrows.opacity)
        self._brush.segments(canvas, starts, ends, width + 2, rgb_of_tone("dark"), 0.45 * opacity)
        self._brush.segments(canvas, starts, ends, width, rgb_of_tone(arrows.color), opacity)

    def _marks(self, canvas: RGBA, marks: Marks, camera: Camera) -> None:
        shape = checks.choice("shape", marks.shape, (*SHAPES, "dot"))
        pixels = self._pixels(marks.positions, camera)
        count = len(pixels)
        widths = np.maximum(
            checks.numbers("size", marks.size, count) * camera.zoom,
            checks.not_negative("least", marks.least),
        )
        colors = rgb_of_tones(marks.color, count)
        opacity = checks.fraction("opacity", marks.opacity)
        near = _in_view(pixels, widths, self.size)
        if shape == "dot":
            side = max(1, round(float(widths.max(initial=1.0))))
            self._brush.dots(canvas, pixels[near], side, colors[near], opacity)
            return
        ahead, moving = _screen_directions(marks.directions, count, camera)
        if shape == "triangle":
            order = [(near & moving, shape), (near & ~moving, "disc")]
        else:
            order = [(near, shape)]
        for chosen, drawn in order:
            # Small marks have no outline, which would cover them.
            for picked, outline in (
                (chosen & (widths < _OUTLINE_FROM), 0.0),
                (chosen & (widths >= _OUTLINE_FROM), _OUTLINE),
            ):
                if picked.any():
                    self._brush.marks(
                        canvas,
                        pixels[picked],
                        widths[picked] / 2,
                        ahead[picked],
                        drawn,
                        outline,
                        colors[picked],
                        opacity,
                    )
        if shape == "disc" and marks.directions is not None:
            nosed = near & moving & (widths >= _NOSE_FROM)
            tips = pixels[nosed] + ahead[nosed] * widths[nosed, np.newaxis] * 0.5
            self._brush.segments(canvas, pixels[nosed], tips, 2.0, rgb_of_tone("ink"), opacity)
        if marks.health is not None:
            self._health(
                canvas, pixels, widths, checks.numbers("health", marks.health, count), near
            )

    def _health(
        self, canvas: RGBA, pixels: Floats, widths: Floats, health: Floats, near: NDArray[np.bool_]
    ) -> None:
        shown = near & (health < 1) & (widths >= _BAR_FROM)
        if not shown.any():
            return
        pixels = pixels[shown]
        widths = widths[shown]
        health = np.clip(health[shown], 0, 1)
        half = np.maximum(widths * 0.6, 5.0)
        left = pixels - np.stack([half, widths / 2 + 4], axis=1)
        right = left + np.stack([2 * half, np.zeros(len(half))], axis=1)
        self._brush.segments(canvas, left, right, _BAR + 1.6, rgb_of_tone("dark"), 0.85)
        ends = left + (right - left) * health[:, np.newaxis]
        for low, high, tone in _HEALTH_COLORS:
            picked = (health > low) & (health <= high)
            self._brush.segments(canvas, left[picked], ends[picked], _BAR, rgb_of_tone(tone), 1.0)

    def _label(self, canvas: RGBA, label: Label, camera: Camera) -> None:
        x, y = self._pixels(np.array([label.position]), camera)[0]
        if not (-500 < x < self.size[0] + 500 and -50 < y < self.size[1] + 50):
            return
        write_over(
            self._brush,
            canvas,
            round(x - measure(label.text, scale=_LABEL) / 2),
            round(y + 4),
            label.text,
            label.color,
            _LABEL,
        )

    def _headline(self, canvas: RGBA, text: str) -> None:
        wide, high = self.size
        scale = max(min(2.4, wide / (measure(text, bold=True) + 40)), 0.5)
        middle = high // 3
        half = round(LINE * scale)
        band = canvas[max(middle - half, 0) : middle + half]
        band[..., :3] = band[..., :3] // 3
        left = round((wide - measure(text, scale=scale, bold=True)) / 2)
        write_over(
            self._brush,
            canvas,
            left,
            middle + round(ASCENT * scale / 2),
            text,
            "ink",
            scale,
            bold=True,
        )

    def _pixels(self, positions: Any, camera: Camera) -> Floats:
        points, _ = checks.positions(
            positions,
            dimensions=np.shape(positions)[-1] if np.ndim(positions) == 2 and len(positions) else 2,
        )
        return np.clip(
            camera.to_screen(points[:, :2], self.size).reshape(-1, 2), -_FARTHEST, _FARTHEST
        )


def write_over(
    brush: Brush,
    canvas: RGBA,
    left: int,
    baseline: int,
    text: str,
    tone: Tone,
    scale: float = 1.0,
    *,
    bold: bool = False,
) -> None:
    """Write a line of text with a dark outline."""
    mask, x, y = lettered(text, scale, bold)
    for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        brush.stamp(canvas, mask, left + x + dx, baseline + y + dy, PAGE)
    brush.stamp(canvas, mask, left + x, baseline + y, rgb_of_tone(tone))


def _in_view(pixels: Floats, reach: Floats, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which marks with some reach around their pixel are in view."""
    margin = reach + 4
    x = pixels[:, 0]
    y = pixels[:, 1]
    return np.asarray(
        (x > -margin) & (y > -margin) & (x < size[0] + margin) & (y < size[1] + margin)
    )


def _vectors(vectors: Any, count: int, camera: Camera) -> Floats:
    """Return world vectors as screen vectors, y downwards, of world length."""
    found = np.asarray(vectors, dtype=np.float64)
    if found.ndim != 2 or len(found) != count or found.shape[1] < 2 or not np.isfinite(found).all():
        raise InvalidValue(
            "Vectors are finite, one for each position",
            got=f"shape {found.shape} for {count}",
            remedy="Pass an array of shape (N, 2)",
        )
    return found[:, :2] * (1.0, -1.0 if camera.y_up else 1.0)


def _screen_directions(
    directions: Any, count: int, camera: Camera
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return unit vectors of directions on the screen, and which of them have a length; without
    directions all point right.
    """
    if directions is None:
        return np.broadcast_to(np.array([1.0, 0.0]), (count, 2)), np.zeros(count, dtype=np.bool_)
    vectors = _vectors(directions, count, camera)
    lengths = np.hypot(vectors[:, 0], vectors[:, 1])
    moving = lengths > 1e-12
    unit = vectors / np.where(moving, lengths, 1.0)[:, np.newaxis]
    unit[~moving] = (1.0, 0.0)
    return unit, moving


def _groups(
    color: Tone | NDArray[Any], count: int
) -> list[tuple[tuple[int, int, int], NDArray[np.bool_]]]:
    """Return the colors that occur, each with its marks."""
    if not isinstance(color, np.ndarray):
        return [(rgb_of_tone(color), np.ones(count, dtype=np.bool_))]
    rgb_of_tones(color, count)  # raises for wrong colors
    return [(rgb_of_tone(int(number)), color == number) for number in np.unique(color)]


def _thin(pixels: Floats, spacing: float) -> NDArray[np.int64]:
    """Return the arrow nearest to the middle of each square of `spacing` pixels."""
    squares = np.floor(pixels / spacing).astype(np.int64)
    squares -= squares.min(axis=0)
    keys = squares[:, 1] * (int(squares[:, 0].max()) + 1) + squares[:, 0]
    off = np.abs(pixels / spacing - np.floor(pixels / spacing) - 0.5).max(axis=1)
    order = np.lexsort((off, keys))
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = np.diff(keys[order]) > 0
    return np.asarray(order[first])
