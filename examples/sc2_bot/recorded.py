"""A recording in place of a game: as much of a `BotAI` as a battlefield and `Tactics` read, without
python-sc2.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np


class Recorded:
    """A recording: a table with the `size` of the map, its packed `pathing`, the `goal`, and in
    `steps` the units of each step.

    A unit is (tag, name of its type, x, y, whether it flies, whose it is: 1 ours, 4 the enemy's).
    `dump` makes one of a bot's steps.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        width, height = told["size"]
        bits = np.frombuffer(zlib.decompress(base64.b64decode(told["pathing"])), dtype=np.uint8)
        pathing = np.unpackbits(bits)[: width * height].reshape(height, width)
        self._steps = told["steps"]
        self.count = len(self._steps)
        self.enemy_start_locations = [tuple(told["goal"])]
        area = SimpleNamespace(x=0, y=0, width=width, height=height)
        self.game_info = SimpleNamespace(
            pathing_grid=SimpleNamespace(data_numpy=pathing),
            placement_grid=SimpleNamespace(data_numpy=np.zeros_like(pathing)),
            terrain_height=SimpleNamespace(data_numpy=pathing * 191),
            playable_area=area,
        )
        self.state = SimpleNamespace(
            effects=[], game_loop=0, visibility=SimpleNamespace(data_numpy=np.full_like(pathing, 2))
        )
        self.structures, self.enemy_structures, self.destructables = [], [], []
        self.mineral_field, self.vespene_geyser = [], []
        self.units: list[Any] = []
        self.enemy_units: list[Any] = []

    def steps(self) -> Iterator[int]:
        """Go through the recording."""
        for number, units in enumerate(self._steps):
            self.state.game_loop = 8 * number
            made = [_unit(*row) for row in units]
            self.units = [unit for unit in made if unit.alliance == 1]
            self.enemy_units = [unit for unit in made if unit.alliance == 4]
            yield number


def dump(bot: Any, steps: list[list[Any]]) -> dict[str, Any]:
    """The table of a recording; call `row` for each unit in each step of a real bot, and write this
    at the end.
    """
    pathing = bot.game_info.pathing_grid.data_numpy
    packed = base64.b64encode(zlib.compress(np.packbits(pathing > 0).tobytes(), 9)).decode()
    return {
        "size": pathing.shape[::-1],
        "pathing": packed,
        "goal": list(bot.enemy_start_locations[0]),
        "steps": steps,
    }


def row(unit: Any) -> list[Any]:
    """A unit in a recording."""
    return [
        unit.tag,
        unit.type_id.name,
        round(unit.position[0], 1),
        round(unit.position[1], 1),
        unit.is_flying,
        unit.alliance,
    ]


def _unit(tag: int, name: str, x: float, y: float, flies: bool, alliance: int) -> Any:
    damage, reach = ARMS.get(name, (0.0, 0.0))
    return SimpleNamespace(
        tag=tag,
        type_id=_kind(name),
        position=(x, y),
        is_flying=flies,
        alliance=alliance,
        ground_dps=damage,
        ground_range=reach,
        air_dps=0.0 if name in GROUNDED else damage,
        air_range=reach,
    )


ARMS = {
    "MARINE": (9.8, 5.0),
    "ZERGLING": (10.0, 0.1),
    "ROACH": (11.2, 4.0),
    "HYDRALISK": (20.4, 5.0),
    "MUTALISK": (8.3, 3.0),
}
"""Damage a second and range; a game tells them itself."""
GROUNDED = {"ZERGLING", "ROACH"}
_KINDS: dict[str, Any] = {}


def _kind(name: str) -> Any:
    """One object a type, as python-sc2 has it."""
    return _KINDS.setdefault(name, _Kind(name))


class _Kind:
    def __init__(self, name: str) -> None:
        self.name = name
