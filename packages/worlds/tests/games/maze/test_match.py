"""The maze: whole matches are repeatable, monsters see, hunt, search, explore and forget, and hands
steer the player.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space.encoding import digest
from fieldcraft_worlds.games.maze import (
    MazeRules,
    MemoryRules,
    MonsterRules,
    PlayerRules,
    Settings,
)
from fieldcraft_worlds.games.maze.derived import MazeDerived
from fieldcraft_worlds.games.maze.orders import Explore, Lead, Steer
from fieldcraft_worlds.games.maze.plugin import GAME, KINDS
from fieldcraft_worlds.games.maze.rules import start, step
from fieldcraft_worlds.games.maze.state import (
    CAUGHT,
    EXPLORES,
    GOING,
    HUNTS,
    LATE,
    NOWHERE,
    OUT,
    SEARCHES,
    State,
)
from fieldcraft_worlds.play.session import play_out
from support import realdata
from support.refusals import refused

SMALL = Settings(
    treasures=3, rate=20, maze=MazeRules(width=21, height=15), monster=MonsterRules(count=2)
)


def small() -> fc.Grid:
    return fc.generate_map("maze", 21, 15, seed=4, loops=0.5)


def played(derived: MazeDerived, seed: int, steps: int) -> list[State]:
    """The states of so many steps, the first included."""
    rng = np.random.default_rng(seed)
    states = [start(derived, rng)]
    for _ in range(steps):
        states.append(step(derived, states[-1], (), rng))
    return states


def drawn(text: str, settings: Settings, **options: Any) -> tuple[MazeDerived, State]:
    """A map drawn with letters, and a state in which P is the player, M a monster, T a treasure and
    X the exit.
    """
    lines = text.split()
    cells = np.array([list(line) for line in lines])
    space = fc.Grid(len(lines[0]), len(lines), walls=cells == "#", **options)
    flat = cells.reshape(-1)
    monsters, treasures = np.flatnonzero(flat == "M"), np.flatnonzero(flat == "T")
    settings = replace(
        settings, treasures=len(treasures), monster=replace(settings.monster, count=len(monsters))
    )
    derived = MazeDerived(space, settings)
    state = start(derived, np.random.default_rng(0))
    player, way_out = int(np.flatnonzero(flat == "P")[0]), int(np.flatnonzero(flat == "X")[0])
    derived.follow(None)
    derived.memory.mark(derived.centers[monsters])
    return derived, replace(
        state,
        player=replace(state.player, cell=player, ahead=player, by_hand=True),
        monsters=replace(state.monsters, cells=monsters, ahead=monsters, targets=monsters),
        treasures=treasures,
        exit=way_out,
        known=np.zeros(space.shape, dtype=np.bool_),
        memory=derived.next_memory(),
    )


def on(derived: MazeDerived, state: State, steps: int, *orders: object) -> State:
    """The state so many steps later; orders go with the first."""
    rng = np.random.default_rng(5)
    for number in range(steps):
        state = step(derived, state, orders if number == 0 else (), rng)
    return state


@pytest.mark.parametrize(
    ("space", "rules"),
    [
        (small(), SMALL),
        (
            fc.generate_map(
                "maze", 31, 22, seed=2, loops=1.0, corridor=3, neighbors=8, cell_size=2.5, y_up=True
            ),
            SMALL,
        ),
        (
            fc.generate_map("cave", 40, 30, seed=1, neighbors=8),
            replace(SMALL, memory=MemoryRules(marks="view")),
        ),
        (fc.Grid(15, 9, wrap=True), replace(SMALL, monster=MonsterRules(count=3, beyond=False))),
    ],
    ids=["maze", "wide", "cave", "torus"],
)
def test_the_laws_of_every_step(space: fc.Grid, rules: Settings) -> None:
    derived = MazeDerived(space, rules)
    rng = np.random.default_rng(2)
    state = start(derived, rng)
    walls = space.walls.reshape(-1)
    moods = set()
    fastest = max(rules.monster.speed, rules.monster.chase) / rules.rate
    for _ in range(500):
        old, state = state, step(derived, state, (), rng)
        monsters, player = state.monsters, state.player
        assert not walls[monsters.cells].any()
        assert not walls[monsters.ahead].any()
        assert not walls[player.cell]
        for cell, ahead in [
            *zip(monsters.cells.tolist(), monsters.ahead.tolist(), strict=True),
            (player.cell, player.ahead),
        ]:
            assert cell == ahead or ahead in derived.neighbors(cell)
        assert ((monsters.gone >= 0) & (monsters.gone < 1)).all()
        gaps = derived.short(
            (
                derived.positions(monsters.cells, monsters.ahead, monsters.gone)
                - derived.positions(old.monsters.cells, old.monsters.ahead, old.monsters.gone)
            )
            / space.cell_size
        )
        assert np.hypot(*gaps.T).max() <= fastest + 1e-9
        gap = derived.short(
            ((derived.place(player) - derived.place(old.player)) / space.cell_size)[None]
        )
        assert np.hypot(*gap.T) <= rules.player.speed / rules.rate + 1e-9
        moods |= set(monsters.moods.tolist())
        him = derived.centers[player.cell if player.gone < 0.5 else player.ahead]
        for row, mood in enumerate(monsters.moods.tolist()):
            cell = int(
                old.monsters.cells[row] if old.monsters.gone[row] < 0.5 else old.monsters.ahead[row]
            )
            view = fc.visible(space, derived.centers[cell], rules.monster.view * space.cell_size)
            assert (mood == HUNTS) == bool(view.reshape(-1)[space.cell_at(him)])
            assert (monsters.seen[row] == NOWHERE) == (mood == EXPLORES)
        if state.outcome != GOING:
            break
        derived.follow(state)
        assert (derived.memory.values.reshape(-1)[monsters.cells] > 0).all()
    assert HUNTS in moods
    assert state.step > 60


class TestMonsters:
    HALL = """
        ###########
        #P#######X#
        #.#######.#
        #........M#
        #.#########
        #.........#
        ###########
    """

    def test_one_that_sees_the_player_hunts_and_catches_him(self) -> None:
        derived, state = drawn(
            self.HALL.replace("P", ".").replace("#........M#", "#P.......M#"), SMALL
        )
        state = on(derived, state, 1)
        assert state.monsters.moods.tolist() == [HUNTS]
        assert state.monsters.targets.tolist() == [state.player.cell]
        needed = (8 - SMALL.reach) / SMALL.monster.chase * SMALL.rate
        assert on(derived, state, int(needed) - 2).outcome == GOING
        assert on(derived, state, int(needed) + 2).outcome == CAUGHT

    def test_one_that_loses_him_goes_where_it_last_saw_him_and_then_explores(self) -> None:
        derived, state = drawn(
            self.HALL.replace("P", ".").replace("#........M#", "#.P......M#"), SMALL
        )
        rules = replace(
            SMALL,
            player=PlayerRules(speed=12.0),
            monster=replace(SMALL.monster, count=1),
            treasures=0,
        )
        derived = MazeDerived(derived.space, rules)
        corner = derived.space.cell_at((1.5, 3.5))
        state = on(derived, state, 1, Steer(-1, 0))
        state = on(derived, state, 4, Steer(0, 1))
        state = on(derived, state, 5, Steer(1, 0))
        assert state.monsters.moods.tolist() == [SEARCHES]
        assert state.monsters.seen.tolist() == state.monsters.targets.tolist() == [corner]
        next_memory = []
        for _ in range(80):
            state = on(derived, state, 1)
            next_memory.append((int(state.monsters.cells[0]), int(state.monsters.moods[0])))
        assert (corner, EXPLORES) in next_memory
        assert {mood for _, mood in next_memory[: next_memory.index((corner, EXPLORES))]} == {
            SEARCHES
        }

    def test_one_that_walks_away_from_him_turns_round(self) -> None:
        derived, state = drawn(
            self.HALL.replace("P", ".").replace("#........M#", "#P....M...#"), SMALL
        )
        here = int(state.monsters.cells[0])
        going = replace(state.monsters, ahead=np.array([here + 1]), gone=np.array([0.4]))
        state = on(derived, replace(state, monsters=going), 1)
        assert (int(state.monsters.cells[0]), int(state.monsters.ahead[0])) == (here + 1, here)
        assert state.monsters.gone[0] == pytest.approx(0.6 + SMALL.monster.chase / SMALL.rate)

    @pytest.mark.parametrize(
        "memory", [MemoryRules(amount=100, interval=20.0), MemoryRules(half_life=1.5)]
    )
    def test_exploring_ones_come_everywhere_and_forget(self, memory: MemoryRules) -> None:
        rules = replace(
            SMALL, monster=MonsterRules(count=2, view=0.4), memory=memory, player=PlayerRules()
        )
        derived, rng = MazeDerived(small(), rules), np.random.default_rng(0)
        state = start(derived, rng)
        state = replace(
            state, player=replace(state.player, by_hand=True)
        )  # he stands still, and nobody sees farther than the own cell
        been = np.full(len(derived.space), -1000)
        for number in range(1, 1600):
            old, state = state, replace(step(derived, state, (), rng), outcome=GOING)
            been[state.monsters.cells[state.monsters.cells != old.monsters.cells]] = number
            if number == 700:
                assert (been[derived.ground] > 0).mean() > 0.8
        derived.follow(state)
        values = derived.memory.values.reshape(-1)[derived.ground]
        ages = (1600 - been[derived.ground]) / rules.rate
        left = (
            np.clip(100 - 5 * ages, 0, 100)
            if memory.half_life is None
            else 100 * 0.5 ** (ages / memory.half_life)
        )
        np.testing.assert_allclose(values, left, atol=2e-3)
        assert (values == 0).any()

    def test_more_is_remembered_where_a_view_is_marked(self) -> None:
        rules = [replace(SMALL, memory=MemoryRules(marks=marks)) for marks in ("cell", "view")]
        known = []
        for each in rules:
            match = play_out(GAME, settings=each, seed=5, most_steps=60)
            match.world.derived.follow(match.state)
            known.append(np.count_nonzero(match.world.derived.memory.values))
        assert known[1] > 1.5 * known[0]

    def test_there_may_be_none(self) -> None:
        match = play_out(GAME, settings=replace(SMALL, monster=MonsterRules(count=0)), seed=1)
        assert (match.result, len(match.state.treasures)) == ("out", 0)
        assert not match.world.derived.memory.values.any()


class TestPlayer:
    ROOM = """
        #########
        #P......#
        #.#.###.#
        #.#T..#X#
        #########
    """

    def test_is_steered_and_stops_at_a_cell(self) -> None:
        derived, state = drawn(self.ROOM, SMALL)
        state = on(derived, state, 10, Steer(1, 0))
        assert derived.place(state.player) == pytest.approx(
            (1.5 + 10 * SMALL.player.speed / SMALL.rate, 1.5)
        )
        state = on(derived, state, 20, Steer(0, 0))
        assert derived.place(state.player).tolist() == [4.5, 1.5]
        assert state.player.by_hand

    def test_turns_where_he_can_while_two_keys_are_held(self) -> None:
        derived, state = drawn(self.ROOM, SMALL)
        state = on(derived, state, 2, Steer(1, 0))
        state = on(derived, state, 11, Steer(0.71, 0.71))
        x, y = derived.place(state.player)
        assert x == 3.5
        assert y > 2

    def test_the_exit_opens_when_all_is_taken(self) -> None:
        derived, state = drawn(self.ROOM, SMALL)
        state = on(derived, state, 45, Steer(1, 0))
        early = on(derived, state, 20, Steer(0, 1))
        assert (early.player.cell, early.outcome) == (early.exit, GOING)
        scripted = on(derived, early, 200, Lead())
        assert (scripted.outcome, len(scripted.treasures)) == (OUT, 0)
        assert digest(on(derived, scripted, 3), KINDS) == digest(scripted, KINDS)

    def test_what_he_has_seen_stays_known(self) -> None:
        derived, state = drawn(self.ROOM, replace(SMALL, player=PlayerRules(view=3.2)))
        first = on(derived, state, 1)
        later = on(derived, first, 45, Steer(1, 0))
        assert (later.known >= first.known).all()
        assert first.known.sum() == 6
        assert later.known[1].sum() == 7

    def test_time_runs_out(self) -> None:
        derived, state = drawn(self.ROOM, replace(SMALL, limit=1.0))
        assert on(derived, state, 19).outcome == GOING
        assert on(derived, state, 20).outcome == LATE

    def test_bad_orders_are_refused(self) -> None:
        derived, state = drawn(self.ROOM, SMALL)
        with refused(InvalidValue, "steered by two numbers"):
            step(derived, state, (Steer(float("nan"), 0),), np.random.default_rng(0))
        with refused(InvalidValue, "An order is one of Steer, Lead, Explore", "'up'"):
            step(derived, state, ("up",), np.random.default_rng(0))  # type: ignore[arg-type]

    def test_the_script_keeps_away_from_monsters_that_it_sees(self) -> None:
        text = """
            #############
            #P.........T#
            #.#########.#
            #.#########.#
            #.........M.#
            #.#########.#
            #X#########.#
            #############
        """
        derived, state = drawn(
            text, replace(SMALL, monster=replace(SMALL.monster, speed=1.0, chase=3.0, view=4.0))
        )
        state = on(derived, state, 200, Lead())
        assert state.outcome == OUT


def test_monsters_without_memory_walk_by_chance_until_they_get_one() -> None:
    derived = MazeDerived(small(), SMALL)
    state = start(derived, np.random.default_rng(0))
    by_chance = on(derived, state, 60, Explore(False))
    assert by_chance.memory == {}
    assert not np.array_equal(by_chance.monsters.cells, on(derived, state, 60).monsters.cells)
    assert on(derived, by_chance, 1, Explore(True)).memory


def test_films_show_the_maze_grow() -> None:
    world = GAME.open(small(), SMALL)
    scenes = world.opening(9)
    opened = [int((~scene.space.walls).sum()) for scene in scenes]
    assert opened == sorted(opened) and opened[0] < 5
    assert np.array_equal(scenes[-1].space.walls, world.space.walls)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_everything_starts_apart_and_joined(count: int) -> None:
    rules = replace(SMALL, treasures=count, monster=MonsterRules(count=count))
    for seed in range(10):
        state = start(MazeDerived(small(), rules), np.random.default_rng(seed))
        places = [
            state.player.cell,
            state.exit,
            *state.treasures.tolist(),
            *state.monsters.cells.tolist(),
        ]
        assert len(set(places)) == 2 + 2 * count
        if count == 1:
            far = fc.distance_map(small(), small().position_of(state.player.cell)).values
            finite = far[np.isfinite(far)].max()
            assert far.reshape(-1)[state.exit] >= 0.9 * finite
            assert far.reshape(-1)[state.monsters.cells].min() >= 0.5 * finite


def test_only_the_largest_part_of_a_map_is_played_on() -> None:
    cells = ["....#.......", "....#.......", "#####.......", "..#........."]
    space = fc.Grid(12, 4, walls=[[letter == "#" for letter in line] for line in cells])
    derived = MazeDerived(space, replace(SMALL, treasures=1, monster=MonsterRules(count=1)))
    assert len(derived.ground) == 30
    assert 0 not in derived.ground


@pytest.mark.parametrize("name", ["orz103d.map", "maze512-4-0.map"])
def test_real_maps(name: str) -> None:
    found = sorted(realdata.folder("gridmaps").rglob(name))
    if not found:
        pytest.skip(f"no {name} there")
    match = play_out(GAME, fc.load_map(found[0], neighbors=8), SMALL, seed=1, most_steps=40)
    assert match.steps == 40


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Settings(rate=4), "below a cell in one step"),
        (lambda: Settings(treasures=-1), "treasures is at least 0"),
        (lambda: Settings(memory=MonsterRules()), "memory is MemoryRules"),
        (lambda: MonsterRules(sight=0), "sight is at least 1"),
        (lambda: MonsterRules(beyond=1), "beyond is True or False"),
        (lambda: MemoryRules(amount=-1), "amount is above 0"),
        (lambda: MemoryRules(half_life=0), "half_life is above 0"),
        (lambda: MemoryRules(marks="smell"), "marks is one of"),
        (lambda: MazeRules(algorithm="minotaur"), "algorithm is one of"),
        (lambda: MazeRules(width=2), "width is at least 3"),
        (lambda: GAME.open(fc.Grid(2, 3), SMALL), "The map has cells for the player"),
        (lambda: GAME.open(fc.Grid(6, 6).to_graph(), SMALL), "The maze is played on a grid"),
    ],
)
def test_bad_input_is_refused(make: Any, says: str) -> None:
    with refused(InvalidValue, says):
        make()
