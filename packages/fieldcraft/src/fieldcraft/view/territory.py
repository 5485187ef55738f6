"""The territory of teams: flat team colors, or the colors of all teams mixed by their shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view.colors import Color, lab_of, parse_color, plain_values, rgb_of
from fieldcraft.view.placement import Placement

__all__ = ["frame_owners", "frame_shares"]

RGBA = NDArray[np.uint8]


def frame_owners(
    owners: ArrayLike,
    colors: Sequence[Color],
    *,
    space: Any,
    scale: int | None = None,
    size: int = 1024,
    crop: bool = False,
    ground: Color | ArrayLike | None = "terrain",
    opacity: float = 0.6,
) -> RGBA:
    """The owner of each cell, in flat colors: uint8 of shape (H, W, 4).

    `owners` are whole numbers of shape (height, width): an index into `colors`, or -1 where the
    ground shows. Where a pixel holds several cells, the one in their middle counts. The other
    arguments are those of `frame`.

    Raises `InvalidValue` for another shape, and for indices that no colour belongs to.
    """
    place = Placement(space, scale=scale, size=size, crop=crop)
    held: NDArray[Any] = checks.array("Owners", owners)
    tones = np.array(
        [parse_color(color) for color in checks.sequence("colors", colors)], dtype=np.uint8
    ).reshape(-1, 3)
    if held.shape != tuple(space.shape) or held.dtype.kind not in "iu":
        raise InvalidValue(
            "Owners are whole numbers of the map's shape (height, width)",
            got=f"shape {held.shape}, dtype {held.dtype} on a map of {tuple(space.shape)}",
            remedy="Pass what teams.owner() gives",
        )
    if held.min(initial=0) < -1 or held.max(initial=-1) >= len(tones):
        raise InvalidValue(
            f"An owner is an index into the {len(tones)} colours, or -1",
            got=f"{held.min()} to {held.max()}",
            remedy="Pass one colour per team, in their order",
        )
    shown = place.middle(held)
    rgb = tones[np.maximum(shown, 0)] if len(tones) else np.zeros((*shown.shape, 3), np.uint8)
    return place.compose(rgb, shown >= 0, ground, opacity)


def frame_shares(
    shares: Sequence[ArrayLike],
    colors: Sequence[Color],
    *,
    space: Any,
    scale: int | None = None,
    size: int = 1024,
    crop: bool = False,
    ground: Color | ArrayLike | None = "terrain",
    opacity: float = 0.8,
) -> RGBA:
    """How much of each cell each team holds, their colours mixed by it: uint8 of shape (H, W, 4).

    `shares` has one array of shape (height, width) per team, at least 0. The ground shows where all
    are 0. The other arguments are those of `frame`.

    Raises `InvalidValue` for other shapes, negative shares and a number of colours that differs.
    """
    place = Placement(space, scale=scale, size=size, crop=crop)
    colors = checks.sequence("colors", colors)
    arrays = [
        plain_values(share, "shares", dimensions=(1, 2))
        for share in checks.sequence("shares", shares)
    ]
    if len(arrays) != len(colors) or not arrays:
        raise InvalidValue(
            "A picture of shares has one colour per team",
            got=f"{len(colors)} for {len(arrays)}",
            remedy="Pass as many colours as shares",
        )
    for array in arrays:
        if array.shape != tuple(space.shape) or array.min(initial=0) < 0:
            raise InvalidValue(
                "Shares are at least 0 and of the map's shape (height, width)",
                got=(
                    f"shape {array.shape}, lowest {array.min():g}, on a map of {tuple(space.shape)}"
                ),
                remedy="Pass what teams.share(name) gives",
            )
    parts = [place.mean(array) for array in arrays]
    total = np.add.reduce(parts)
    some = np.where(total > 0, total, 1)
    mixed = np.add.reduce(
        [
            (part / some)[..., np.newaxis] * lab_of(parse_color(color))
            for part, color in zip(parts, colors, strict=True)
        ]
    )
    rgb = np.rint(np.clip(rgb_of(mixed), 0, 255)).astype(np.uint8)
    return place.compose(rgb, total > 0, ground, opacity)
