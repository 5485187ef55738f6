"""One rule for every range: what is exactly k steps away is within a range of k steps.

Each call that takes a radius, a range, a limit or a spacing is a row of one of the tables; each
space, with its cell size and place, is a row of `SPACES`. A cell at exactly the range counts, and
one clearly beyond does not, straight or along a path.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

import fieldcraft as fc
from fieldcraft import steering
from fieldcraft.space import Space

Mask = NDArray[np.bool_]
COLUMNS, ROWS = 9, 7
EQUAL = 1e-6  # of the range: much more than rounding, much less than a step
PLACES = {"at the origin": (0.0, 0.0), "far off": (512_345.6, -4_987_654.3)}
SIZES = {"tenths": 0.1, "thirds": 1 / 3, "ones": 1.0, "sevens": 7.3}


def _waypoints(size: float, origin: tuple[float, float]) -> fc.Graph:
    """A lattice of waypoints, joined to the four beside."""
    columns, rows = np.meshgrid(np.arange(COLUMNS), np.arange(ROWS))
    positions = np.array(origin) + size * np.stack([columns.ravel(), rows.ravel()], axis=1)
    ids = np.arange(COLUMNS * ROWS).reshape(ROWS, COLUMNS)
    across = np.stack([ids[:, :-1].ravel(), ids[:, 1:].ravel()], axis=1)
    down = np.stack([ids[:-1].ravel(), ids[1:].ravel()], axis=1)
    return fc.Graph(positions, np.concatenate([across, down]))


def _mesh(size: float, origin: tuple[float, float]) -> fc.Graph:
    """Squares as polygons of a mesh."""
    columns, rows = np.meshgrid(np.arange(COLUMNS + 1), np.arange(ROWS + 1))
    corners = np.array(origin) + size * np.stack([columns.ravel(), rows.ravel()], axis=1)
    ids = np.arange(len(corners)).reshape(ROWS + 1, COLUMNS + 1)
    polygons = [
        (ids[y, x], ids[y, x + 1], ids[y + 1, x + 1], ids[y + 1, x])
        for y in range(ROWS)
        for x in range(COLUMNS)
    ]
    return fc.Graph.from_polygons(corners, polygons)


SPACES: dict[str, Callable[[float, tuple[float, float]], Space]] = {
    "grid": lambda size, at: fc.Grid(COLUMNS, ROWS, cell_size=size, origin=at, neighbors=4),
    "grid of 8, y up": lambda size, at: fc.Grid(
        COLUMNS, ROWS, cell_size=size, origin=at, neighbors=8, y_up=True
    ),
    "torus": lambda size, at: fc.Grid(
        COLUMNS, ROWS, cell_size=size, origin=at, neighbors=8, wrap=True
    ),
    "cylinder": lambda size, at: fc.Grid(
        COLUMNS, ROWS, cell_size=size, origin=at, neighbors=8, wrap="x"
    ),
    "cylinder, y up": lambda size, at: fc.Grid(
        COLUMNS, ROWS, cell_size=size, origin=at, neighbors=4, wrap="y", y_up=True
    ),
    "squares as a graph": lambda size, at: fc.Grid(
        COLUMNS, ROWS, cell_size=size, origin=at
    ).to_graph(),
    "hexes": lambda size, at: fc.HexGrid(COLUMNS, ROWS, size=size, origin=at),
    "flat hexes, y up": lambda size, at: fc.HexGrid(
        COLUMNS, ROWS, size=size, origin=at, orientation="flat", y_up=True
    ),
    "waypoints": _waypoints,
    "mesh": _mesh,
}
worlds = pytest.mark.parametrize("kind", SPACES)
sizes = pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
places = pytest.mark.parametrize("origin", PLACES.values(), ids=PLACES)


def _radial(space: Space, me: tuple[float, ...], radius: float, **words: Any) -> Mask:
    imap = fc.InfluenceMap(space)
    layer = imap.add_layer("aura", fc.Radial(radius, "constant", **words))
    layer.add_source(me, 1.0)
    imap.step()
    return layer.values > 0


def _marked(space: Space, me: tuple[float, ...], radius: float, metric: str) -> Mask:
    layer = fc.InfluenceMap(space).add_layer("seen", fc.Fade())
    layer.mark(me, 5.0, radius=radius, metric=metric)
    return layer.values > 0


def _level(space: Space) -> NDArray[np.float64] | None:
    """Level ground, where sight runs over squares."""
    if space.sight_grid is None:
        return None
    return np.ones(space.shape)


def _falling(space: Space, me: tuple[float, ...]) -> Any:
    """A map that is highest at a position and falls with distance from it."""
    away = np.sqrt((space.offsets_from(me) ** 2).sum(axis=1))
    values = 1.0 + 1.0 / (1.0 + np.round(away / space.typical_step, 6))
    return fc.InfluenceMap(space).add_layer("near", values=values.reshape(space.shape))


def _listed(space: Space, cells: Any) -> Mask:
    found = np.zeros(len(space), dtype=np.bool_)
    chosen = np.asarray(cells).reshape(-1)
    found[chosen[chosen >= 0]] = True
    return found


def _asked(space: Space, me: tuple[float, ...], generate: Any, **words: Any) -> Mask:
    answer = fc.Question(generate, **words).ask(space, me=me, all=space.positions).explain()
    return _listed(space, answer.cells[answer.left])


def _all(space: Space, me: tuple[float, ...], requirement: dict[str, Any]) -> Mask:
    return _asked(space, me, {"points": "all"}, require=[requirement])


def _too_near(space: Space, me: tuple[float, ...], cells: Any) -> Mask:
    """The cells nearer than the second of the chosen ones: those that its spacing keeps away."""
    away = np.sqrt((space.offsets_from(me) ** 2).sum(axis=1))
    first, second = np.asarray(cells).reshape(-1)[:2]
    assert first == space.cell_at(me)
    return away < away[second] * (1 - EQUAL)


def _window(space: Space, me: tuple[float, ...], radius: float) -> Mask:
    found = fc.window(_falling(space, me), me, radius)
    return _listed(space, found.cells[found.inside])


def _stamped(space: Space, me: tuple[float, ...], radius: float) -> Mask:
    board = fc.InfluenceMap(space).add_layer("board", values=np.zeros(space.shape))
    board.stamp(fc.Stamp.disc(radius), me)
    return board.values > 0


def _neighbors(space: Space, me: tuple[float, ...], radius: float) -> Mask:
    """Which cells an agent in a cell counts among its neighbors, by pairs of agents."""
    found = []
    for place in space.positions.tolist():
        pair = steering.Neighbors([me, place], radius)
        found.append(bool(pair.counts()[0]) and pair.nearest()[0][0] == 1)
    return np.array(found)


def _near_agents(space: Space, me: tuple[float, ...], radius: float) -> Mask:
    agents = steering.Neighbors(np.array([me]), radius)
    return agents.nearest(space.positions)[0] == 0


def _afraid(space: Space, me: tuple[float, ...], radius: float) -> Mask:
    moves = steering.flee(space.positions, (0, 0), me, max_speed=1.0, within=radius)
    found = np.hypot(*moves.T) > 0
    found[space.cell_at(me)] = True  # on the target there is no direction
    return found


STRAIGHT: dict[str, Callable[[Space, tuple[float, ...], float], Mask]] = {
    "Radial": _radial,
    "Radial, connected": lambda s, me, r: _radial(s, me, r, metric="connected"),
    "Radial, sight": lambda s, me, r: _radial(s, me, r, metric="sight"),
    "Radial, exact": lambda s, me, r: _radial(s, me, r, exact=True),
    "Radial, exact, connected": lambda s, me, r: _radial(s, me, r, exact=True, metric="connected"),
    "Radial, exact, sight": lambda s, me, r: _radial(s, me, r, exact=True, metric="sight"),
    "Fade.mark": lambda s, me, r: _marked(s, me, r, "straight"),
    "Fade.mark, connected": lambda s, me, r: _marked(s, me, r, "connected"),
    "Fade.mark, sight": lambda s, me, r: _marked(s, me, r, "sight"),
    "influence_at": lambda s, me, r: (
        fc.propagation.influence_at(s.positions, [me], 1.0, r, falloff="constant") > 0
    ),
    "influence_at, many sources": lambda s, me, r: (
        fc.propagation.influence_at(s.positions, [me] * 20, 1.0, r, falloff="constant") > 0
    ),
    "visible": fc.visible,
    "sees": lambda s, me, r: fc.sees(s, me, s.positions, r)[0],
    "reach, ranges": lambda s, me, r: fc.reach(s, me, 0, ranges=r).hits,
    "reach, ranges in sight": lambda s, me, r: fc.reach(s, me, 0, ranges=r, sight=True).hits,
    "visible over heights": lambda s, me, r: fc.visible(s, me, r, heights=_level(s)),
    "sees over heights": lambda s, me, r: fc.sees(s, me, s.positions, r, heights=_level(s))[0],
    "reach, ranges over heights": lambda s, me, r: (
        fc.reach(s, me, 0, ranges=r, sight=True, heights=_level(s)).hits
    ),
    "best": lambda s, me, r: _listed(s, fc.best(_falling(s, me), me, r, count=len(s)).cells),
    "worst": lambda s, me, r: _listed(
        s, fc.query.worst(_falling(s, me), me, r, count=len(s)).cells
    ),
    "question, distance": lambda s, me, r: _all(s, me, {"distance": "me", "most": r}),
    "question, ring": lambda s, me, r: _asked(s, me, {"ring": [0, r]}),
    "question, visible_from": lambda s, me, r: _all(s, me, {"visible_from": "me", "range": r}),
    "question, hidden_from": lambda s, me, r: ~_all(s, me, {"hidden_from": "me", "range": r}),
    "window": _window,
    "Stamp.disc": _stamped,
    "Neighbors": _neighbors,
    "Neighbors.nearest": _near_agents,
    "flee": _afraid,
}
ALONG: dict[str, Callable[[Space, tuple[float, ...], float], Mask]] = {
    "Radial, path": lambda s, me, r: _radial(s, me, r, metric="path"),
    "Fade.mark, path": lambda s, me, r: _marked(s, me, r, "path"),
    "distance_map": lambda s, me, r: np.isfinite(fc.distance_map(s, me, limit=r).values),
    "distance_map, cost": lambda s, me, r: np.isfinite(
        fc.distance_map(s, me, limit=2.5 * r, cost=np.full(s.shape, 2.5)).values
    ),
    "reach": lambda s, me, r: _listed(s, fc.reach(s, me, r).cells),
    "best, walk": lambda s, me, r: _listed(
        s, fc.best(_falling(s, me), me, 1e4 * r, walk=r, count=len(s)).cells
    ),
    "question, reach": lambda s, me, r: _asked(s, me, {"reach": r}),
    "question, distance by path": lambda s, me, r: _all(
        s, me, {"distance": "me", "by": "path", "most": r}
    ),
}
SPACED: dict[str, Callable[[Space, tuple[float, ...], float], Mask]] = {
    "best": lambda s, me, r: _too_near(
        s, me, fc.best(_falling(s, me), me, 1e4 * r, count=2, spacing=r).cells
    ),
    "Reservations": lambda s, me, r: _too_near(
        s,
        me,
        fc.query.Reservations(s, spacing=r)
        .best(_falling(s, me), [me, me], 1e4 * r, agents=[0, 1])
        .cells,
    ),
    "question, choose": lambda s, me, r: _too_near(
        s,
        me,
        fc.Question(
            {"points": "all"},
            score=[{"value": _falling(s, me)}],
            choose={"count": 2, "spacing": r},
        )
        .ask(s, me=me, all=s.positions)
        .chosen.cells,
    ),
    "question, least distance": lambda s, me, r: ~_all(s, me, {"distance": "me", "least": r}),
    "question, least path": lambda s, me, r: (
        ~_all(s, me, {"distance": "me", "by": "path", "least": r})
    ),
    "question, ring": lambda s, me, r: ~_asked(s, me, {"ring": [r, 1e4 * r]}),
}
ONLY_GRIDS = {"window", "Stamp.disc"}
NO_MAP = {"influence_at", "influence_at, many sources", "Neighbors", "Neighbors.nearest", "flee"}


def _ranges(space: Space) -> list[float]:
    """One to three typical steps, and diagonals where a grid has them."""
    step = space.typical_step
    diagonals = [math.sqrt(2) * step, 2 * math.sqrt(2) * step] if space.sight_grid else []
    return [step, 2 * step, 3 * step, *diagonals]


def _ranges_from_cells(
    space: Space, *, on_foot: bool = False
) -> Iterator[tuple[tuple[float, ...], NDArray[np.float64], float]]:
    """Yield positions, the distances of all cells from each, straight or on foot, and ranges."""
    for cell in (len(space) // 2, 3):
        me = tuple(space.position_of(cell).tolist())
        away = np.sqrt((space.offsets_from(me) ** 2).sum(axis=1))
        if on_foot:
            away = dijkstra(space.adjacency.to_sparse(), indices=cell)
        for far in _ranges(space):
            yield me, away, far


def _check(found: Mask, away: NDArray[np.float64], far: float) -> None:
    flat = np.asarray(found).reshape(-1).copy()
    assert flat[away <= far * (1 + EQUAL)].all(), np.flatnonzero(~flat & (away <= far))
    assert not flat[away > far * (1 + EQUAL)].any(), np.flatnonzero(flat & (away > far))


@worlds
@sizes
@places
@pytest.mark.parametrize("call", STRAIGHT)
def test_cells_at_the_range_are_within_it(
    kind: str, size: float, origin: tuple[float, float], call: str
) -> None:
    space = SPACES[kind](size, origin)
    if call in ONLY_GRIDS and not isinstance(space, fc.Grid):
        pytest.skip("only grids have it")
    if call in NO_MAP and space.period is not None:
        pytest.skip("without a map nothing wraps")
    for me, away, far in _ranges_from_cells(space):
        if call == "Neighbors" or (call == "window" and space.period is not None):
            far = space.typical_step  # pairs are slow; a window is no wider than the map
        _check(STRAIGHT[call](space, me, far), away, far)


@worlds
@sizes
@places
@pytest.mark.parametrize("call", ALONG)
def test_paths_of_the_range_are_within_it(
    kind: str, size: float, origin: tuple[float, float], call: str
) -> None:
    space = SPACES[kind](size, origin)
    for me, away, far in _ranges_from_cells(space, on_foot=True):
        _check(ALONG[call](space, me, far), away, far)


@worlds
@sizes
@places
@pytest.mark.parametrize("call", SPACED)
def test_cells_at_the_spacing_keep_it(
    kind: str, size: float, origin: tuple[float, float], call: str
) -> None:
    space = SPACES[kind](size, origin)
    on_foot = call == "question, least path"
    for me, away, far in _ranges_from_cells(space, on_foot=on_foot):
        nearer = SPACED[call](space, me, far).reshape(-1)
        assert nearer[away < far * (1 - EQUAL)].all()
        assert not nearer[away >= far * (1 - EQUAL)].any()


@sizes
@places
@pytest.mark.parametrize("kind", ["grid", "squares as a graph", "waypoints"])
def test_a_shot_sweeps_the_cells_half_its_width_away(
    kind: str, size: float, origin: tuple[float, float]
) -> None:
    space = SPACES[kind](size, origin)
    cell = len(space) // 2
    me = tuple(space.position_of(cell).tolist())
    away = np.sqrt((space.offsets_from(me) ** 2).sum(axis=1))
    for steps in (1, 2, 3):
        far = steps * space.typical_step
        shot = fc.incoming(space, me, me, speed=1.0, width=2 * far)
        _check(_listed(space, shot.cells), away, far)
