"""Colors of a scene's tones: teams by number, others by their role."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.view import TEAM_COLORS
from fieldcraft.view.picture_parts import parse_color
from fieldcraft_worlds.scene import ROLES, Tone

# Good, warning, danger and food differ in lightness, for players who see few colors.
_ROLES = {
    "ink": (230, 233, 239),
    "muted": (150, 157, 170),
    "good": (58, 170, 158),
    "warning": (242, 201, 76),
    "danger": (222, 72, 60),
    "path": (244, 214, 120),
    "front": (244, 245, 247),
    "flow": (176, 190, 214),
    "goal": (120, 220, 232),
    "food": (198, 238, 128),
    "neutral": (168, 172, 182),
    "dark": (8, 9, 12),
}
assert set(_ROLES) == set(ROLES)


def rgb_of_tone(tone: Tone) -> tuple[int, int, int]:
    """Return the color of a tone: the number of a team, a role, or "#rrggbb"."""
    if not isinstance(tone, str):
        if tone < 0:
            raise InvalidValue(
                "Teams are numbered from 0",
                got=str(tone),
                remedy='Pass a role such as "neutral" for no team',
            )
        return parse_color(TEAM_COLORS[int(tone) % len(TEAM_COLORS)])
    if not tone.startswith("#"):
        if tone not in _ROLES:
            raise UnknownName("color", tone, _ROLES)
        return _ROLES[tone]
    return parse_color(tone)


def rgb_of_tones(color: Tone | NDArray[Any], count: int) -> NDArray[np.uint8]:
    """Return the colors of `count` marks, shape (count, 3), from one tone for all or an array of
    team numbers.
    """
    if not isinstance(color, np.ndarray):
        return np.broadcast_to(np.array(rgb_of_tone(color), dtype=np.uint8), (count, 3))
    if color.shape != (count,) or color.dtype.kind not in "iu" or (count and color.min() < 0):
        raise InvalidValue(
            "Colors are one tone, or the number of a team for each",
            got=f"shape {color.shape}, dtype {color.dtype} for {count}",
            remedy="Pass whole numbers from 0, shape (N,)",
        )
    table = np.array([parse_color(each) for each in TEAM_COLORS], dtype=np.uint8)
    picked: NDArray[np.uint8] = table[color % len(table)]
    return picked
