"""The best cells around: what a search of the whole map would find."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import fieldcraft as fc
from fieldcraft import query
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.space.wrapping import Wrap
from support.fields import CROSS, SQUARE, Field, distances, inside, noise, random_walls
from support.refusals import refused
from support.worlds import KINDS, WRAPS, open_cells


def whole_map(
    field: Field,
    place: np.ndarray,
    radius: float,
    count: int,
    spacing: float,
    mask: np.ndarray,
    sign: int,
) -> list[int]:
    """The answer by looking at every cell, with plain Python ordering."""
    space = field.space
    centers = space.position_of(np.arange(len(space)))
    away = np.round(distances(space, centers, place), 9)
    allowed = (~space.walls & mask).reshape(-1) & (away <= radius + 1e-6)
    order = sorted(
        np.flatnonzero(allowed).tolist(),
        key=lambda cell: (-sign * field.values.flat[cell], away[cell], cell),
    )
    picks: list[int] = []
    for cell in order:
        if len(picks) < count and all(
            distances(space, centers[cell], centers[other]) >= spacing - 1e-6 for other in picks
        ):
            picks.append(cell)
    return picks


@given(
    st.integers(0, 10**6),
    st.sampled_from([0.3, 1.0, 2.0, 3.7, 50.0]),
    st.integers(1, 5),
    st.sampled_from([0.0, 1.0, 2.2]),
    st.data(),
)
@settings(max_examples=35)
def test_best_is_the_best_of_the_whole_map(
    seed: int, radius: float, count: int, spacing: float, data: st.DataObject
) -> None:
    rng = np.random.default_rng(seed)
    width, height = (int(n) for n in rng.integers(1, 40, 2))
    space = fc.Grid(
        width,
        height,
        cell_size=0.5,
        origin=(-3.0, 2.0),
        y_up=data.draw(st.booleans()),
        wrap=data.draw(st.sampled_from(WRAPS)),
        walls=random_walls((height, width), 0.2, seed),
    )
    field = noise(space, seed, levels=3)
    mask = rng.random(space.shape) < 0.8
    places = inside(space, 6, seed)
    places[:3] = np.floor(places[:3] * 4) / 4  # on edges and centers, where distances are equal
    count = min(count, len(space))
    for ask, sign in ((query.best, 1), (query.worst, -1)):
        spots = ask(field, places, radius, count=count, spacing=spacing, where=mask)
        for i, place in enumerate(places):
            expected = whole_map(field, place, radius, count, spacing, mask, sign)
            assert spots.cells[i].tolist() == expected + [-1] * (count - len(expected))


def test_the_nearest_of_equals_then_the_lowest_cell() -> None:
    field = Field(fc.Grid(7, 5), np.zeros((5, 7), np.float32))
    assert query.best(field, (3.5, 2.5), 9).cell == 2 * 7 + 3
    assert query.best(field, (3.6, 2.5), 9, count=2).cells.tolist() == [2 * 7 + 3, 2 * 7 + 4]
    assert query.best(field, (3.0, 2.0), 9, count=4).cells.tolist() == [
        1 * 7 + 2,
        1 * 7 + 3,
        2 * 7 + 2,
        2 * 7 + 3,
    ]


def test_a_cell_on_the_radius_is_within_it_whatever_the_cell_size() -> None:
    for size in (0.1, 0.3, 1.0, 7.7):
        space = fc.Grid(9, 1, cell_size=size)
        field = Field(space, np.arange(9, dtype=np.float32)[None])
        assert query.best(field, space.position_of(4), 3 * size).cell == 7
        spots = query.best(field, space.position_of(4), 9 * size, count=3, spacing=3 * size)
        assert spots.cells.tolist() == [8, 5, 2]


def test_the_answer_has_the_shape_of_the_question() -> None:
    space = fc.Grid(8, 6, cell_size=2.0)
    field = noise(space, 1)
    one = query.best(field, (5.0, 5.0), 4.0, count=3)
    assert one.positions.shape == (
        3,
        2,
    ) and one.values.shape == one.cells.shape == one.found.shape == (3,)
    assert one.values.dtype == np.float32
    assert one.position.tolist() == one.positions[0].tolist()
    assert field.values.flat[one.cell] == one.value == one.values[0]
    assert space.cell_at(one.position) == one.cell
    many = query.best(field, [(5.0, 5.0), (1.0, 1.0)], 4.0, count=3)
    assert (
        many.positions.shape == (2, 3, 2)
        and many.position.shape == (2, 2)
        and many.value.shape == (2,)
    )
    assert many.cells[0].tolist() == one.cells.tolist()
    alone = query.best(field, (5.0, 5.0), 4.0)  # without a count there is no axis of choices
    assert alone.cells == alone.cell == one.cell and alone.found and alone.value == one.value
    assert alone.positions.tolist() == alone.position.tolist() == one.position.tolist()
    every = query.best(field, [(5.0, 5.0), (1.0, 1.0)], 4.0)
    assert (
        every.cells.tolist() == every.cell.tolist() == many.cell.tolist()
        and every.positions.shape == (2, 2)
    )
    none = query.best(field, [], 4.0, count=3)
    assert none.positions.shape == (0, 3, 2) and none.cells.shape == (0, 3)
    assert "6 found" in repr(many)


def test_nothing_within_the_radius_is_an_answer() -> None:
    walls = np.ones((5, 7), bool)
    walls[0, 0] = False
    field = noise(fc.Grid(7, 5, walls=walls), 2)
    spots = query.best(field, [(6.5, 4.5), (1.5, 0.5)], 2.0, count=2)
    assert spots.found.tolist() == [[False, False], [True, False]]
    assert spots.cells.tolist() == [[-1, -1], [0, -1]]
    assert np.isnan(spots.positions[0]).all() and np.isnan(spots.values[0]).all()
    assert np.isnan(spots.values[1, 1]) and spots.value[1] == field.values[0, 0]
    assert not query.best(
        noise(fc.Grid(4, 3), 3), (2.0, 1.0), 0.2
    ).found.any()  # no center is that near


def test_every_query_takes_an_array_with_its_space() -> None:
    space = fc.Grid(9, 5, neighbors=8)
    field, at = noise(space, 3), [(4.5, 2.5), (1.5, 1.5)]
    array = field.values.astype(np.float64)
    for ask in (
        lambda *given, **named: query.best(*given, at, 3.0, **named).cells,
        lambda *given, **named: query.worst(*given, at, 3.0, **named).cells,
        lambda *given, **named: query.peaks(*given, **named).cells,
        lambda *given, **named: query.regions(*given, **named).labels,
        lambda *given, **named: query.sample(*given, at, **named),
        lambda *given, **named: query.sample(*given, at, how="bilinear", **named),
        lambda *given, **named: query.gradient(*given, at, **named),
        lambda *given, **named: query.along(*given, at, **named).sum,
        lambda *given, **named: query.explore_step(*given, at, **named).cells,
        lambda *given, **named: (
            query.pick(*given, at, 3.0, rng=np.random.default_rng(1), **named).cells
        ),
    ):
        np.testing.assert_array_equal(ask(array, space=space), ask(field))
    books = [
        fc.query.Reservations(space).best(each, at, 3.0, agents=["a", "b"]).cells
        for each in (array, field)
    ]
    np.testing.assert_array_equal(*books)
    for wrong, named in ((array, {}), (array.T, {"space": space}), (array, {"space": (9, 5)})):
        with refused(InvalidValue):
            query.best(wrong, at, 3.0, **named)


def test_where_takes_arrays_and_layers() -> None:
    space = fc.Grid(9, 5)
    field = Field(space, np.arange(45, dtype=np.float32).reshape(5, 9))
    mask = np.zeros((5, 9), bool)
    mask[1, 2] = mask[3, 1] = True
    assert query.best(field, (4, 2), 20, count=3, where=mask).cells.tolist() == [28, 11, -1]
    assert (
        query.best(field, (4, 2), 20, where=Field(space, mask.astype(np.float32) * -0.1)).cell == 28
    )
    same_ground = fc.Grid(9, 5, walls=~mask)
    assert (
        query.best(field, (4, 2), 20, where=Field(same_ground, np.ones((5, 9), np.float32))).cell
        == 44
    )
    with refused(InvalidValue, "int64"):
        query.best(field, (4, 2), 20, where=mask.astype(np.int64))
    with refused(InvalidValue, "(9, 5)", "transpose"):
        query.best(field, (4, 2), 20, where=mask.T)
    with refused(InvalidValue, "cell_size 2"):
        query.best(field, (4, 2), 20, where=noise(fc.Grid(5, 3, cell_size=2.0), 4))


def test_a_crowd_gets_what_each_would_get_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    space = fc.Grid(150, 70, walls=random_walls((70, 150), 0.2, 5))
    field, places = noise(space, 6), inside(space, 3000, 7)
    answers = []
    for threads in (1, 3):
        monkeypatch.setattr("fieldcraft.kernels.compiling.pool._count", threads)
        answers.append(query.best(field, places, 12.0, count=3, spacing=4.0).cells)
    assert (answers[0] == answers[1]).all()
    for i in range(0, 3000, 100):  # few agents: the tiles are not looked at beforehand
        assert (
            query.best(field, places[i], 12.0, count=3, spacing=4.0).cells.tolist()
            == answers[0][i].tolist()
        )


def test_refusals() -> None:
    field = noise(fc.Grid(4, 3), 8)
    for ask in (query.best, query.worst):
        for radius in (0, -1, np.nan, np.inf, "far"):
            with refused(InvalidValue, "radius"):
                ask(field, (1, 1), radius)
        for count in (0, -2, 1.5, True, 13):
            with refused(InvalidValue, "count"):
                ask(field, (1, 1), 2, count=count)
        for spacing in (-0.1, np.nan):
            with refused(InvalidValue, "spacing"):
                ask(field, (1, 1), 2, spacing=spacing)
        with refused(OutsideMap, "at index 1"):
            ask(field, [(1, 1), (4, 1)], 2)
        with refused(InvalidValue, "at index 1"):
            ask(field, [(1, 1), (np.nan, 1)], 2)
        with refused(InvalidValue, "outside"):
            ask(field, (1, 1), 2, outside="no")
    assert query.best(field, (-9, 1.5), 1, outside="clamp").cell == 4


@given(
    st.integers(0, 10**6),
    st.sampled_from([0.3, 1.0, 2.5, 40.0]),
    st.sampled_from([4, 8]),
    st.data(),
)
@settings(max_examples=25)
def test_on_foot_only_cells_that_a_walk_reaches_are_taken(
    seed: int, walk: float, neighbors: int, data: st.DataObject
) -> None:
    rng = np.random.default_rng(seed)
    width, height = (int(n) for n in rng.integers(2, 30, 2))
    walls = random_walls((height, width), 0.35, seed)
    flags = {"y_up": data.draw(st.booleans()), "wrap": data.draw(st.booleans())}
    space = fc.Grid(
        width, height, cell_size=0.5, origin=(-3.0, 2.0), walls=walls, neighbors=neighbors, **flags
    )
    field = noise(space, seed, levels=3)
    places = inside(space, 6, seed)
    spots = query.best(field, places, 6.0, count=3, spacing=0.6, walk=walk)
    for i, place in enumerate(places):
        layer = fc.InfluenceMap(space).add_layer(
            "on foot", fc.Radial(walk * (1 + 1e-12), "constant", "path")
        )
        layer.add_source(place, on_wall="through")
        layer.step()
        reached = layer.values > 0
        assert (
            spots.cells[i].tolist()
            == query.best(field, place, 6.0, count=3, spacing=0.6, where=reached).cells.tolist()
        )


def test_on_foot_bad_input_and_a_door() -> None:
    walls = np.zeros((5, 9), dtype=bool)
    walls[:4, 4] = True
    field = Field(
        fc.Grid(9, 5, walls=walls), np.broadcast_to(np.arange(9, dtype=np.float32), (5, 9)).copy()
    )
    assert query.best(field, (3.5, 0.5), 3).cell == 6
    assert query.best(field, (3.5, 0.5), 3, walk=5).cell == 3
    assert query.best(field, (3.5, 0.5), 3, walk=11).cell == 6
    assert query.worst(field, [(8.5, 0.5)], 9, walk=2).cells.tolist() == [6]
    for walk in (0, -1, float("nan"), "far"):
        with refused(InvalidValue, "walk"):
            query.best(field, (3.5, 0.5), 3, walk=walk)


def test_what_stands_for_a_choice_that_is_not_there():
    walls = np.zeros((4, 7), bool)
    walls[:, 4:] = True
    layer = noise(fc.Grid(7, 4, walls=walls), 3)
    at = [(1.5, 1.5), (6.5, 1.5)]
    for ask in (
        query.best,
        query.worst,
        lambda *args, **named: fc.pick(*args, rng=np.random.default_rng(5), **named),
    ):
        absent = ask(layer, at, 1.0)
        assert (
            absent.found.tolist() == [True, False]
            and absent.cells[1] == -1
            and np.isnan(absent.positions[1]).all()
        )
        stays = ask(layer, at, 1.0, none="stay")
        assert (
            stays.found.tolist() == [True, False]
            and stays.positions[1].tolist() == [6.5, 1.5]
            and stays.values[1] == layer.values[1, 6]
        )
        assert ask(layer, at, 1.0, count=2, none="stay").cells[1].tolist() == [13, 13]
        with refused(InvalidValue, "a cell to choose", "(6.5, 1.5), position 1", 'none="stay"'):
            ask(layer, at, 1.0, none="refuse")
        with refused(InvalidValue, "none is one of"):
            ask(layer, at, 1.0, none="maybe")
        assert (
            ask(layer, at[0], 1.0)
            and not ask(layer, at[1], 1.0)
            and not ask(layer, at[1], 1.0, none="stay")
        )
        with refused(
            InvalidValue, "Only the choice for a single position", "1 found", "found.any()"
        ):
            bool(absent)
    taken = fc.query.Reservations(layer.space)
    taken.best(layer, at[0], 1.0, agents="ann")
    with refused(InvalidValue, "a cell to choose"):
        taken.best(layer, at, 1.0, agents=["ann", "bob"], none="refuse")
    assert taken.agents == ["ann"]
    assert not taken.best(layer, at[1], 1.0, agents="bob", none="stay") and taken.agents == ["ann"]


def test_a_choice_among_the_best_is_random_and_repeats_with_its_generator() -> None:
    space = fc.Grid(9, 5)
    field = Field(space, np.zeros((5, 9), np.float32))
    field.values[2, 2:7] = [100, 96, 94, 95, 99]
    places = [(4.5, 2.5)] * 3000
    spots = query.best(field, places, 4, within=0.05, rng=np.random.default_rng(1))
    again = query.best(field, places, 4, within=0.05, rng=np.random.default_rng(1))
    cells, counts = np.unique(spots.cells, return_counts=True)
    assert cells.tolist() == [20, 21, 23, 24] and (np.abs(counts - 750) < 120).all()
    assert spots.cells.tolist() == again.cells.tolist()
    assert query.worst(field, (4.5, 2.5), 4, within=0, rng=np.random.default_rng(1)).value == 0


def test_within_and_its_generator_come_together() -> None:
    field = noise(fc.Grid(4, 3), 3)
    with refused(InvalidValue, "within=0.1 without rng"):
        query.best(field, (2.0, 1.0), 2, within=0.1)
    with refused(InvalidValue, "rng without within"):
        query.best(field, (2.0, 1.0), 2, rng=np.random.default_rng(1))
    with refused(InvalidValue, "-0.1"):
        query.best(field, (2.0, 1.0), 2, within=-0.1, rng=np.random.default_rng(1))


class Numbers:
    """Values on a space."""

    def __init__(self, space, values):
        self.space, self.values = space, values


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8)
@given(seed=st.integers(0, 2**20))
def test_what_is_picked_is_what_best_could_have_chosen(kind, seed):
    dice = np.random.default_rng(seed)
    space = KINDS[kind](dice)
    layer = Numbers(space, dice.normal(size=space.shape).astype(np.float32))
    at = space.position_of(dice.choice(open_cells(space), 3))
    step = space.adjacency.typical or 1.0
    radius, walk = 4 * step, [None, 5 * step][dice.integers(2)]
    good = dice.random(space.shape) < 0.7
    every = fc.best(
        layer, at, radius, count=len(space), where=good & (layer.values > 0.2), walk=walk
    )
    found = fc.pick(
        layer,
        at,
        radius,
        rng=np.random.default_rng(seed),
        above=0.2,
        where=good,
        walk=walk,
        count=len(space),
    )
    for drawn, allowed in zip(found.cells, every.cells, strict=True):
        assert sorted(drawn.tolist()) == sorted(allowed.tolist())  # all of them, in another order
    one = fc.pick(
        layer, at, radius, rng=np.random.default_rng(seed), above=0.2, where=good, walk=walk
    )
    assert (
        one.cells.tolist() == found.cell.tolist()
        and one.found.tolist() == (every.cell >= 0).tolist()
    )
    assert np.array_equal(one.values[one.found], layer.values.reshape(-1)[one.cells[one.found]])


def test_each_good_cell_is_as_likely_as_the_other_and_agents_draw_for_themselves():
    layer = fc.InfluenceMap(fc.Grid(9, 5)).add_layer("good", values=np.arange(45.0).reshape(5, 9))
    found = fc.pick(layer, [(4.5, 2.5)] * 4000, 20, rng=np.random.default_rng(7), above=34)
    counts = np.bincount(found.cells, minlength=45)
    assert (
        not counts[:35].any() and counts[35:].min() > 320 and counts[35:].max() < 480
    )  # 400 each, deviation 19
    pairs = found.cells.reshape(-1, 2)
    assert (pairs[:, 0] == pairs[:, 1]).mean() == pytest.approx(0.1, abs=0.03)


def test_choices_keep_apart_and_nothing_good_is_nothing_found():
    layer = fc.InfluenceMap(fc.Grid(20, 12)).add_layer("good", values=np.ones((12, 20)))
    rng = np.random.default_rng(1)
    three = fc.pick(layer, (10, 6), 8, rng=rng, above=0, count=3, spacing=4)
    away = np.linalg.norm(three.positions[:, None] - three.positions, axis=2)
    assert three.found.all() and (away[~np.eye(3, dtype=bool)] >= 4).all()
    assert not fc.pick(layer, (10, 6), 8, rng=rng, above=1).found


def test_dice_that_are_none_are_refused():
    layer = fc.InfluenceMap(fc.Grid(4, 3)).add_layer("good", values=np.ones((3, 4)))
    for wrong in (7, None, np.random):
        with pytest.raises(InvalidValue, match="default_rng"):
            fc.pick(layer, (1, 1), 3, rng=wrong)
    with pytest.raises(InvalidValue, match="above"):
        fc.pick(layer, (1, 1), 3, rng=np.random.default_rng(1), above=np.nan)
    rng = np.random.default_rng(1)
    with pytest.raises(fc.errors.OutsideMap):
        fc.pick(layer, [(1, 1), (9, 9)], 3, rng=rng)
    assert rng.random() == np.random.default_rng(1).random()  # nothing was drawn


@given(st.integers(0, 10**6), st.sampled_from([4, 8]), st.sampled_from([-5.0, 0.0, 0.4]))
@settings(max_examples=16)
def test_peaks_are_scipys_maxima_with_each_plateau_once(
    seed: int, neighbors: int, threshold: float
) -> None:
    field = noise(fc.Grid(19, 12, neighbors=neighbors), seed, levels=4)
    around = CROSS if neighbors == 4 else SQUARE
    values = field.values
    flats, count = np.zeros(values.shape, int), 0
    for level in np.unique(values):
        labels, found = ndimage.label(values == level, structure=around)
        flats[labels > 0] = labels[labels > 0] + count
        count += found
    highest = ndimage.maximum_filter(values, footprint=around, mode="nearest")
    tops = [
        n
        for n in range(1, count + 1)
        if (highest[flats == n] == values[flats == n]).all() and values[flats == n][0] > threshold
    ]

    spots = query.peaks(field, threshold=threshold)
    assert sorted(flats.flat[spots.cells]) == tops
    assert spots.found.all()
    order = list(zip(-spots.values, spots.cells, strict=True))
    assert order == sorted(order)
    assert query.peaks(field, 3, threshold=threshold).cells.tolist() == spots.cells[:3].tolist()
    for cell in spots.cells:
        rows, columns = np.nonzero(flats == flats.flat[cell])
        away = np.hypot(rows - rows.mean(), columns - columns.mean())
        row, column = divmod(cell, 19)
        assert np.hypot(row - rows.mean(), column - columns.mean()) <= away.min() + 1e-9


def test_spacing_keeps_the_stronger() -> None:
    field = noise(fc.Grid(30, 20, cell_size=0.5, wrap=True), 1)
    everything, spots = query.peaks(field), query.peaks(field, spacing=2.5)
    kept: list[int] = []
    centers = field.space.position_of(everything.cells)
    for i in range(len(centers)):
        if all(distances(field.space, centers[i], centers[j]) >= 2.5 - 1e-9 for j in kept):
            kept.append(i)
    assert spots.cells.tolist() == everything.cells[kept].tolist()
    assert 1 < len(kept) < len(centers)
    assert query.peaks(field, 2, spacing=2.5).cells.tolist() == spots.cells[:2].tolist()


def test_walls_part_hills_and_a_torus_joins_them() -> None:
    values = np.array([[1.0, 2.0, 9.0, 3.0, 1.0]], np.float32)
    assert query.peaks(Field(fc.Grid(5, 1), values)).cells.tolist() == [2]
    walls = np.array([[False, False, True, False, False]])
    assert query.peaks(Field(fc.Grid(5, 1, walls=walls), values)).cells.tolist() == [3, 1]
    rim = np.array([[4.0, 1.0, 0.0, 1.0, 5.0]], np.float32)
    assert query.peaks(Field(fc.Grid(5, 1), rim)).cells.tolist() == [4, 0]
    assert query.peaks(Field(fc.Grid(5, 1, wrap=True), rim)).cells.tolist() == [4]


def test_a_plateau_across_the_rim_of_a_torus_counts_once_in_its_middle() -> None:
    values = np.array([[3.0, 3.0, 0.0, 0.0, 0.0, 3.0]], np.float32)
    assert query.peaks(Field(fc.Grid(6, 1, wrap=True), values)).cells.tolist() == [0]


def test_the_neighborhood_decides_what_lies_beside() -> None:
    values = np.array([[5.0, 0.0], [0.0, 4.0]], np.float32)
    assert query.peaks(Field(fc.Grid(2, 2), values)).cells.tolist() == [0, 3]
    assert query.peaks(Field(fc.Grid(2, 2, neighbors=8), values)).cells.tolist() == [0]
    # A diagonal never cuts a corner.
    corner = fc.Grid(2, 2, neighbors=8, walls=[[False, True], [False, False]])
    assert query.peaks(
        Field(corner, np.array([[5.0, 0.0], [0.0, 4.0]], np.float32))
    ).cells.tolist() == [0, 3]
    knight = fc.Grid(3, 2, neighbors=[(2, 1)])  # one way only, and still beside each other
    assert query.peaks(
        Field(knight, np.array([[5.0, 0, 0], [0, 0, 4.0]], np.float32))
    ).cells.tolist() == [0]


def test_nothing_above_the_threshold() -> None:
    spots = query.peaks(Field(fc.Grid(4, 3), np.zeros((3, 4), np.float32)))
    assert spots.positions.shape == (0, 2) and spots.values.shape == spots.cells.shape == (0,)
    assert query.peaks(
        Field(fc.Grid(4, 3), np.zeros((3, 4), np.float32)), threshold=-1
    ).cells.shape == (1,)


def test_positions_are_the_worlds() -> None:
    values = np.zeros((3, 4), np.float32)
    values[0, 1] = 1
    assert query.peaks(
        Field(fc.Grid(4, 3, cell_size=2.0, y_up=True), values)
    ).positions.tolist() == [[3.0, 5.0]]
    assert query.peaks(Field(fc.Grid(4, 3, cell_size=2.0), values)).positions.tolist() == [
        [3.0, 1.0]
    ]


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"count": 0}, "count"),
        ({"count": 2.0}, "count"),
        ({"spacing": -1}, "spacing"),
        ({"threshold": np.nan}, "threshold"),
    ],
)
def test_refusals_of_peaks(wrong: dict[str, float], name: str) -> None:
    with refused(InvalidValue, name):
        query.peaks(noise(fc.Grid(4, 3), 2), **wrong)  # type: ignore[arg-type]


rng_of = np.random.default_rng


def parts_of(found: fc.ChosenCells) -> list[bytes]:
    """The bits of an answer."""
    return [
        np.asarray(each).tobytes()
        for each in (found.positions, found.values, found.cells, found.found)
    ]


@given(
    st.integers(0, 10**6),
    st.sampled_from([0.1, 0.5, 0.9]),
    st.sampled_from([None, 1, 3]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["refuse", "clamp"]),
)
@settings(max_examples=40)
def test_an_expression_is_computed_near_few_positions_only(
    seed: int, radius: float, count: int | None, y_up: bool, wrap: Wrap, outside: str
) -> None:
    rng = np.random.default_rng(seed)
    space = fc.Grid(
        311,
        223,
        cell_size=0.5,
        origin=(-3, 2),
        walls=random_walls((223, 311), 0.2, seed),
        y_up=y_up,
        wrap=wrap,
    )
    imap = fc.InfluenceMap(space)
    first, second = (
        imap.add_layer(name, values=rng.integers(-3, 4, (223, 311)).astype(np.float32))
        for name in ("first", "second")
    )
    low, high = space.extent
    at = rng.uniform(low, high - 1e-9, (1, 2))
    if outside == "clamp" and not wrap:
        at[0] += rng.uniform(-40, 40, 2)
    makers = (
        lambda: first - 0.5 * second,
        lambda: first.normalize() * second,
        lambda: -first.curve(np.tanh),
    )
    for positions in (at, at[0]):
        for make in makers:
            near, whole = make(), make()
            expected = whole.values
            arguments = (positions, radius)
            keywords = {"count": count, "outside": outside}
            found = fc.best(near, *arguments, **keywords)
            assert not near.is_computed
            assert parts_of(found) == parts_of(
                fc.best(expected, *arguments, **keywords, space=space)
            )
            lowest = query.worst(near, *arguments, **keywords)
            assert parts_of(lowest) == parts_of(query.worst(whole, *arguments, **keywords))
            drawn = [
                parts_of(fc.best(each, *arguments, within=0.5, rng=rng_of(seed), **keywords))
                for each in (near, whole)
            ]
            assert drawn[0] == drawn[1]


def test_an_expression_is_computed_as_a_whole_for_many_positions_and_once() -> None:
    space = fc.Grid(61, 47)
    layer = fc.InfluenceMap(space).add_layer("a", values=np.ones((47, 61), dtype=np.float32))
    many = np.full((40, 2), 5.5)
    score = layer * 2
    fc.best(score, many, 4)
    assert score.is_computed
    found = fc.best(score, (5.5, 5.5), 1)
    assert found.value == 2


def test_an_expression_on_a_small_map_is_computed_as_a_whole() -> None:
    layer = fc.InfluenceMap(fc.Grid(61, 47)).add_layer("a", values=np.ones((47, 61)))
    score = layer * 2
    assert fc.best(score, (5.5, 5.5), 1).value == 2
    assert score.is_computed


@pytest.mark.parametrize("space", [fc.Grid(4, 3), fc.Grid(4, 3).to_graph(), fc.HexGrid(4, 3)])
def test_values_of_a_threshold_are_not_above_it(space: fc.Space) -> None:
    share = np.full(space.shape, 0.1, dtype=np.float32)  # which is more than 0.1 of 64 bits
    assert len(fc.regions(share, 0.1, space=space)) == 0
    assert len(fc.peaks(share, threshold=0.1, space=space).cells) == 0
    place = space.position_of(0)
    assert not fc.pick(share, place, 9, rng=np.random.default_rng(1), above=0.1, space=space)


@pytest.mark.parametrize("space", [fc.Grid(4, 3), fc.HexGrid(4, 3)])
@pytest.mark.parametrize("most", [3.5e38, 1e300])
def test_numbers_beyond_float32_are_beyond_all_values(space: fc.Space, most: float) -> None:
    values = np.arange(12, dtype=np.float32).reshape(space.shape)
    place = space.position_of(0)
    rng = np.random.default_rng(1)
    assert not fc.pick(values, place, 9, rng=rng, above=most, space=space)
    assert fc.pick(values, place, 9, rng=rng, above=-most, space=space)
    assert len(fc.regions(values, most, space=space)) == 0
    assert len(fc.peaks(values, threshold=most, space=space).cells) == 0
    assert fc.best(values, place, 99, count=3, spacing=most, space=space).found.sum() == 1
    assert len(fc.peaks(values, spacing=most, space=space).cells) == 1
