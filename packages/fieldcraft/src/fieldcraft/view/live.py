"""Layers on graphs, meshes and hexagons on the user's own pygame surface: polygons, or dots and
edges, as many as are in view.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Space, picked
from fieldcraft.view.colors import HIDDEN, ColorScale, plain_values

if TYPE_CHECKING:
    import pygame

    from fieldcraft.view.placement import Subject
    from fieldcraft.view.window import Camera

__all__ = ["draw_from_above", "outlines"]

_EDGE = (70, 76, 90)
_DOT = 0.3


def draw_from_above(
    surface: pygame.Surface, subject: Subject, camera: Camera, colors: ColorScale, opacity: float
) -> None:
    """Draw the cells in view that the scale does not hide; of those above each other the highest
    shows.
    """
    import pygame

    space: Space = subject.space
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


def outlines(space: Space) -> tuple[tuple[NDArray[np.float64], list[int]] | None, float]:
    """The corners (x, y) of all cells and where those of each begin, None for vertices without a
    polygon; and how far a cell reaches.
    """
    return picked(space, "Drawing", hex=_of_hexagons, graph=_of_polygons)(space)


def _of_hexagons(space: Any) -> tuple[tuple[NDArray[np.float64], list[int]], float]:
    turn = np.radians(np.arange(6) * 60 + (30 if space.orientation == "pointy" else 0))
    ring = space.size * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    corners = (space.positions[:, np.newaxis] + ring).reshape(-1, 2)
    return (corners, list(range(0, 6 * len(space) + 1, 6))), float(space.size)


def _of_polygons(space: Space) -> tuple[tuple[NDArray[np.float64], list[int]] | None, float]:
    mesh = space.graph.mesh
    if mesh is None:
        return None, space.typical_step if len(space.ways.ends) else 1.0
    corners = mesh.corners[mesh.rings, :2]
    centers = np.repeat(space.positions[:, :2], np.diff(mesh.starts), axis=0)
    reach = float(np.hypot(*(corners - centers).T).max(initial=0.0))
    return (corners, mesh.starts.tolist()), reach
