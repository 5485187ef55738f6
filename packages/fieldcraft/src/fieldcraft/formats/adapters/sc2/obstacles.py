"""The cells of a game that units cannot walk on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.formats.adapters.sc2.enemies import fields
from fieldcraft.kernels.shared.arrays import Bools

__all__ = ["Obstacles", "climbable", "dilated"]

Box = tuple[int, int, int, int]
"""The left and lower edges of a rectangle of cells, and the right and upper ones, which are beyond
it.
"""

_WALKED_OVER = {
    "SUPPLYDEPOTLOWERED",
    "CREEPTUMOR",
    "CREEPTUMORQUEEN",
    "CREEPTUMORBURROWED",
    "FORCEFIELD",
}
_CLIFF = 16  # units of the game's height map from one level to the next
_SLANT = 4  # tolerance of that
_WIDEST = {1: 4, 2: 3}  # cells of a cliff, straight and diagonally


class Obstacles:
    """The cells that are blocked by the ground, resources, buildings and rocks, [y, x] with y up.

    `natural` are the blocked cells of the ground alone, at the beginning of the game.
    """

    def __init__(self, bot: Any) -> None:
        self._bot = bot
        self._pathing = self._seen()
        self.natural: Bools = ~self._pathing
        self._all = np.zeros(self._pathing.shape, dtype=np.int16)
        self._rocks = np.zeros(self._pathing.shape, dtype=np.int16)
        self._version: Any = None
        self.follow()

    @property
    def blocked(self) -> Bools:
        """The cells where ground units cannot walk."""
        return ~self._pathing | (self._all > 0)

    @property
    def occupied(self) -> Bools:
        """The cells with something on them."""
        return self._all > 0

    @property
    def without_rocks(self) -> Bools:
        """The blocked cells if all rocks had fallen: the ground below them counts as open."""
        return ~(self._pathing | (self._rocks > 0)) | (self._all > self._rocks)

    def blocked_for(self, kind: str, large: float) -> Bools:
        """Return the cells where a kind cannot move; `large` is the radius of large units."""
        if kind in ("air", "fighters"):
            area = self._bot.game_info.playable_area
            outside = np.ones_like(self.natural)
            outside[area.y : area.y + area.height, area.x : area.x + area.width] = False
            return outside
        if kind == "climber":
            return self.blocked & ~(self._cliffs & ~self.occupied)
        if kind == "large":
            return dilated(self.blocked, large)
        if kind == "rocks":
            return self.without_rocks
        return self.blocked

    @cached_property
    def _cliffs(self) -> Bools:
        return climbable(self.natural, self._bot.game_info.terrain_height.data_numpy)

    def follow(self) -> bool:
        """Update all cells, and return whether any changed."""
        pathing = self._seen()
        ground_changed = not np.array_equal(pathing, self._pathing)
        if ground_changed:
            self._pathing = pathing
        version = tuple(self._keys())
        if version == self._version:
            return ground_changed
        self._version = version
        self._all[:] = 0
        self._rocks[:] = 0
        for (left, low, right, high), is_rock in self._boxes():
            rows = slice(max(low, 0), max(high, 0))
            columns = slice(max(left, 0), max(right, 0))
            self._all[rows, columns] += 1
            self._rocks[rows, columns] += is_rock
        return True

    def _seen(self) -> Bools:
        """Return the cells that the bot knows to be open ground."""
        info = self._bot.game_info
        return np.asarray(np.fmax(info.pathing_grid.data_numpy, info.placement_grid.data_numpy) > 0)

    def _keys(self) -> Iterator[Any]:
        """Yield a key of each obstacle that is fast to read: boxes change only if a key does."""
        bot = self._bot
        for units in (bot.mineral_field, bot.vespene_geyser, bot.destructables):
            yield frozenset(fields(units, "tag"))
        for units in (bot.structures, bot.enemy_structures):
            yield frozenset(fields(units, "tag", "unit_type", "is_flying"))

    def _boxes(self) -> Iterator[tuple[Box, bool]]:
        """Yield the box of each obstacle, and whether it is a rock."""
        bot = self._bot
        for units, wide, high in ((bot.mineral_field, 2, 1), (bot.vespene_geyser, 3, 3)):
            for unit in units:
                left = int(unit.position[0] - wide / 2)
                low = int(unit.position[1] - high / 2)
                yield (left, low, left + wide, low + high), False
        for units, are_rocks in (
            (bot.structures, False),
            (bot.enemy_structures, False),
            (bot.destructables, True),
        ):
            for unit in units:
                if not unit.is_flying and unit.type_id.name not in _WALKED_OVER:
                    yield _footprint(unit), are_rocks


def _footprint(unit: Any) -> Box:
    """Return the cells below a building: a square about as wide as twice its radius."""
    half = getattr(unit, "footprint_radius", None) or int(unit.radius * 2) / 2
    x, y = unit.position
    return round(x - half), round(y - half), round(x + half), round(y + half)


def climbable(natural: Bools, height: NDArray[np.uint8]) -> Bools:
    """Return the cells of cliffs that reapers and colossi cross: blocked cells on a short line
    between open cells one level apart.

    `natural` and `height` are [y, x]; lines run in eight directions, over at most 4 blocked cells,
    diagonally 3.
    """
    found = np.zeros_like(natural)
    rows, columns = natural.shape
    level = height.astype(np.int16)
    for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for width in range(1, _WIDEST[abs(dy) + abs(dx)] + 1):
            down = dy * (width + 1)
            right = dx * (width + 1)
            # Pairs of cells at both ends of a line over `width` cells.
            here = (slice(0, rows - down), slice(max(-right, 0), columns - max(right, 0)))
            there = (slice(down, rows), slice(max(right, 0), columns + min(right, 0)))
            meets = (
                ~natural[here]
                & ~natural[there]
                & (np.abs(np.abs(level[here] - level[there]) - _CLIFF) <= _SLANT)
            )
            between = []
            for step in range(1, width + 1):
                y = dy * step
                x = dx * step
                part = (
                    slice(y, rows - down + y),
                    slice(max(-right, 0) + x, columns - max(right, 0) + x),
                )
                between.append(part)
                meets &= natural[part]
            for part in between:
                found[part] |= meets
    return found


def dilated(blocked: Bools, radius: float) -> Bools:
    """Return the cells in whose center a disc with a radius, in cells, touches a blocked cell;
    cells off the map count as open.
    """
    from scipy import ndimage

    reach = int(np.ceil(radius + 0.5)) - 1
    across = np.maximum(np.abs(np.arange(-reach, reach + 1)) - 0.5, 0)
    disc = np.hypot(across[:, np.newaxis], across) < radius
    return np.asarray(ndimage.binary_dilation(blocked, disc) | blocked)
