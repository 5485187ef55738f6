from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import ndimage

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.adapters.sc2 import EFFECTS, UNITS, Battlefield, Threat
from fieldcraft.formats.adapters.sc2.enemies import by_weapons
from fieldcraft.formats.adapters.sc2.ground import Obstacles, dilated, regions_of
from support import realdata

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("sc2.bot_ai", reason="needs burnysc2")
    from s2clientprotocol import common_pb2, data_pb2, raw_pb2, sc2api_pb2
    from sc2.bot_ai import BotAI
    from sc2.game_data import GameData
    from sc2.game_info import GameInfo
    from sc2.game_state import GameState
    from sc2.pixel_map import PixelMap
    from sc2.position import Point2

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::UserWarning"
)  # of protobuf and python-sc2

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


@pytest.fixture
def game() -> Game:
    pathing = np.ones((30, 44), dtype=np.uint8)
    pathing[12:14, 5:30] = 0
    return Game(pathing, minerals=((20.0, 20.5),))


def test_cells_are_those_of_the_game(game: Game) -> None:
    field = Battlefield(game.bot)
    assert field.ground.shape == (30, 44)
    for x, y, wall in (
        (6.5, 12.5, True),
        (6.5, 11.5, False),
        (6.5, 14.5, False),
        (19.2, 20.4, True),
        (20.9, 20.4, True),
        (21.1, 20.4, False),
    ):
        assert bool(field.ground.walls.flat[field.ground.cell_at((x, y))]) == wall
    assert field.air.walls.flat[field.air.cell_at((1.5, 10.0))]
    assert not field.air.walls.flat[field.air.cell_at((2.5, 12.5))]
    assert field.grid("ground")[6, 12] == np.inf
    assert field.grid("ground")[6, 11] == 1


def test_danger_reaches_as_far_as_weapons_and_four_cells(game: Game) -> None:
    game.place(MARINE, 10.5, 6.5)
    game.place(BANSHEE, 30.5, 20.5, flying=True)
    game.place(ZEALOT, 36.5, 8.5)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    marine = 6.0 / 0.61
    assert field.danger_at((10.5 + 8.9, 6.5)) == pytest.approx(marine)
    assert field.danger_at((10.5 + 9.6, 6.5)) == 0
    assert field.danger_at((10.5, 6.5), "air") == pytest.approx(marine)
    assert field.danger_at((30.5, 20.5), "air") == 0
    assert field.danger_at((30.5, 20.5)) == pytest.approx(12 / 0.89)
    assert field.danger_at((36.5 + 3.9, 8.5)) == pytest.approx(8 / 0.86)
    assert field.danger_at((36.5 + 4.6, 8.5)) == 0
    shown = field.grid("ground")
    assert shown.shape == (44, 30)
    assert shown[10, 6] == pytest.approx(1 + marine)
    game.units.clear()
    game.step()
    field.update()
    assert field.danger["ground"].values.max() == 0


def test_those_whose_weapons_the_game_does_not_tell_stand_in_a_table(game: Game) -> None:
    game.place(BATTLECRUISER, 10.5, 6.5, flying=True)
    game.place(MARINE, 30.5, 20.5)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    assert field.danger_at((10.5, 6.5)) == UNITS["BATTLECRUISER"].ground
    assert field.danger_at((10.5, 6.5), "air") == pytest.approx(UNITS["BATTLECRUISER"].air)
    other = Battlefield(game.bot, threat=UNITS | {"MARINE": Threat(3.0, 2.0)})
    other.update()
    assert other.danger_at((30.5, 20.5)) == 3
    assert other.danger_at((30.5, 20.5), "air") == 0
    with pytest.raises(InvalidValue, match="threat"):
        Battlefield(game.bot, threat=3)  # type: ignore[arg-type]


def test_fighters_fear_only_what_shoots_from_the_ground(game: Game) -> None:
    game.place(MARINE, 10.5, 6.5)
    game.place(BATTLECRUISER, 30.5, 20.5, flying=True)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    assert field.is_safe((30.5, 20.5), "fighters")
    assert not field.is_safe((10.5, 6.5), "fighters")
    game.units[0].pos.x = 20.5
    game.step()
    field.update()
    assert field.danger_at((20.5, 6.5), "fighters") == field.danger_at((20.5, 6.5), "air") > 0


def test_finished_buildings_that_shoot_are_feared(game: Game) -> None:
    game.place(BUNKER, 20.5, 20.5, alliance=4, radius=1.5)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    assert field.danger_at((26.5, 20.5)) == pytest.approx(UNITS["BUNKER"].ground)
    game.units[0].build_progress = 0.5
    game.step()
    field.update()
    assert field.is_safe((26.5, 20.5))


def test_a_bile_is_feared_before_it_lands_though_it_is_told_of_no_more(game: Game) -> None:
    field = Battlefield(game.bot)
    bile = raw_pb2.Effect(
        effect_id=BILE, pos=[common_pb2.Point2D(x=35.5, y=20.5)], alliance=4, owner=2, radius=0.5
    )
    feared = []
    for frame in range(0, 80, 8):
        game.effects[:] = [bile] if frame < 40 else []
        game.step(frame)
        field.update()
        feared.append(not field.is_safe((35.5, 20.5)))
    assert feared == [frame >= 16 and frame <= 50 for frame in range(0, 80, 8)]


def test_grids_are_those_of_ares(game: Game) -> None:
    """The cost of a cell as ares-sc2 adds it up: a disc about the cell of a unit, tested from
    corner to corner.
    """
    rng = np.random.default_rng(4)
    kinds = {
        MARINE: (10.0, 9.0, 10.0, 9.0),
        BANSHEE: (12.0, 10.0, 0.0, 0.0),
        ZEALOT: (18.0, 4.0, 0.0, 0.0),
    }
    for number in range(25):
        kind = list(kinds)[number % 3]
        game.place(kind, *rng.uniform((3, 4), (41, 26)).tolist(), flying=kind == BANSHEE)
    game.step()
    names = {MARINE: "MARINE", BANSHEE: "BANSHEE", ZEALOT: "ZEALOT"}
    field = Battlefield(game.bot, threat={names[kind]: Threat(*row) for kind, row in kinds.items()})
    x, y = np.ogrid[:44, :30]
    for _ in range(4):
        field.update()
        for column, kind in ((0, "ground"), (0, "climber"), (2, "air")):
            theirs = np.where(field.space(kind).walls[::-1].T, np.inf, 1).astype(np.float32)
            for unit in game.bot.enemy_units:
                cost, radius = kinds[unit.type_id.value][column : column + 2]
                theirs[
                    (x - int(unit.position.x)) ** 2 + (y - int(unit.position.y)) ** 2 <= radius**2
                ] += cost
            assert np.array_equal(field.grid(kind), theirs)
        for unit in game.units:
            unit.pos.x, unit.pos.y = np.clip(
                rng.normal((unit.pos.x, unit.pos.y), 0.7), (3, 4), (41, 26)
            ).tolist()
        game.step()


def test_effects_and_a_table_of_threats(game: Game) -> None:
    game.place(MARINE, 10.5, 6.5)
    game.effects.append(
        raw_pb2.Effect(
            effect_id=STORM,
            pos=[common_pb2.Point2D(x=35.5, y=20.5)],
            alliance=4,
            owner=2,
            radius=1.5,
        )
    )
    game.step()
    field = Battlefield(
        game.bot,
        threat=lambda unit: Threat(7.0, 2.0) if unit.type_id.name == "MARINE" else by_weapons(unit),
    )
    field.update()
    assert field.danger_at((10.5, 6.5)) == 7
    assert field.danger_at((10.5, 6.5), "air") == 0
    for kind in ("ground", "air"):
        assert field.danger_at((35.5, 20.5), kind) == EFFECTS["PSISTORMPERSISTENT"].cost


def test_buildings_come_and_go(game: Game) -> None:
    field = Battlefield(game.bot)
    game.place(DEPOT, 30.0, 8.0, alliance=1, radius=1.1)
    game.step()
    field.update()
    cells = [field.ground.cell_at((x, y)) for x in (29.5, 30.5) for y in (7.5, 8.5)]
    assert field.ground.walls.flat[cells].all()
    assert not field.ground.walls.flat[field.ground.cell_at((31.5, 8.5))]
    game.units[0].unit_type = LOWERED
    game.step()
    field.update()
    assert not field.ground.walls.flat[cells].any()


def test_ways_go_round_danger(game: Game) -> None:
    game.place(MARINE, 22.5, 6.5)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    start, goal = (5.5, 6.5), (40.5, 6.5)
    assert not field.is_safe((22.5, 6.5))
    assert field.is_safe(np.array([start, goal])).all()
    through, round_ = field.pathfind(start, goal, weight=0.0), field.pathfind(start, goal)
    assert (
        np.asarray(field.danger_at(round_.positions)).sum()
        < np.asarray(field.danger_at(through.positions)).sum()
    )
    spot = field.safe_spots((16.5, 6.5))
    assert field.is_safe(spot)
    assert field.safe_spots(np.array([start, (16.5, 6.5)])).shape == (2, 2)


def test_many_units_take_the_ways_that_each_would(game: Game) -> None:
    game.place(MARINE, 22.5, 6.5)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    goal = (40.5, 6.5)
    units = np.array([(5.5, 6.5), (10.5, 25.5), (40.5, 20.5), (20.5, 13.5)])
    points = field.next_points(units, goal, ahead=4)
    for unit, point in zip(units, points, strict=True):
        whole = field.pathfind(unit, goal)
        start, rest = whole.positions[:5], field.pathfind(point, goal)
        walked = field.pathfind(start[0], point)
        assert walked.cost + rest.cost == pytest.approx(whole.cost)
        assert 1 < np.hypot(*(point - start[0])) <= 4 * 2**0.5


def test_ranged_units_shoot_from_where_they_are_safest(game: Game) -> None:
    game.place(ZEALOT, 22.5, 6.5)
    game.step()
    field = Battlefield(game.bot)
    field.update()
    units = np.array([(20.5, 6.5), (24.5, 4.5), (5.5, 25.5)])
    stands = field.firing_positions(units, (22.5, 6.5), 6.0)
    assert field.is_safe(stands[:2]).all()
    assert not field.is_safe(units[:2]).any()
    assert (np.hypot(*(stands[:2] - (22.5, 6.5)).T) <= 6).all()
    assert np.hypot(*(stands[:2] - units[:2]).T).max() <= 4
    assert np.hypot(*(stands[2] - (22.5, 6.5))) < np.hypot(*(units[2] - (22.5, 6.5))) - 3


def test_sight_goes_into_beliefs(game: Game) -> None:
    game.visibility[5:9, 10:20] = 2
    game.step()
    field = Battlefield(game.bot)
    assert field.seen.sum() == 40
    assert field.seen.ravel()[field.ground.cell_at((12.5, 6.5))]
    belief = fc.Belief(field.ground, speed=3.0)
    belief.observe(field.seen)
    assert belief.values[field.seen].sum() == 0


def test_a_battlefield_is_that_of_a_bot() -> None:
    with pytest.raises(InvalidValue, match="bot"):
        Battlefield("bot")


def test_the_block_of_the_guide_leads_units(game: Game) -> None:
    guide = Path(__file__).resolve().parents[5] / "docs" / "coming_from.md"
    section = guide.read_text().split("\n## StarCraft II\n")[1]
    block = section.split("```py\n")[1].split("```")[0]
    game.place(MARINE, 8.5, 8.5, alliance=1)
    game.place(MARINE, 30.5, 20.5, alliance=1)
    game.place(ZEALOT, 9.5, 8.5)
    game.step()
    near, far = sorted(game.bot.units, key=lambda unit: unit.position.x)
    goal, zealot = Point2((38.5, 24.5)), game.bot.enemy_units.first.position
    for unit in (near, far):
        names: dict[str, Any] = {"self": game.bot, "unit": unit, "goal": goal}
        exec(block, names)
        target = Point2(names["target"])
        if unit is near:
            assert target.distance_to(zealot) > unit.position.distance_to(zealot)
        else:
            assert target.distance_to(goal) < unit.position.distance_to(goal)


@pytest.mark.parametrize("path", realdata.files("sc2/grids", "*.npz"), ids=lambda path: path.stem)
def test_real_maps(path: Any) -> None:
    stored = np.load(path, allow_pickle=False)
    minerals = tuple(map(tuple, stored["unit_xy"][stored["unit_resource"] == 1].tolist()))
    field = Battlefield(Game(stored["pathing"], minerals).bot)
    ours = fc.load_map(path, neighbors=8)
    assert (
        field.ground.walls != ours.walls
    ).mean() < 0.02  # geysers, which this game does not have
    ends = stored["start_locations"]
    assert field.pathfind(ends[0], ends[1]).length > np.hypot(*(ends[0] - ends[1]))


def levels(game: Game, height: np.ndarray) -> None:
    """Tell the game how high its ground is."""
    game.bot.game_info.terrain_height = PixelMap(image(height, 8))


def test_climbers_cross_cliffs_of_one_level() -> None:
    pathing = np.ones((24, 40), dtype=np.uint8)
    pathing[:, 10:12] = 0  # a cliff
    pathing[:, 20:25] = 0  # too wide
    pathing[:, 32:34] = 0  # a wall between equal levels
    pathing[12, 10:12] = 1
    game = Game(pathing)
    height = np.full((24, 40), 191)
    height[:, 12:20], height[:, 25:] = 207, 223
    levels(game, height)
    game.place(DEPOT, 11.0, 5.0, radius=1.0)
    game.step()
    field = Battlefield(game.bot)
    walls = field.space("climber").walls[::-1]
    assert not walls[8:16, 10:12].any()
    assert walls[4:6, 10:12].all()
    assert walls[:, 21:24].all()
    assert walls[:, 32:34].all()
    around, over = (
        field.pathfind((5.5, 20.5), (16.5, 20.5)),
        field.pathfind((5.5, 20.5), (16.5, 20.5), "climber"),
    )
    assert over.length == pytest.approx(11)
    assert around.length > 15


@pytest.mark.parametrize("radius", [0.4, 0.75, 1.0, 1.6])
def test_large_units_keep_clear_of_walls(radius: float) -> None:
    rng = np.random.default_rng(3)
    blocked = rng.random((13, 17)) < 0.1
    found = dilated(blocked, radius)
    for y, x in np.ndindex(blocked.shape):
        gaps = [
            np.hypot(max(abs(y - v) - 0.5, 0), max(abs(x - u) - 0.5, 0))
            for v, u in np.argwhere(blocked)
        ]
        assert found[y, x] == (blocked[y, x] or min(gaps) < radius)


def test_large_units_do_not_fit_through_narrow_doors() -> None:
    pathing = np.ones((24, 40), dtype=np.uint8)
    pathing[12:14] = 0
    pathing[12:14, 8:10] = 1
    pathing[12:14, 30:34] = 1
    field = Battlefield(Game(pathing).bot)
    small, large = (field.pathfind((8.5, 5.5), (8.5, 20.5), kind) for kind in ("ground", "large"))
    assert small.length == pytest.approx(15, abs=1.5)
    assert large.positions[:, 0].max() > 30


def test_a_worm_is_taken_where_it_is_shorter(game: Game) -> None:
    for kind, x, y in ((NETWORK, 8.5, 6.5), (CANAL, 38.5, 24.5), (CANAL, 24.5, 6.5)):
        game.place(kind, x, y, alliance=1, radius=1.0)
    game.step()
    field = Battlefield(game.bot)
    told = field.journey((5.5, 5.5), (40.5, 25.5), toll=2.0)
    assert [worm.type_id.value for worm in told.worms] == [NETWORK, CANAL]
    assert told.worms[1].position == (38.5, 24.5)
    assert len(told.paths) == 2
    assert told.cost < field.pathfind((5.5, 5.5), (40.5, 25.5)).cost - 2
    assert len(field.journey((5.5, 5.5), (40.5, 25.5), toll=1000.0).paths) == 1
    assert not field.journey((5.5, 5.5), (12.5, 5.5)).worms
    assert not field.journey((5.5, 5.5), (40.5, 25.5), worms=()).worms


def test_rocks_are_walked_through_by_those_who_ask(game: Game) -> None:
    game.pathing[:12, 20:24] = 0
    game.info.start_raw.pathing_grid.CopyFrom(image(game.pathing, 1))
    game.place(ROCKS, 22.0, 6.0, alliance=3, radius=2.0)
    game.bot.game_info.pathing_grid = PixelMap(image(game.pathing, 1), in_bits=True)
    game.step()
    field = Battlefield(game.bot)
    if not len(game.bot.destructables):
        pytest.skip("this game has no rocks by that number")
    assert field.space("rocks").walls.sum() < field.ground.walls.sum()


def test_only_changes_are_stamped(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    field = Battlefield(game.bot)
    kinds = ("ground", "large", "climber", "rocks")
    for kind in kinds:
        field.space(kind)
    blocked = []
    for _ in range(30):
        if game.units and rng.random() < 0.4:
            del game.units[int(rng.integers(len(game.units)))]
        else:
            game.place(
                (DEPOT, LOWERED)[int(rng.integers(2))],
                *rng.integers(4, 26, 2).tolist(),
                alliance=int(rng.choice([1, 4])),
                radius=1.0,
            )
            game.units[-1].tag = int(rng.integers(10**9))
        game.step()
        field.update()
        fresh = Battlefield(game.bot)
        assert all(
            np.array_equal(field.space(kind).walls, fresh.space(kind).walls) for kind in kinds
        )
        blocked.append(int(field.ground.walls.sum()))
    assert (np.diff(blocked) > 0).any() and (np.diff(blocked) < 0).any()
    stamped = []
    monkeypatch.setattr(Obstacles, "_boxes", lambda self: stamped.append(self) or [])
    game.step()
    field.update()
    assert stamped == []


def test_regions_are_parted_by_chokes() -> None:
    walls = np.ones((30, 60), dtype=bool)
    walls[3:27, 3:25] = walls[3:27, 35:57] = False
    walls[13:17, 25:35] = False
    found = regions_of(fc.Grid(walls=walls, neighbors=8))
    assert len(found.regions) == 2
    (choke,) = [each for each in found.chokes if each.regions == (0, 1)][:1]
    assert choke.width == pytest.approx(4)
    assert 24 <= choke.position[0] <= 36
    assert found.at((10.5, 10.5)) != found.at((50.5, 10.5))
    assert found.at(np.array([(10.5, 10.5), (0.5, 0.5)])).tolist() == [found.at((10.5, 10.5)), -1]
    assert regions_of(fc.Grid(30, 20)).chokes == ()


@pytest.mark.parametrize(
    "path", realdata.files("sc2/grids", "*.npz")[:4], ids=lambda path: path.stem
)
def test_chokes_of_real_maps_part_their_regions(path: Any) -> None:
    field = Battlefield(Game(np.load(path, allow_pickle=False)["pathing"]).bot)
    found = field.regions
    assert 8 <= len(found.regions) <= 60
    closed = found.space.walls.copy()
    for choke in found.chokes:
        closed.reshape(-1)[choke.cells] = True
    parts = ndimage.label(~closed)[0].reshape(-1)
    inside = (parts > 0) & (found.of_cell >= 0)
    pairs = np.unique(np.stack([parts[inside], found.of_cell[inside]]), axis=1)
    assert len(np.unique(pairs[0])) == len(pairs[0]) == len(found.regions)
    a, b = (int(found.at(end)) for end in np.load(path, allow_pickle=False)["start_locations"][:2])
    assert a != b
