"""Rehearses the bot without StarCraft II: a skirmish of marines against zealots.

    python rehearse.py         # writes rehearsal.png

The bot gets the classes of burnysc2 that a real game gives it, made here by hand, and what it
orders is done by the simple rules below. Change bot.py, and look at the picture again.
"""

import asyncio

import numpy as np
from bot import Bot
from s2clientprotocol import common_pb2, data_pb2, raw_pb2, sc2api_pb2
from sc2.game_data import GameData
from sc2.game_info import GameInfo
from sc2.game_state import GameState

import fieldcraft as fc

MARINE = 48
ZEALOT = 73
WEAPONS = {MARINE: (6.0, 5.0, 0.61), ZEALOT: (16.0, 0.1, 0.86)}  # damage, range, seconds
STEP = 8 / 22.4  # seconds; the bot is called every eighth frame
SPEED = {MARINE: 3.15, ZEALOT: 3.15}
pathing = np.ones((40, 60), dtype=np.uint8)  # [y, x], 0 is a wall
pathing[18:22, 12:26] = 0
pathing[10:30, 38:41] = 0


def image(table: np.ndarray, bits: int) -> common_pb2.ImageData:
    if bits == 1:
        data = np.packbits(table != 0)
    else:
        data = table.astype(np.uint8)
    size = common_pb2.Size2DI(x=table.shape[1], y=table.shape[0])
    return common_pb2.ImageData(bits_per_pixel=bits, size=size, data=data.tobytes())


def rules() -> sc2api_pb2.ResponseData:
    units = [
        data_pb2.UnitTypeData(
            unit_id=kind,
            name=str(kind),
            available=True,
            movement_speed=SPEED[kind],
            weapons=[
                data_pb2.Weapon(
                    type=data_pb2.Weapon.Any, damage=damage, range=reach, speed=pause, attacks=1
                )
            ],
        )
        for kind, (damage, reach, pause) in WEAPONS.items()
    ]
    orders = [
        data_pb2.AbilityData(ability_id=16, available=True, target=data_pb2.AbilityData.Point),
        data_pb2.AbilityData(
            ability_id=3674, available=True, target=data_pb2.AbilityData.PointOrUnit
        ),
    ]
    return sc2api_pb2.ResponseData(units=units, abilities=orders)


def game_info() -> sc2api_pb2.ResponseGameInfo:
    height, width = pathing.shape
    raw = raw_pb2.StartRaw(
        map_size=common_pb2.Size2DI(x=width, y=height),
        placement_grid=image(np.zeros_like(pathing), 1),
        terrain_height=image(pathing, 8),
        playable_area=common_pb2.RectangleI(
            p0=common_pb2.PointI(x=1, y=1), p1=common_pb2.PointI(x=width - 1, y=height - 1)
        ),
        start_locations=[common_pb2.Point2D(x=52.5, y=34.5)],
        pathing_grid=image(pathing, 1),
    )
    players = [
        sc2api_pb2.PlayerInfo(
            player_id=n, race_requested=common_pb2.Terran, race_actual=common_pb2.Terran
        )
        for n in (1, 2)
    ]
    return sc2api_pb2.ResponseGameInfo(map_name="rehearsal", start_raw=raw, player_info=players)


class Skirmish:
    """Units by tag: kind, side (1 ours, 4 the enemy's), position, health, weapon cooldown."""

    def __init__(self) -> None:
        places = [(MARINE, 1, 5 + n % 3, 5 + n // 3) for n in range(9)]
        places += [(ZEALOT, 4, 50 + n % 3, 28 + n // 3) for n in range(6)]
        self.kind = {tag: kind for tag, (kind, *_) in enumerate(places, 1)}
        self.side = {tag: side for tag, (_, side, *_) in enumerate(places, 1)}
        self.at = {tag: np.array([x + 0.5, y + 0.5]) for tag, (*_, x, y) in enumerate(places, 1)}
        self.health = {tag: 45.0 if kind == MARINE else 150.0 for tag, kind in self.kind.items()}
        self.cooldown = dict.fromkeys(self.kind, 0.0)
        self.trails = {tag: [self.at[tag]] for tag in self.kind}
        self.grid = fc.Grid(walls=pathing == 0, neighbors=8)

    def seen(self, frame: int) -> GameState:
        units = [
            raw_pb2.Unit(
                unit_type=self.kind[tag],
                tag=tag,
                alliance=self.side[tag],
                pos=common_pb2.Point(x=self.at[tag][0], y=self.at[tag][1], z=10),
                radius=0.4,
                display_type=raw_pb2.Visible,
                build_progress=1.0,
                health=self.health[tag],
                health_max=150,
                weapon_cooldown=22.4 * self.cooldown[tag],
            )
            for tag in self.alive()
        ]
        sight = raw_pb2.MapState(
            visibility=image(np.full_like(pathing, 2), 8), creep=image(np.zeros_like(pathing), 1)
        )
        raw = raw_pb2.ObservationRaw(units=units, map_state=sight)
        seen = sc2api_pb2.Observation(game_loop=frame, raw_data=raw)
        return GameState(sc2api_pb2.ResponseObservation(observation=seen))

    def alive(self, side: int | None = None) -> list[int]:
        return [
            tag
            for tag, health in self.health.items()
            if health > 0 and side in (None, self.side[tag])
        ]

    def gap(self, one: int, other: int) -> float:
        return float(np.linalg.norm(self.at[one] - self.at[other])) - 0.8

    def obey(self, actions: list) -> None:
        for tag in self.alive():
            self.cooldown[tag] = max(0.0, self.cooldown[tag] - STEP)
        for action in actions:
            tag = action.unit.tag
            target = action.target
            if hasattr(target, "tag"):
                self.shoot(tag, target.tag)
            else:
                self.walk(tag, np.array([target.x, target.y]))
        for tag in self.alive(4):  # zealots run to the nearest marine
            near = min(self.alive(1), key=lambda other: self.gap(tag, other), default=None)
            if near is not None and self.gap(tag, near) > WEAPONS[ZEALOT][1]:
                distances = fc.distance_map(self.grid, self.at[near])
                self.walk(tag, distances.step(self.at[tag]).positions)
            elif near is not None:
                self.shoot(tag, near)

    def walk(self, tag: int, goal: np.ndarray) -> None:
        line = goal - self.at[tag]
        length = float(np.linalg.norm(line))
        to = self.at[tag] + line * min(1.0, SPEED[self.kind[tag]] * STEP / max(length, 1e-9))
        if pathing[int(to[1]), int(to[0])]:
            self.at[tag] = to
            self.trails[tag].append(to)

    def shoot(self, tag: int, target: int) -> None:
        damage, reach, pause = WEAPONS[self.kind[tag]]
        if self.cooldown[tag] == 0 and self.gap(tag, target) <= reach:
            self.health[target] -= damage
            self.cooldown[tag] = pause


def rehearse(steps: int = 120) -> tuple[Bot, Skirmish]:
    info = game_info()
    skirmish = Skirmish()
    bot = Bot()
    bot._initialize_variables()
    bot._prepare_start(
        client=None, player_id=1, game_info=GameInfo(info), game_data=GameData(rules())
    )
    for number in range(steps):
        bot._prepare_step(skirmish.seen(8 * number), sc2api_pb2.Response(game_info=info))
        if number == 0:
            asyncio.run(bot.on_start())
        asyncio.run(bot.on_step(number))
        skirmish.obey(bot.actions)
        bot.actions.clear()
        if not skirmish.alive(1) or not skirmish.alive(4):
            break
    return bot, skirmish


if __name__ == "__main__":
    bot, skirmish = rehearse()
    marines = len(skirmish.alive(1))
    zealots = len(skirmish.alive(4))
    danger = bot.field.danger["ground"]
    place = fc.view.Placement(bot.field.ground, scale=16)
    picture = fc.view.frame(danger, scale=16, space=bot.field.ground)
    for tag, trail in skirmish.trails.items():
        color = "#6db6ff" if skirmish.side[tag] == 1 else "#ffd166"
        fc.view.draw_lines(picture, place, [trail], color=color, width=2)
        if tag in skirmish.alive():
            fc.view.draw_dots(picture, place, skirmish.at[tag], color=color, width=11)
    fc.view.save_png("rehearsal.png", picture)
    print(f"{marines} of 9 marines and {zealots} of 6 zealots are left; see rehearsal.png")
    print("Blue: marines. Yellow: zealots. Red ground: where zealots reach.")
