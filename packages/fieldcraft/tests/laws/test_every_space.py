"""Laws that hold on every kind of space: a third or a seventh kind is judged on the day it is
born.
"""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

import fieldcraft as fc
from fieldcraft.space import Space, snapshot_of
from oracles.spread import decayed
from support.examples import examples
from support.worlds import OPEN, moves, open_cells, walks

SEEDS = st.integers(0, 2**20)
every_space = pytest.mark.parametrize("kind", OPEN)
some = settings(max_examples=8)


def made(kind: str, seed: int) -> tuple[Space, np.random.Generator, int]:
    """A random space, its dice, and an open cell of it."""
    dice = np.random.default_rng(seed)
    space = OPEN[kind](dice)
    return space, dice, int(dice.choice(open_cells(space)))


def plane(space: Space) -> bool:
    """Whether lines of sight run on it."""
    return space.sight_grid is not None or space.period is None


@every_space
@some
@given(seed=SEEDS)
def test_cells_are_where_they_say(kind: str, seed: int) -> None:
    space, _, cell = made(kind, seed)
    ids = np.arange(len(space))
    assert space.walls.shape == space.shape and int(np.prod(space.shape)) == len(space)
    assert np.asarray(space.cell_at(space.positions)).tolist() == ids.tolist()
    assert space.cell_at(space.position_of(cell)) == cell
    low, high = space.extent
    assert ((space.positions >= low - 1e-9) & (space.positions <= high + 1e-9)).all()
    assert len(space.areas) == len(space)
    assert space.same_cells(space.with_walls(None)) and repr(space).startswith("<")
    away = space.offsets_from(space.position_of(cell))
    assert not away[cell].any() and (
        space.period is None or (np.abs(away) <= space.period / 2 + 1e-9).all()
    )


@every_space
@some
@given(seed=SEEDS)
def test_equal_spaces_have_the_same_walls_and_sight(kind: str, seed: int) -> None:
    space, _, cell = made(kind, seed)
    twin = pickle.loads(pickle.dumps(space))
    assert twin == space and space != space.shape and space != fc.Grid(19, 23)
    twin.set_walls(cell)
    assert twin != space
    twin.set_walls(cell, False)
    assert twin == space and len({twin, space}) == 2
    if plane(space) and (space.sight_grid is not None or space.graph.mesh is not None):
        twin.set_opaque(cell)
        assert twin != space


@every_space
@some
@given(seed=SEEDS)
def test_steps_are_told_alike_from_both_ends(kind: str, seed: int) -> None:
    space, _, cell = made(kind, seed)
    ways, out = space.adjacency, space.adjacency_from_walls
    blocked = space.walls.reshape(-1)
    assert (
        not blocked[ways.ends].any()
        and not blocked[ways.origins].any()
        and not blocked[out.ends].any()
    )
    assert (
        space.neighbors_of(cell).tolist()
        == np.unique(ways.ends[ways.starts[cell] : ways.starts[cell + 1]]).tolist()
    )
    into, lengths = space.steps_into(cell)
    arriving = out.ends == cell
    assert sorted(zip(into.tolist(), lengths.tolist(), strict=True)) == sorted(
        zip(out.origins[arriving].tolist(), out.lengths[arriving].tolist(), strict=True)
    )
    parts = space.parts().reshape(-1)
    assert (parts[ways.origins] == parts[ways.ends]).all() and ((parts < 0) == blocked).all()
    areas = np.bincount(parts[parts >= 0], weights=space.areas[parts >= 0])
    assert (np.diff(areas) <= 1e-9).all()


@every_space
@some
@given(seed=SEEDS)
def test_occupied_cells_count_as_walls_for_what_is_chosen(kind: str, seed: int) -> None:
    space, dice, _ = made(kind, seed)
    free = open_cells(space)
    held = dice.permutation(free)[: len(free) // 2]
    mask = np.isin(np.arange(len(space)), held).reshape(space.shape)
    closed = space.with_walls(space.walls | mask)
    cells, values = np.arange(len(space)), dice.random(space.shape).astype(np.float32)
    for occupied in (held, mask, space.position_of(held)):
        nearest = space.nearest_open(cells, occupied=occupied)
        assert nearest.tolist() == closed.nearest_open(cells).tolist()
        near = space.open_near(space.positions, occupied=occupied)
        assert near.tolist() == closed.open_near(space.positions).tolist()
        for choose in (fc.best, fc.query.worst):
            spots = choose(values, space.positions, 1.5, occupied=occupied, space=space)
            assert spots.cells.tolist() == (
                choose(values, space.positions, 1.5, space=closed).cells.tolist()
            )
    rng = [np.random.default_rng(seed) for _ in range(2)]
    picked = fc.pick(values, space.positions, 1.5, rng=rng[0], occupied=held, space=space)
    assert picked.cells.tolist() == (
        fc.pick(values, space.positions, 1.5, rng=rng[1], space=closed).cells.tolist()
    )


@every_space
@some
@given(seed=SEEDS)
def test_the_nearest_open_cell_is(kind: str, seed: int) -> None:
    space, _, _ = made(kind, seed)
    free = open_cells(space)
    for cell in range(0, len(space), 3):
        found = int(space.nearest_open(cell))
        away = np.sqrt((space.offsets_from(space.position_of(cell)) ** 2).sum(axis=1))
        assert not space.walls.reshape(-1)[found] and away[found] <= away[free].min() + 1e-9


def drawn_within(
    values: np.ndarray, near: list[int], share: float, draws: np.ndarray, sign: int
) -> list[int]:
    """The cells that the rule of `within` draws from these, by looking at all of them."""
    chosen: list[int] = []
    for draw in draws:
        left = [cell for cell in sorted(near) if cell not in chosen]
        if not left:
            break
        scores = sign * values.reshape(-1)[left].astype(np.float64)
        best = scores.max()
        good = [c for c, s in zip(left, scores, strict=True) if s >= best - share * abs(best)]
        chosen.append(good[int(draw * len(good))])
    return chosen + [-1] * (len(draws) - len(chosen))


@every_space
@some
@given(seed=SEEDS)
def test_a_random_choice_among_the_best_is_the_one_that_the_draws_give(
    kind: str, seed: int
) -> None:
    space, dice, _ = made(kind, seed)
    values = dice.choice([-4.0, -1.0, 0.0, 2.0, 2.1, 8.0, 8.3], space.shape).astype(np.float32)
    places, count = space.positions, min(2, len(space))
    for share, walk in ((0.0, None), (0.05, None), (0.1, 3.0), (2.0, None)):
        for choose, sign in ((fc.best, 1), (fc.query.worst, -1)):
            more = {"count": count, "walk": walk, "space": space}
            rng = np.random.default_rng(seed)
            spots = choose(values, places, 2.0, within=share, rng=rng, **more)
            draws = np.random.default_rng(seed).random((len(places), count))
            # All cells that may be chosen, by the same call without a limit on their number.
            every = choose(values, places, 2.0, **(more | {"count": len(space)})).cells
            for cells, near, numbers in zip(spots.cells.tolist(), every, draws, strict=True):
                near = near[near >= 0].tolist()
                assert cells == drawn_within(values, near, share, numbers, sign)


@every_space
@some
@given(seed=SEEDS)
def test_random_choices_keep_their_spacing(kind: str, seed: int) -> None:
    space, dice, cell = made(kind, seed)
    values = dice.random(space.shape).astype(np.float32)
    here, count = space.position_of(cell), min(3, len(space))
    rng = np.random.default_rng(seed)
    spots = fc.best(values, here, 9, count=count, spacing=1.0, within=1.0, rng=rng, space=space)
    taken = fc.query.Reservations(space, spacing=1.0)
    names = list(range(count))
    agents = {"agents": names, "within": 0.5, "rng": rng}
    held = taken.best(values, [here] * count, 9, **agents)
    for cells in (spots.cells[spots.found], held.cells[held.found]):
        assert len(cells) and not space.walls.reshape(-1)[cells].any()
        for k, one in enumerate(cells):
            away = space.offsets_from(space.position_of(int(one)))[cells[k + 1 :]]
            assert (np.sqrt((away**2).sum(axis=1)) >= 1.0 - 1e-6).all()


@every_space
@some
@given(seed=SEEDS)
def test_walls_come_and_go_with_a_version(kind: str, seed: int) -> None:
    space, _, cell = made(kind, seed)
    before = space.walls_version
    space.set_walls([cell])
    assert (
        space.walls.reshape(-1)[cell]
        and space.walls_version > before
        and cell in space.walls_changed(before)
    )
    assert not (space.adjacency.ends == cell).any()
    then = snapshot_of(space)
    space.set_walls([cell], False)
    assert then.walls[cell] and not snapshot_of(space).walls[cell]


@every_space
@some
@given(seed=SEEDS)
def test_a_path_to_what_cannot_be_reached_ends_where_it_is_nearest(kind: str, seed: int) -> None:
    space, dice, cell = made(kind, seed)
    costs = dice.choice([1.0, 2.0, np.inf], space.shape, p=[0.5, 0.2, 0.3])
    costs.reshape(-1)[cell] = 1.0
    start, goals = space.position_of(cell), space.positions
    for cost in (None, costs):
        reached = fc.distance_map(space, start, cost=cost, outward=True).exact.reshape(-1)
        more = {"cost": cost, "unreachable": "nearest"}
        paths = fc.shortest_paths(space, start, goals, **more)
        for goal, path in zip(goals, paths, strict=True):
            away = np.sqrt((space.offsets_from(goal) ** 2).sum(axis=1))
            end = int(path.cells[-1])
            least = away[np.isfinite(reached)].min()
            assert np.isfinite(reached[end]) and away[end] <= least + 1e-9
            assert path.partial == (not np.isfinite(reached[space.cell_at(goal)]))
            near = np.isfinite(reached) & (away <= least + 1e-9)
            assert reached[end] == reached[near].min() and path.cost == pytest.approx(reached[end])
            one = fc.shortest_path(space, start, goal, **more)
            assert one.cells.tolist() == path.cells.tolist() and one.partial == path.partial


@every_space
@some
@given(seed=SEEDS)
def test_damage_is_that_of_all_enemies_who_can_get_within_range(kind: str, seed: int) -> None:
    space, dice, _ = made(kind, seed)
    foes = dice.choice(open_cells(space), 4)
    strengths = dice.choice([0.5, 1.0, 2.0], 4)
    moves = dice.choice([0.0, 0.7, 2.0, 2.0], 4)
    ranges = dice.choice([0.0, 0.5, 1.0, 1.7, 9.0], 4)
    costs = dice.choice([1.0, 2.0, np.inf], space.shape, p=[0.6, 0.3, 0.1])
    costs.reshape(-1)[foes] = 1.0
    places, opened = space.position_of(foes), ~space.walls.reshape(-1)
    for sight in (False, True):
        if sight and not plane(space):
            continue
        damage = fc.query.damage_next_turn(
            space, places, strengths, moves=moves, ranges=ranges, sight=sight, cost=costs
        )
        total, most = np.zeros(len(space)), np.zeros(len(space))
        for place, strength, move, far in zip(places, strengths, moves, ranges, strict=True):
            hit = np.zeros(len(space), dtype=bool)
            for at in fc.reach(space, place, move, cost=costs).positions:
                away = np.sqrt((space.offsets_from(at) ** 2).sum(axis=1))
                near = away <= far + 1e-9
                if sight:
                    near &= fc.visible(space, at, max(far, 1e-9)).reshape(-1)
                hit |= near & opened
            total += strength * hit
            most = np.maximum(most, strength * hit)
        assert damage.total.values.reshape(-1).tolist() == total.tolist()
        assert damage.most.values.reshape(-1).tolist() == most.tolist()
    alone = fc.query.damage_next_turn(space, places[0], 2.0, moves=2.0, ranges=1.0)
    hits = fc.reach(space, tuple(places[0]), 2.0, ranges=1.0).hits
    assert (alone.total.values == 2.0 * (hits & ~space.walls)).all()
    summed = (alone.total + damage.total).values
    assert (summed == np.where(space.walls, 0, alone.total.values + damage.total.values)).all()


@every_space
@some
@given(seed=SEEDS)
def test_a_way_between_areas_leads_through_a_choke_point(kind: str, seed: int) -> None:
    space, dice, _ = made(kind, seed)
    smallest = float(dice.choice([0.0, 2.0])) * float(np.median(space.areas))
    found = fc.query.choke_points(space, smallest=smallest, narrowing=float(dice.choice([0.6, 1])))
    areas, walls = found.areas.reshape(-1), space.walls.reshape(-1)
    assert ((areas < 0) == walls).all()
    count = int(areas.max()) + 1
    sizes = np.bincount(areas[~walls], weights=space.areas[~walls], minlength=count)
    assert (sizes > 0).all() and (np.diff(sizes) <= 1e-9).all()
    closed = walls.copy()
    for point in found.points:
        one, other = point.areas
        closed[point.cells] = True
        assert one < other < count and len(set(areas[point.cells].tolist())) == 1
        assert areas[point.cells[0]] in point.areas and point.width >= 0
        assert space.cell_at(point.position) in point.cells
    steps = space.adjacency
    apart = areas[steps.origins] != areas[steps.ends]
    assert (closed[steps.origins] | closed[steps.ends])[apart].all()
    parts = space.parts().reshape(-1)
    assert all(len(set(parts[areas == number].tolist())) == 1 for number in range(count))


@every_space
@some
@given(seed=SEEDS)
def test_infinite_costs_of_expressions_are_the_walls_of_arrays(kind: str, seed: int) -> None:
    space, dice, cell = made(kind, seed)
    imap = fc.InfluenceMap(space)
    values = dice.choice([0.0, 1.0, 2.0], space.shape)
    values.reshape(-1)[cell] = 0.0
    ground = imap.add_layer("ground", values=values)
    array = np.where(values < 2, 1 + values, np.inf)
    start, goals = space.position_of(cell), space.positions
    for cost in (
        fc.where(ground < 2, 1 + ground, np.inf),
        fc.where(ground >= 2, array, 1 + ground),
    ):
        one, other = (fc.distance_map(space, start, cost=each) for each in (cost, array))
        assert one.values.tolist() == other.values.tolist()
        inside = goals[np.isfinite(array).reshape(-1) & ~space.walls.reshape(-1)]
        pairs = [fc.shortest_paths(space, start, inside, cost=each) for each in (cost, array)]
        assert [path.cells.tolist() for path in pairs[0]] == [p.cells.tolist() for p in pairs[1]]
        reached = [fc.reach(space, start, 3.0, cost=each).cells.tolist() for each in (cost, array)]
        assert reached[0] == reached[1]
        if len(space.adjacency.ends):
            danger = np.zeros((4, *space.shape))
            timed = [
                fc.shortest_path(space, start, inside[-1], cost=each, danger=danger)
                for each in (cost, array)
            ]
            assert timed[0].cells.tolist() == timed[1].cells.tolist()
            safe = [
                fc.query.first_arrival(space, start, start, cost=each).ours.tolist()
                for each in (cost, array)
            ]
            assert safe[0] == safe[1]


@every_space
@some
@given(seed=SEEDS)
def test_paths_of_a_size_stay_where_the_footprint_fits(kind: str, seed: int) -> None:
    space, dice, _ = made(kind, seed)
    if not isinstance(space, fc.Grid | fc.HexGrid):
        refusal = "Footprints fit"
        if space.graph.mesh is not None:
            refusal = "a mesh is made for a radius"
        with pytest.raises(fc.errors.InvalidValue, match=refusal):
            fc.distance_map(space, space.position_of(0), size=2)
        return
    room = fc.question.Clearance(space).values
    size = int(dice.integers(1, 4))
    fitting = np.flatnonzero(room.reshape(-1) >= size)
    if not len(fitting):
        return
    costs = dice.choice([1.0, 3.0], space.shape)
    cell = int(dice.choice(fitting))
    start, goals = space.position_of(cell), space.position_of(fitting)
    narrow = np.where(room >= size, costs, np.inf)
    for smooth in {False, kind in ("grid", "y up")}:
        for path in fc.shortest_paths(space, start, goals, cost=costs, size=size, smooth=smooth):
            assert (room.reshape(-1)[path.cells] >= size).all()
    distances = fc.distance_map(space, start, cost=costs, size=size)
    assert distances.values.tolist() == fc.distance_map(space, start, cost=narrow).values.tolist()
    # It follows walls that come and go, and other costs.
    gone = dice.permutation(open_cells(space))[:2]
    for closed in (True, False):
        space.set_walls(gone, closed)
        distances.repair()
        room = fc.question.Clearance(space).values
        if room.reshape(-1)[cell] >= size:
            narrow = np.where(room >= size, costs, np.inf)
            assert (
                distances.values.tolist()
                == fc.distance_map(space, start, cost=narrow).values.tolist()
            )
    if room.reshape(-1)[cell] >= size:
        distances.repair(cost=2 * costs)
        new = fc.distance_map(space, start, cost=2 * costs, size=size)
        assert distances.values.tolist() == new.values.tolist()


@every_space
@some
@given(seed=SEEDS)
def test_an_eased_map_halves_its_difference_with_each_half_life(kind: str, seed: int) -> None:
    space, _, cell = made(kind, seed)
    imap = fc.InfluenceMap(space)
    guns = imap.add_layer("guns", fc.Radial(3.0, "linear"), every=0.25)
    shown = imap.add(fc.compose.Eased(guns, half_life=0.5))
    tower = guns.add_source(space.position_of(cell), 8.0)
    imap.advance(0.25)
    built = guns.values.astype(np.float64)
    part = 1 - 0.5**0.5
    assert np.allclose(shown.values, part * built, atol=2e-6)
    for _ in range(3):
        imap.advance(0.25)
    assert np.allclose(shown.values, 0.75 * built, atol=2e-6)
    imap.advance(60.0)
    assert (shown.values == guns.values).all()
    version = shown.version
    imap.advance(1.0)
    assert shown.version == version
    tower.remove()
    imap.advance(0.5)
    assert not guns.values.any()
    assert np.allclose(shown.values, 0.5 * built, atol=2e-6) and shown.version > version
    assert (2 * shown).values.tolist() == (2 * shown.values).tolist()
    twin = pickle.loads(pickle.dumps(shown))
    twin.advance(0.5)
    assert np.allclose(twin.values, 0.25 * built, atol=2e-6)
    space.set_walls(cell)
    assert shown.values.reshape(-1)[cell] == 0
    imap.advance(60.0)
    assert not shown.values.any()


COPIES = {
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
    "pickle": lambda space: pickle.loads(pickle.dumps(space)),
}


@every_space
@pytest.mark.parametrize("how", COPIES)
@some
@given(seed=SEEDS)
def test_a_copy_knows_the_changes_and_goes_on_alone(kind: str, how: str, seed: int) -> None:
    space, _, cell = made(kind, seed)
    before = space.walls_version
    space.set_walls([cell])
    twin = COPIES[how](space)
    assert twin.walls_version == space.walls_version == before + 1
    assert twin.walls_changed(before).tolist() == [cell]
    twin.set_walls([cell], False)
    assert (twin.walls_version, space.walls_version) == (before + 2, before + 1)
    assert space.walls.reshape(-1)[cell] and not twin.walls.reshape(-1)[cell]


@every_space
@pytest.mark.parametrize("how", COPIES)
@some
@given(seed=SEEDS)
def test_a_map_on_a_copy_follows_walls_that_changed_before(kind: str, how: str, seed: int) -> None:
    space, dice, cell = made(kind, seed)
    distances = fc.distance_map(space, space.position_of(cell))
    _ = distances.values
    others = np.setdiff1d(open_cells(space), [cell])
    space.set_walls(dice.choice(others, min(3, len(others)), replace=False))
    twin = COPIES[how](distances)
    assert twin.outdated == (len(others) > 0)
    twin.repair()
    expected = fc.distance_map(space, space.position_of(cell)).values
    assert np.array_equal(twin.values, expected)


@every_space
@some
@given(seed=SEEDS)
def test_the_history_of_walls_is_bounded(kind: str, seed: int) -> None:
    space, _, cell = made(kind, seed)
    start, version = len(pickle.dumps(space)), space.walls_version
    for _ in range(1100):
        space.set_walls([cell])
        space.set_walls([cell], False)
    assert space.walls_version == version + 2200 and len(pickle.dumps(space)) < start + 100 * 1024
    for since in (-1, 0):
        assert space.walls_changed(since).tolist() == list(range(len(space)))
    last = space.walls_version
    assert space.walls_changed(last - 1).tolist() == [cell]
    assert space.walls_changed(last).tolist() == []


@every_space
@some
@given(seed=SEEDS)
def test_a_sparse_matrix_of_steps_is_canonical(kind: str, seed: int) -> None:
    space, _, _ = made(kind, seed)
    found = space.adjacency.to_sparse()
    clean = found.copy()
    clean.sum_duplicates()
    assert np.array_equal(found.indices, clean.indices) and not found.diagonal().any()


@pytest.mark.parametrize("neighbors", [4, 8])
@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (4, 1), (2, 3), (3, 2), (2, 2)])
def test_steps_around_a_narrow_torus_are_listed_once(
    shape: tuple[int, int], neighbors: int
) -> None:
    torus = fc.Grid(*shape, wrap=True, neighbors=neighbors)
    found = torus.adjacency.to_sparse()
    for cell in range(len(torus)):
        row = found.indices[found.indptr[cell] : found.indptr[cell + 1]].tolist()
        assert row == [each for each in torus.neighbors_of(cell).tolist() if each != cell]
    straight = found.data[found.data == 1]
    assert len(straight) >= min(len(found.data), len(torus))  # of two steps the shorter counts


@every_space
@some
@given(seed=SEEDS, falloff=st.sampled_from(["exponential", "linear"]))
def test_a_settled_spread_is_what_the_shortest_ways_leave(
    kind: str, seed: int, falloff: str
) -> None:
    space, dice, cell = made(kind, seed)
    other = int(dice.choice(open_cells(space)))
    spread = fc.Spread(decay=0.4, momentum=0.7, falloff=falloff, floor=0.0)
    layer = fc.InfluenceMap(space).add_layer("s", spread)
    layer.add_source(space.position_of(cell), 3.0)
    layer.add_source(space.position_of(other), 3.0)
    layer.settle()
    left = [decayed(spread, np.minimum(walks(space, each), 1e9), 3.0) for each in (cell, other)]
    np.testing.assert_allclose(layer.values.reshape(-1), np.maximum(*left), rtol=1e-4, atol=1e-6)
    assert layer.values.shape == space.shape


@every_space
@some
@given(seed=SEEDS, metric=st.sampled_from(["straight", "connected", "path", "sight"]))
def test_radial_layers_hold_to_their_metric_and_to_nothing_else(
    kind: str, seed: int, metric: str
) -> None:
    space, dice, cell = made(kind, seed)
    if metric == "sight" and not plane(space):
        with pytest.raises(fc.errors.InvalidValue, match="straight lines"):
            fc.InfluenceMap(space).add_layer("r", fc.Radial(2.3, metric=metric))
        return
    layer = fc.InfluenceMap(space).add_layer("r", fc.Radial(2.3, falloff="linear", metric=metric))
    here = layer.add_source(space.position_of(cell), 4.0)
    layer.step()
    straight = np.sqrt((space.offsets_from(space.position_of(cell)) ** 2).sum(axis=1))
    away = walks(space, cell) if metric == "path" else straight
    expected = np.where(space.walls.reshape(-1), 0.0, 4 * np.maximum(1 - away / 2.3, 0))
    found = layer.values.reshape(-1)
    if metric == "sight":
        expected *= fc.visible(space, space.position_of(cell), 2.3).reshape(-1)
    if metric == "connected":
        expected *= (found > 0) | (expected < 1e-6)
        assert not found[np.isinf(walks(space, cell))].any()
    np.testing.assert_allclose(found, expected, atol=2e-5)
    # After moving about it is as if nothing had been elsewhere.
    here.move(space.position_of(int(dice.choice(open_cells(space)))))
    layer.step()
    space.set_walls(dice.choice(open_cells(space), 1))
    layer.step()
    here.move(space.position_of(cell), on_wall="through")
    layer.step()
    fresh = fc.InfluenceMap(space).add_layer("r", layer.propagation)
    fresh.add_source(space.position_of(cell), 4.0, on_wall="through")  # type: ignore[attr-defined]
    fresh.step()
    assert layer.values.tobytes() == fresh.values.tobytes()


@every_space
@some
@given(seed=SEEDS)
def test_distances_are_the_shortest_ways(kind: str, seed: int) -> None:
    space, dice, cell = made(kind, seed)
    costs = 1 + dice.random(space.shape)
    for cost in (None, costs):
        flat = None if cost is None else costs.reshape(-1)
        toward = fc.distance_map(space, space.position_of(cell), cost=cost)
        expected = np.array([walks(space, start, costs=flat)[cell] for start in range(len(space))])
        expected[space.walls.reshape(-1)] = np.inf
        np.testing.assert_allclose(toward.exact.reshape(-1), expected, rtol=1e-9)
        start = int(dice.choice(open_cells(space)))
        path = fc.shortest_path(space, space.position_of(start), space.position_of(cell), cost=cost)
        assert path.found == bool(np.isfinite(expected[start]))
        if path.found:
            assert (
                path.cost
                == pytest.approx(expected[start])
                == toward.descend(space.position_of(start)).cost
            )
            assert path.cells[0] == start and path.cells[-1] == cell
            assert space.step_lengths(path.cells).sum() == pytest.approx(path.length)
            np.testing.assert_allclose(
                space.shortest_vectors(path.at(0.0) - space.position_of(start)), 0, atol=1e-9
            )
            np.testing.assert_allclose(
                space.shortest_vectors(path.at(path.length) - space.position_of(cell)), 0, atol=1e-9
            )
    blocked = fc.distance_map(space, space.position_of(cell))
    gone = int(dice.choice(open_cells(space)))
    if gone != cell:
        assert blocked.values is not None
        space.set_walls([gone])
        blocked.repair()
        assert (
            blocked.values.tobytes()
            == fc.distance_map(space, space.position_of(cell)).values.tobytes()
        )


@every_space
@some
@given(seed=SEEDS)
def test_who_follows_a_flow_field_arrives(kind: str, seed: int) -> None:
    space, dice, cell = made(kind, seed)
    if kind in ("knight", "waypoints"):
        return  # nobody walks by leaps, and at one pace past crossings of edges
    if isinstance(space, fc.Grid) and space.corners == "cut":
        with pytest.raises(fc.errors.InvalidValue, match="between two walls"):
            fc.flow_field(fc.distance_map(space, space.position_of(cell)))
        return
    flow = fc.flow_field(fc.distance_map(space, space.position_of(cell)))
    assert flow.vectors.shape == (*space.shape, space.dimensions)
    far = walks(space, np.arange(len(space)))[:, cell]
    start = int(dice.choice(open_cells(space)))
    at = space.position_of(start)
    if not 0 < far[start] < np.inf:
        assert not flow.sample(at).any()
        return
    stride = 0.2 * space.typical_step
    for _ in range(int(8 * far[start] / stride) + 40):
        away = space.shortest_vectors(at - space.position_of(cell))
        if np.sqrt((away**2).sum()) <= space.typical_step:
            return
        at = space.wrapped(at + flow.sample(at, outside="clamp") * stride)
    raise AssertionError(f"from {start} to {cell}, ended at {at}")


@every_space
@some
@given(seed=SEEDS)
def test_sight_is_mutual_and_stays_within_its_radius(kind: str, seed: int) -> None:
    space, _, cell = made(kind, seed)
    here = space.position_of(cell)
    if not plane(space):
        with pytest.raises(fc.errors.InvalidValue, match="straight lines"):
            fc.visible(space, here, 2.0)
        return
    seen = fc.visible(space, here, 2.5)
    away = np.sqrt((space.offsets_from(here) ** 2).sum(axis=1))
    assert seen.shape == space.shape and seen.reshape(-1)[cell]
    assert not (seen.reshape(-1) & ((away > 2.5 + 1e-6) | space.walls.reshape(-1))).any()
    for other in np.flatnonzero(seen).tolist():
        assert fc.visible(space, space.position_of(other), 2.5).reshape(-1)[cell]


@every_space
@some
@given(seed=SEEDS, steps=st.integers(0, 4))
def test_a_flood_is_where_one_gets_in_as_many_steps(kind: str, seed: int, steps: int) -> None:
    space, _, cell = made(kind, seed)
    layer = fc.InfluenceMap(space).add_layer("f", fc.Flood(cooling=0.0))
    layer.deposit(space.position_of(cell), 1.0)
    layer.step(steps)
    assert (layer.values.reshape(-1) > 0).tolist() == (moves(space, cell) <= steps).tolist()


@every_space
@some
@given(seed=SEEDS)
def test_marks_fade_alike_everywhere(kind: str, seed: int) -> None:
    space, _, cell = made(kind, seed)
    imap = fc.InfluenceMap(space)
    layer = imap.add_layer("m", fc.Fade(amount=25.0, interval=1.0))
    layer.mark(space.position_of(cell), radius=1.5, falloff="constant", metric="path")
    near = walks(space, cell) <= 1.5 + 1e-9
    assert (layer.values.reshape(-1) == 100).tolist() == near.tolist()
    imap.advance(2.0)
    np.testing.assert_allclose(layer.values.reshape(-1)[near], 50, atol=1e-3)
    imap.advance(2.1)
    assert not layer.values.any()


@every_space
@some
@given(seed=SEEDS)
def test_belief_sums_to_one_off_walls(kind: str, seed: int) -> None:
    space, dice, cell = made(kind, seed)
    if not len(space.adjacency.ends):
        return
    belief = fc.Belief(space, 1.0)
    belief.see(space.position_of(cell))
    for _ in range(3):
        belief.step()
        belief.observe([int(dice.choice(open_cells(space)))])
        assert (
            belief.probability().sum() == pytest.approx(1.0)
            and not belief.probability()[space.walls].any()
        )
    belief.see(space.position_of(cell))
    belief.step()
    possible = moves(space, cell) <= 1
    assert not belief.probability().reshape(-1)[~possible].any()


@every_space
@some
@given(seed=SEEDS)
def test_questions_answer_with_open_cells(kind: str, seed: int) -> None:
    space, dice, cell = made(kind, seed)
    layer = fc.InfluenceMap(space).add_layer("v", values=dice.random(space.shape, dtype=np.float32))
    spot = fc.best(layer, space.position_of(cell), 3.0)
    within = np.sqrt((space.offsets_from(space.position_of(cell)) ** 2).sum(axis=1)) <= 3.0 * (
        1 + 1e-9
    )
    free = within & ~space.walls.reshape(-1)
    assert (
        layer.values.reshape(-1)[int(spot.cells[0] if np.ndim(spot.cells) else spot.cells)]
        == layer.values.reshape(-1)[free].max()
    )
    assert np.asarray(layer.sample(space.position_of(cell))) == pytest.approx(
        float(layer.values.reshape(-1)[cell]), abs=1e-5
    )
    summed = (layer * 2 + 1).values
    np.testing.assert_allclose(summed, np.where(space.walls, 0, layer.values * 2 + 1), rtol=1e-6)


@every_space
@settings(max_examples=4)
@given(seed=SEEDS)
def test_a_saved_map_goes_on_as_the_other(
    tmp_path_factory: pytest.TempPathFactory, kind: str, seed: int
) -> None:
    space, dice, cell = made(kind, seed)
    imap = fc.InfluenceMap(space)
    spread = imap.add_layer("s", fc.Spread(decay=0.3, momentum=0.5))
    spread.add_source(space.position_of(cell), 2.0)
    radial = imap.add_layer("r", fc.Radial(2.0))
    radial.add_source(space.position_of(cell), -1.0)
    imap.add_layer("m", fc.Fade()).mark(space.position_of(cell), radius=1.0)
    space.set_walls(dice.choice(open_cells(space), 1))
    imap.advance(0.7)
    path: Path = tmp_path_factory.mktemp("saves") / "map.fc"
    imap.save(path)
    twin = fc.InfluenceMap.load(path)
    assert (
        type(twin.space) is type(space)
        and twin.space.same_cells(space)
        and repr(twin.space) == repr(space)
    )
    assert twin.space.walls.tobytes() == space.walls.tobytes()
    for one in (imap, twin):
        one.space.set_walls([cell])
        one.advance(1.3)
    for name in ("s", "r", "m"):
        assert imap[name].values.tobytes() == twin[name].values.tobytes(), name


@every_space
@some
@given(seed=SEEDS)
def test_memory_diffuses_along_steps(kind: str, seed: int) -> None:
    space, dice, _ = made(kind, seed)
    layer = fc.InfluenceMap(space).add_layer("memory", fc.Fade(1.0, 1.0, diffusion=0.4), every=0.5)
    free = open_cells(space)
    layer.mark(space.position_of(dice.choice(free, 3)), [100.0, 60.0, 30.0])
    ways, part = space.adjacency, 1 - 0.6**0.5
    for _ in range(3):
        before = np.maximum(layer.values.reshape(-1) - 0.5, 0).astype(float)
        layer.step()
        expected = before.copy()
        for cell in free.tolist():
            into = ways.ends == cell
            if into.any():
                expected[cell] += part * (
                    np.average(before[ways.origins[into]], weights=1 / ways.lengths[into])
                    - before[cell]
                )
        np.testing.assert_allclose(layer.values.reshape(-1), expected, atol=1e-4)


def block_of(space: Space, cell: int, reach: float) -> set[int]:
    """The walls joined to a cell that is one, no farther from it than `reach`: side by side on
    grids, by steps elsewhere.
    """
    blocked, away = space.walls.reshape(-1), space.offsets_from(space.position_of(cell))
    near = blocked & (np.sqrt((away**2).sum(axis=1)) <= reach + 1e-9)
    bare = space.with_walls(None).adjacency
    found, waiting = {cell}, [cell]
    for here in waiting:
        beside = bare.ends[bare.starts[here] : bare.starts[here + 1]].tolist()
        if isinstance(space, fc.Grid):
            apart = np.abs(space.offsets_from(space.position_of(here))).sum(axis=1)
            beside = np.flatnonzero(np.isclose(apart, space.cell_size)).tolist()
        for end in beside:
            if near[end] and end not in found:
                found.add(end)
                waiting.append(end)
    return found


@pytest.mark.parametrize("kind", [kind for kind in OPEN if kind != "one way"])
@examples(8)
@given(
    seed=SEEDS,
    metric=st.sampled_from(["connected", "path", "sight"]),
    blend=st.sampled_from(["sum", "max"]),
    size=st.floats(0.3, 4.0),
)
def test_a_source_in_a_block_of_walls_acts_as_if_that_were_open(
    kind: str, seed: int, metric: str, blend: str, size: float
) -> None:
    space, dice, cell = made(kind, seed)
    if not len(space.adjacency.ends) or (metric == "sight" and not plane(space)):
        return
    radius, reach = 6 * space.typical_step, size * space.typical_step
    near = np.argsort(
        (space.offsets_from(space.position_of(cell)) ** 2).sum(axis=1), kind="stable"
    )[: int(dice.integers(1, 7))]
    space.set_walls(near)
    bare = copy.deepcopy(space)
    bare.set_walls(sorted(block_of(space, cell, min(reach, radius))), False)
    seen = []
    for ground, thickness in ((space, reach), (bare, 0.0)):
        imap = fc.InfluenceMap(ground)
        layer = imap.add_layer(
            "towers", fc.Radial(radius, metric=metric, blend=blend, thickness=thickness)
        )
        layer.add_source(space.position_of(cell), 3.0, on_wall="through")
        imap.step()
        seen.append(np.where(space.walls, 0, layer.values))
        assert layer.validate(10**6) == 0
    np.testing.assert_array_equal(*seen)


@every_space
@examples(8)
@given(seed=SEEDS, blend=st.sampled_from(["sum", "max"]), radius=st.floats(1.0, 9.0))
def test_cells_lengthen_the_walks_of_sources(
    kind: str, seed: int, blend: str, radius: float
) -> None:
    space, dice, cell = made(kind, seed)
    if not len(space.adjacency.ends):
        return
    radius *= space.typical_step
    imap = fc.InfluenceMap(space)
    layer = imap.add_layer("noise", fc.Radial(radius, "linear", metric="path", blend=blend))
    source = layer.add_source(space.position_of(cell), 3.0)
    plain = layer.read()
    ways = space.adjacency_from_walls
    for share in (0.4, 0.0, 0.2):
        extra = (
            np.where(dice.random(len(space)) < share, dice.choice([0.3, 2.0, 1e20], len(space)), 0)
            * space.typical_step
        )
        layer.resistance = extra.reshape(space.shape)
        imap.step()
        lengths = csr_array(
            (ways.lengths + extra[ways.ends], ways.ends, ways.starts),
            shape=(len(space), len(space)),
        )
        expected = 3 * np.clip(1 - dijkstra(lengths, indices=cell) / radius, 0, None)
        np.testing.assert_allclose(
            layer.values.reshape(-1), np.where(space.walls.reshape(-1), 0, expected), atol=2e-6
        )
        fresh = imap.copy()["noise"]
        fresh.step()
        assert fresh.values.tobytes() == layer.values.tobytes() and layer.validate(10**6) == 0
    assert not layer.without(source).values.any()
    layer.resistance = None
    imap.step()
    other = fc.InfluenceMap(space).add_layer("noise", layer.propagation)
    other.add_source(space.position_of(cell), 3.0)
    other.step()
    assert other.values.tobytes() == layer.values.tobytes() and not plain.any()


@every_space
@some
@given(seed=SEEDS)
def test_sources_are_removed_by_their_cells(kind: str, seed: int) -> None:
    space, dice, cell = made(kind, seed)
    layer = fc.InfluenceMap(space).add_layer("noise", fc.Spread(0.3, 1.0))
    places = dice.choice(len(space), 9)
    walls = space.walls.reshape(-1)
    ids = layer.add_sources(space.position_of(places), on_wall="nearest")
    acting = np.where(walls[places], space.nearest_open(places), places)
    gone = (places == cell) | (acting == cell)
    assert layer.remove_at(space.position_of(cell)) == np.count_nonzero(gone)
    assert layer.sources.ids.tolist() == ids[~gone].tolist()
    layer.sync(["rat"], [space.position_of(cell)])
    everywhere = space.position_of(np.arange(len(space)))
    assert (
        layer.remove_at(everywhere) == np.count_nonzero(~gone) + 1
        and layer.remove_at(everywhere) == 0
    )
    assert not len(layer.sources) and not layer.sources.keys


def _reached(space: Any, metric: str, cell: int, near: Any) -> Any:
    """The cells near a source that it reaches from its own cell."""
    if metric == "straight":
        return near
    if metric == "sight":
        return near & fc.visible(space, space.position_of(cell), 4.0).reshape(-1)
    steps, found, waiting = space.adjacency_from_walls, {cell}, [cell]
    for here in waiting:
        for there in steps.ends[steps.starts[here] : steps.starts[here + 1]].tolist():
            if near[there] and there not in found:
                found.add(there)
                waiting.append(there)
    return near & np.isin(np.arange(len(space)), list(found))


@every_space
@some
@given(
    seed=SEEDS,
    metric=st.sampled_from(["straight", "connected", "sight"]),
    blend=st.sampled_from(["sum", "max"]),
)
def test_exact_sources_act_from_where_they_are(
    kind: str, seed: int, metric: str, blend: str
) -> None:
    space, dice, _ = made(kind, seed)
    if metric == "sight" and not plane(space):
        return
    imap = fc.InfluenceMap(space)
    layer = imap.add_layer(
        "units", fc.Radial(2.5, "linear", metric=metric, blend=blend, exact=True)
    )
    cells = dice.choice(open_cells(space), 5)
    places = space.position_of(cells) + dice.uniform(-0.2, 0.2, (5, space.dimensions))
    strengths = dice.choice([1.0, -2.0, 3.5], 5).astype(np.float32)
    low, high = space.extent
    layer.add_sources(places, strengths, on_wall="through", outside="clamp")
    for _ in range(2):
        imap.step()
        shares = []
        for place, cell in zip(layer.sources.positions, layer.sources.cells.tolist(), strict=True):
            away = np.sqrt((space.offsets_from(place) ** 2).sum(axis=1))
            reached = _reached(space, metric, cell, away <= 2.5)
            shares.append(np.where(reached, 1 - away / 2.5, 0.0))
        parts = strengths[:, np.newaxis] * np.array(shares)
        strongest = parts[np.abs(parts).argmax(axis=0), np.arange(len(space))]
        expected = parts.sum(axis=0) if blend == "sum" else strongest
        free = ~space.walls.reshape(-1)
        np.testing.assert_allclose(layer.values.reshape(-1)[free], expected[free], atol=2e-6)
        assert layer.validate(10**6) == 0 and not layer.values[space.walls].any()
        inside = space.period is None and (places >= low).all() and (places <= high).all()
        if metric == "straight" and inside:
            told = fc.propagation.influence_at(
                space.positions,
                layer.sources.positions,
                strengths,
                2.5,
                falloff="linear",
                blend=blend,
            )
            np.testing.assert_allclose(layer.values.reshape(-1)[free], told[free], atol=2e-6)
        layer.sources.move(layer.sources.ids[:2], places[3:], on_wall="through", outside="clamp")
