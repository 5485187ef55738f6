"""One meaning of sight over heights: every call that looks finds the same cells.

Each call is a row of `CALLS`; what it finds is compared with lines of sight that are spelled out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import Space
from oracles import visible as reference
from support.examples import examples
from support.refusals import refused
from support.worlds import WRAPS

Mask = NDArray[np.bool_]


class Look(NamedTuple):
    """A viewer on a map with heights, and how far it sees."""

    space: Space
    me: NDArray[np.float64]
    radius: float
    heights: NDArray[np.float32]
    eye: float

    @property
    def over(self) -> dict[str, Any]:
        return {"heights": self.heights, "eye": self.eye}


def _radial(look: Look) -> Mask:
    imap = fc.InfluenceMap(look.space)
    layer = imap.add_layer("aura", fc.Radial(look.radius, "constant", metric="sight"))
    layer.set_heights(**look.over)
    layer.add_source(look.me, 1.0)
    imap.step()
    return layer.values > 0


def _marked(look: Look) -> Mask:
    layer = fc.InfluenceMap(look.space).add_layer("seen", fc.Fade())
    layer.mark(look.me, 5.0, radius=look.radius, metric="sight", **look.over)
    return layer.values > 0


def _asked(look: Look, word: str, **more: Any) -> Mask:
    required = {word: "me", "range": look.radius, "heights": look.heights, "eye": look.eye, **more}
    question = fc.Question({"points": "all"}, require=[required])
    answer = question.ask(look.space, me=look.me, all=look.space.positions, ground=look.heights)
    found = np.zeros(len(look.space), dtype=np.bool_)
    cells = answer.explain().cells[answer.explain().left]
    found[cells] = True
    return found.reshape(look.space.shape)


def _asked_of_a_layer(look: Look) -> Mask:
    imap = fc.InfluenceMap(look.space)
    imap.add_layer("hills", values=np.where(look.space.walls, 0, 2 * look.heights))
    required = {"visible_from": "me", "heights": "hills / 2", "eye": look.eye}
    question = fc.Question({"points": "all"}, require=[{**required, "range": look.radius}])
    answer = question.ask(imap, me=look.me, all=look.space.positions).explain()
    found = np.zeros(len(look.space), dtype=np.bool_)
    found[answer.cells[answer.left]] = True
    return found.reshape(look.space.shape)


def _damage(look: Look) -> Mask:
    damage = fc.query.damage_next_turn(
        look.space, [look.me], 2.0, moves=0, ranges=look.radius, sight=True, **look.over
    )
    return damage.total.values > 0


def _observed(look: Look) -> Mask:
    sight = fc.Sight(look.space, look.radius, **look.over)
    contacts = sight.observe(sight.nobody(len(look.space)), look.me, look.space.positions, 0.1)
    return contacts.in_sight.reshape(look.space.shape)


CALLS: dict[str, Callable[[Look], Mask]] = {
    "visible": lambda k: fc.visible(k.space, k.me, k.radius, **k.over),
    "watchers": lambda k: fc.query.watchers(k.space, [k.me, k.me], k.radius, **k.over) == 2,
    "sees": lambda k: fc.sees(k.space, k.me, k.space.positions, k.radius, **k.over)[0],
    "sees, pairs": lambda k: fc.sees(
        k.space, [k.me] * len(k.space), k.space.positions, k.radius, pairs=True, **k.over
    ),
    "Sight.view": lambda k: fc.Sight(k.space, k.radius, **k.over).view(k.me),
    "Sight.observe": _observed,
    "Radial": _radial,
    "Fade.mark": _marked,
    "reach": lambda k: fc.reach(k.space, k.me, 0, ranges=k.radius, sight=True, **k.over).hits,
    "damage_next_turn": _damage,
    "question, visible_from": lambda k: _asked(k, "visible_from"),
    "question, a name": lambda k: _asked(k, "visible_from", heights="ground"),
    "question, a formula": _asked_of_a_layer,
    "question, hidden_from": lambda k: ~_asked(k, "hidden_from"),
}


def made(seed: int, wrap: Any, y_up: bool, *, as_graph: bool, opaque: bool) -> Look:
    """A random map with walls and hills, and a viewer in an open cell."""
    dice = np.random.default_rng(seed)
    shape = (int(dice.integers(4, 9)), int(dice.integers(9, 13)))
    walls = dice.random(shape) < dice.choice([0.0, 0.12])
    walls.flat[int(dice.integers(walls.size))] = False
    heights = (dice.integers(0, 5, shape) / 2).astype(np.float32)
    grid = fc.Grid(walls=walls, cell_size=0.5, origin=(3, -2), wrap=wrap, y_up=y_up)
    if opaque:
        grid.set_opaque(dice.random(shape) < 0.1)
        grid.set_opaque(np.flatnonzero(walls)[:2], False)
    space: Space = grid
    if as_graph and not opaque and wrap is False:
        space = grid.to_graph()
    cell = int(dice.choice(np.flatnonzero(~walls)))
    radius = float(dice.choice([1.0, 1.9, 3.1]))
    eye = float(dice.choice([0.0, 0.4, 1.0]))
    return Look(space, grid.position_of(cell), radius, heights.reshape(space.shape), eye)


def spelled_out(look: Look) -> Mask:
    """The open cells that are seen: each by a line that its own opacity does not cut."""
    space = look.space
    grid = space.sight_grid
    opaque = space.opaque.reshape(grid.shape)
    row, column = divmod(int(space.cell_at(look.me)), grid.width)
    limit = reference.squared_reach(look.radius / grid.cell_size)
    heights = look.heights.reshape(grid.shape)
    wrap = grid.wrap_flags

    def seen(hides: Mask) -> NDArray[np.int64]:
        walls = hides.astype(np.uint8)
        return reference.sight_cells(walls, heights, look.eye, row, column, limit, wrap, False)[0]

    found = np.zeros(len(grid), dtype=np.bool_)
    found[seen(opaque)] = True
    for cell in np.flatnonzero(opaque & ~grid.walls):
        past = opaque.copy()
        past.flat[cell] = False
        found[cell] = cell in seen(past)
    return (found & ~space.walls.reshape(-1)).reshape(space.shape)


@pytest.mark.parametrize("name", CALLS)
@examples(12)
@given(
    seed=st.integers(0, 10**6),
    wrap=st.sampled_from(WRAPS),
    y_up=st.booleans(),
    as_graph=st.booleans(),
    opaque=st.booleans(),
)
def test_it_finds_what_lines_of_sight_do(
    name: str, seed: int, wrap: Any, y_up: bool, as_graph: bool, opaque: bool
) -> None:
    look = made(seed, wrap, y_up, as_graph=as_graph, opaque=opaque)
    found = np.asarray(CALLS[name](look)).reshape(look.space.shape)
    opened = ~look.space.walls
    np.testing.assert_array_equal(found & opened, spelled_out(look))


@examples(25)
@example(seed=220, y_up=False, as_graph=False)  # It falls to the ground inside a cell.
@given(seed=st.integers(0, 10**6), y_up=st.booleans(), as_graph=st.booleans())
def test_a_shot_arrives_where_one_sees(seed: int, y_up: bool, as_graph: bool) -> None:
    look = made(seed, False, y_up, as_graph=as_graph, opaque=False)
    space = look.space
    seen = fc.sees(space, look.me, space.positions, np.inf, **look.over)[0]
    for cell in np.flatnonzero(~space.walls.reshape(-1)).tolist():
        shot = fc.incoming(space, look.me, space.position_of(cell), speed=1.0, **look.over)
        assert shot.blocked != seen[cell]
        assert (cell in shot.cells) or shot.blocked
        tops = look.heights.reshape(-1)[shot.cells]
        ends = [int(space.cell_at(look.me)), cell]
        middle = ~np.isin(shot.cells, ends)
        assert shot.above is not None and (shot.above[middle] >= -1e-6).all()
        low, high = look.heights.reshape(-1)[ends] + look.eye
        assert (shot.above + tops >= min(low, high) - 1e-6).all()
        assert (shot.above + tops <= max(low, high) + 1e-6).all()


@pytest.mark.parametrize("wrap", WRAPS)
def test_level_ground_hides_nothing(wrap: Any) -> None:
    """On flat ground calls with heights find what those without do, walls and all."""
    for seed in range(6):
        look = made(seed, wrap, False, as_graph=False, opaque=bool(seed % 2))
        space, flat = look.space, np.full(look.space.shape, 3.0)
        everywhere = space.positions
        for one in (False, True):
            np.testing.assert_array_equal(
                fc.visible(space, look.me, 2.6, heights=flat, walls=one),
                fc.visible(space, look.me, 2.6, walls=one),
            )
        np.testing.assert_array_equal(
            fc.sees(space, everywhere, everywhere, 2.6, heights=flat),
            fc.sees(space, everywhere, everywhere, 2.6),
        )
        end = space.positions[-1]
        level = fc.incoming(space, look.me, end, speed=2.0, width=1.2, heights=flat, eye=0.0)
        plain = fc.incoming(space, look.me, end, speed=2.0, width=1.2)
        np.testing.assert_array_equal(level.cells, plain.cells)
        np.testing.assert_array_equal(level.seconds, plain.seconds)
        assert level.end == plain.end and level.above is not None and not level.above.any()
        assert plain.above is None


REFUSED: dict[str, Callable[[Space, Any], object]] = {
    "visible": lambda s, h: fc.visible(s, s.position_of(0), 2.0, heights=h),
    "sees": lambda s, h: fc.sees(s, s.position_of(0), s.position_of(1), 2.0, heights=h),
    "Sight": lambda s, h: fc.Sight(s, 2.0, heights=h),
    "Radial": lambda s, h: (
        fc.InfluenceMap(s).add_layer("a", fc.Radial(2.0, metric="sight")).set_heights(h)
    ),
    "Fade.mark": lambda s, h: (
        fc.InfluenceMap(s)
        .add_layer("a", fc.Fade())
        .mark(s.position_of(0), radius=2.0, metric="sight", heights=h)
    ),
    "reach": lambda s, h: fc.reach(s, s.position_of(0), 1.0, 2.0, sight=True, heights=h),
    "damage_next_turn": lambda s, h: fc.query.damage_next_turn(
        s, s.position_of(0), 1.0, moves=1.0, ranges=2.0, sight=True, heights=h
    ),
    "incoming": lambda s, h: fc.incoming(
        s, s.position_of(0), s.position_of(1), speed=1.0, heights=h
    ),
    "question": lambda s, h: fc.Question(
        {"points": "me"}, require=[{"visible_from": "me", "heights": "ground"}]
    ).ask(s, me=s.position_of(0), ground=h),
}


@pytest.mark.parametrize("name", REFUSED)
def test_heights_that_do_not_fit_are_refused(name: str) -> None:
    call = REFUSED[name]
    square = fc.Grid(5, 3)
    for wrong in (np.zeros((5, 3)), np.full((3, 5), np.nan), np.full((3, 5), 1e39), "high"):
        with refused(InvalidValue):
            call(square, wrong)
    call(square, np.zeros((3, 5)))
    hexes = fc.HexGrid(5, 3)
    with refused(InvalidValue, "squares", "leave heights out"):
        call(hexes, np.zeros(hexes.shape))


def test_heights_without_sight_are_refused() -> None:
    grid, flat = fc.Grid(5, 3), np.zeros((3, 5))
    seen = fc.InfluenceMap(grid).add_layer("seen", fc.Fade())
    with refused(InvalidValue, "along lines of sight", 'metric="sight"'):
        seen.mark((1, 1), radius=2.0, heights=flat)
    assert not seen.values.any()
    with refused(InvalidValue, "along lines of sight", "sight=True"):
        fc.reach(grid, (1, 1), 1, 2, heights=flat)
    with refused(InvalidValue, "along lines of sight", "sight=True"):
        fc.query.damage_next_turn(grid, (1, 1), 1, moves=1, ranges=2, heights=flat)
    with refused(InvalidValue, "eye"):
        fc.reach(grid, (1, 1), 1, 2, sight=True, heights=flat, eye=-1)
    with refused(InvalidValue, "ends on the map"):
        fc.incoming(grid, (1, 1), (9, 1), speed=1, heights=flat)
    assert fc.incoming(grid, (1, 1), (9, 1), speed=1).blocked
