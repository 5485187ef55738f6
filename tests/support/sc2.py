"""A game of StarCraft II, as python-sc2 shows it to bots."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("sc2.bot_ai", reason="needs burnysc2")
    from s2clientprotocol import common_pb2, data_pb2, raw_pb2, sc2api_pb2
    from sc2.bot_ai import BotAI
    from sc2.game_data import GameData
    from sc2.game_info import GameInfo
    from sc2.game_state import GameState

WARNINGS = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
"""The warnings of protobuf and python-sc2."""


MARINE, BANSHEE, ZEALOT, DEPOT, LOWERED, MINERALS, ROCKS, STORM, BILE = (
    48,
    55,
    73,
    19,
    47,
    341,
    364,
    1,
    11,
)
NETWORK, CANAL, BATTLECRUISER, BUNKER = 95, 142, 57, 24


def image(table: np.ndarray, bits: int) -> Any:
    data = np.packbits(table != 0) if bits == 1 else table.astype(np.uint8)
    return common_pb2.ImageData(
        bits_per_pixel=bits,
        size=common_pb2.Size2DI(x=table.shape[1], y=table.shape[0]),
        data=data.tobytes(),
    )


def kinds() -> Any:
    """What the game says of five kinds of units."""
    ground = data_pb2.Weapon.Ground
    weapons = {
        MARINE: [(data_pb2.Weapon.Any, 6.0, 5.0, 0.61)],
        BANSHEE: [(ground, 12.0, 6.0, 0.89)],
        ZEALOT: [(ground, 8.0, 0.1, 0.86)],
    }
    units = [
        data_pb2.UnitTypeData(
            unit_id=unit,
            name=str(unit),
            available=True,
            movement_speed=2.25,
            attributes=[data_pb2.Structure]
            if unit in (DEPOT, LOWERED, NETWORK, CANAL, BUNKER)
            else [],
            weapons=[
                data_pb2.Weapon(type=kind, damage=damage, range=reach, speed=speed, attacks=1)
                for kind, damage, reach, speed in weapons.get(unit, [])
            ],
        )
        for unit in (
            MARINE,
            BANSHEE,
            ZEALOT,
            DEPOT,
            LOWERED,
            MINERALS,
            ROCKS,
            NETWORK,
            CANAL,
            BATTLECRUISER,
            BUNKER,
        )
    ]
    return sc2api_pb2.ResponseData(units=units)


class Game:
    """A game that is told by hand, through the classes that a real one is told by."""

    def __init__(self, pathing: np.ndarray, minerals: tuple[tuple[float, float], ...] = ()) -> None:
        self.pathing, self.units, self.effects, self.minerals = pathing, [], [], minerals
        height, width = pathing.shape
        self.visibility = np.zeros_like(pathing)
        corner, end = common_pb2.PointI(x=2, y=3), common_pb2.PointI(x=width - 2, y=height - 3)
        self.raw = raw_pb2.StartRaw(
            map_size=common_pb2.Size2DI(x=width, y=height),
            placement_grid=image(np.zeros_like(pathing), 1),
            terrain_height=image(pathing, 8),
            playable_area=common_pb2.RectangleI(p0=corner, p1=end),
            start_locations=[common_pb2.Point2D(x=5.5, y=5.5)],
            pathing_grid=image(pathing, 1),
        )
        self.info = sc2api_pb2.ResponseGameInfo(
            map_name="by hand",
            start_raw=self.raw,
            player_info=[
                sc2api_pb2.PlayerInfo(
                    player_id=n, race_requested=common_pb2.Terran, race_actual=common_pb2.Terran
                )
                for n in (1, 2)
            ],
        )
        self.bot = BotAI()
        self.bot._initialize_variables()
        self.bot._prepare_start(
            client=None, player_id=1, game_info=GameInfo(self.info), game_data=GameData(kinds())
        )
        self.step()

    def place(
        self,
        kind: int,
        x: float,
        y: float,
        alliance: int = 4,
        flying: bool = False,
        radius: float = 0.4,
    ) -> None:
        self.units.append(
            raw_pb2.Unit(
                unit_type=kind,
                tag=len(self.units) + 1,
                alliance=alliance,
                pos=common_pb2.Point(x=x, y=y, z=10),
                radius=radius,
                is_flying=flying,
                display_type=raw_pb2.Visible,
                build_progress=1.0,
                health=45,
                health_max=45,
            )
        )

    def step(self, frame: int = 1) -> None:
        neutral = [
            raw_pb2.Unit(
                unit_type=MINERALS,
                tag=10_000 + n,
                alliance=3,
                pos=common_pb2.Point(x=x, y=y, z=10),
                display_type=raw_pb2.Snapshot,
            )
            for n, (x, y) in enumerate(self.minerals)
        ]
        raw = raw_pb2.ObservationRaw(
            units=[*self.units, *neutral],
            effects=self.effects,
            map_state=raw_pb2.MapState(
                visibility=image(self.visibility, 8), creep=image(np.zeros_like(self.pathing), 1)
            ),
        )
        seen = sc2api_pb2.ResponseObservation(
            observation=sc2api_pb2.Observation(game_loop=frame, raw_data=raw)
        )
        self.bot._prepare_step(GameState(seen), sc2api_pb2.Response(game_info=self.info))
