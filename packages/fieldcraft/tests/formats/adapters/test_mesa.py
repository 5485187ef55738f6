from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.adapters import mesa as adapter
from support.refusals import refused

mesa = pytest.importorskip("mesa", reason="needs Mesa")
spaces = pytest.importorskip("mesa.discrete_space", reason="needs Mesa 3")
networkx = pytest.importorskip("networkx", reason="needs networkx")

pytestmark = pytest.mark.filterwarnings(
    "ignore::PendingDeprecationWarning", "ignore::FutureWarning"
)  # of Mesa itself

ROOT = Path(__file__).resolve().parents[5]
FOUR = not hasattr(spaces, "PropertyLayer")
GRIDS = ["OrthogonalMooreGrid", "OrthogonalVonNeumannGrid", "HexGrid"]


class Ants(mesa.Model):  # type: ignore[misc]
    """Ants that drop scent and go where it is strongest."""

    def __init__(
        self, kind: str = "OrthogonalMooreGrid", torus: bool = False, seed: int = 1
    ) -> None:
        super().__init__(rng=seed) if FOUR else super().__init__(seed=seed)
        self.grid = getattr(spaces, kind)((12, 8), torus=torus, random=self.random)
        self.imap = fc.InfluenceMap(adapter.space_of(self.grid))
        self.scent = self.imap.add_layer("scent", fc.Trail(keep=0.9))
        adapter.attach(self.grid, self.scent)
        for _ in range(5):
            Ant(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = state
        adapter.repair(self.grid)

    def step(self) -> None:
        self.agents.do("step")
        self.scent.deposit(adapter.positions(self.agents, self.grid))
        self.imap.step()


class Ant(spaces.CellAgent):  # type: ignore[misc]
    def __init__(self, model: Ants) -> None:
        super().__init__(model)
        self.cell = model.grid.all_cells.select_random_cell()

    def step(self) -> None:
        around = list(self.cell.neighborhood)
        best = max(cell.scent for cell in around)
        self.cell = self.random.choice([cell for cell in around if cell.scent == best])


def values_in(grid: Any, name: str) -> Any:
    """The property of all cells of a grid, [x, y]."""
    return grid.property_layers[name] if FOUR else getattr(grid, name).data


def digest(model: Ants) -> Any:
    return model.scent.values.tobytes(), [agent.cell.coordinate for agent in model.agents]


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize("kind", GRIDS)
def test_neighbors_are_the_same_on_both_sides(kind: str, torus: bool) -> None:
    grid = getattr(spaces, kind)((8, 6), torus=torus, random=np.random.default_rng(0))
    space = adapter.space_of(grid)
    ids = np.arange(len(space)).reshape(space.shape).T[:: -1 if kind == "HexGrid" else 1]  # [x, y]
    for cell in grid.all_cells:
        here = int(ids[cell.coordinate])
        assert {int(ids[other.coordinate]) for other in cell.connections.values()} == set(
            np.asarray(space.neighbors_of(here)).tolist()
        )


@pytest.mark.parametrize("kind", GRIDS)
def test_cells_show_the_layer_as_it_is_now(kind: str) -> None:
    model = Ants(kind)
    for _ in range(5):
        model.step()
    shown = values_in(model.grid, "scent")
    assert np.shares_memory(shown, model.scent.values)
    places = adapter.positions(model.agents, model.grid)
    for agent, place in zip(model.agents, places, strict=True):
        assert agent.cell.scent == model.scent.sample(place) == shown[agent.cell.coordinate]
    assert len(np.unique(shown)) > 5
    with pytest.raises(AttributeError if FOUR else ValueError):
        next(iter(model.grid.all_cells)).scent = 3.0


@pytest.mark.parametrize("kind", GRIDS)
def test_a_pickled_model_goes_on_alike_and_apart(kind: str) -> None:
    model = Ants(kind)
    for _ in range(4):
        model.step()
    other = pickle.loads(pickle.dumps(model))
    before = digest(model)
    assert digest(other) == before
    for _ in range(4):
        other.step()
    assert digest(model) == before
    assert np.shares_memory(values_in(other.grid, "scent"), other.scent.values)
    for _ in range(4):
        model.step()
    assert digest(model) == digest(other)


def test_networks_and_voronoi_become_graphs() -> None:
    graph = networkx.random_geometric_graph(20, 0.4, seed=2)
    network = spaces.Network(graph, random=np.random.default_rng(0))
    space = adapter.space_of(network)
    assert isinstance(space, fc.Graph)
    assert len(space.edges) == graph.number_of_edges()
    corners = [(0, 0), (4, 0), (0, 4), (4, 4), (2, 2)]
    voronoi = spaces.VoronoiGrid(corners, random=np.random.default_rng(0))
    ground = adapter.space_of(voronoi)
    assert len(ground.edges) >= 8
    assert np.array_equal(ground.positions, corners)
    agents = [spaces.CellAgent(mesa.Model()) for _ in range(2)]
    for agent, cell in zip(agents, list(voronoi.all_cells)[1:3], strict=True):
        agent.cell = cell
    assert adapter.positions(agents, voronoi).tolist() == [[4, 0], [0, 4]]
    layer = fc.InfluenceMap(space).add_layer("rumor", fc.Spread(decay=0.1, momentum=0.5))
    with pytest.raises(InvalidValue, match="properties"):
        adapter.attach(network, layer)


def test_walls_are_indexed_as_properties_are() -> None:
    walls = np.zeros((12, 8), dtype=bool)
    walls[3, 5] = True
    for kind in GRIDS:
        grid = getattr(spaces, kind)((12, 8), random=np.random.default_rng(0))
        space = adapter.space_of(grid, walls=walls)
        layer = fc.InfluenceMap(space).add_layer("wall", values=space.walls.astype(np.float32))
        adapter.attach(grid, layer)
        assert [cell.coordinate for cell in grid.all_cells if cell.wall] == [(3, 5)]


def neighbors_on_both_sides(grid: Any, space: Any) -> None:
    """Assert that each cell has the same neighbors in Mesa and on the map."""
    width, height = grid.dimensions
    ids = np.arange(width * height).reshape(height, width).T
    if isinstance(grid, spaces.HexGrid):
        ids = ids[::-1]
    walls = space.walls.reshape(-1)
    removed = set(range(width * height))
    for cell in grid.all_cells:
        here = int(ids[cell.coordinate])
        removed.discard(here)
        mesa_side = {int(ids[other.coordinate]) for other in cell.connections.values()}
        assert mesa_side == set(np.asarray(space.neighbors_of(here)).tolist())
    assert removed == set(np.flatnonzero(walls).tolist())


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize("kind", GRIDS)
def test_changed_connections_are_on_the_map(kind: str, torus: bool) -> None:
    grid = getattr(spaces, kind)((8, 6), torus=torus, random=np.random.default_rng(0))
    grid.remove_connection(grid[(3, 2)], grid[(4, 2)])
    neighbors_on_both_sides(grid, adapter.space_of(grid))
    grid.add_connection(grid[(0, 0)], grid[(5, 4)])
    neighbors_on_both_sides(grid, adapter.space_of(grid))
    grid[(6, 1)].disconnect(grid[(6, 2)])  # one way
    space = adapter.space_of(grid)
    neighbors_on_both_sides(grid, space)
    assert isinstance(space, fc.Graph)
    lengths = {round(float(length), 5) for length in space.lengths}
    diagonal = {1.41421} if kind == "OrthogonalMooreGrid" else set()
    places = adapter.positions([Placed(grid[(0, 0)]), Placed(grid[(5, 4)])], grid)
    added = round(float(np.linalg.norm(places[0] - places[1])), 5)
    assert lengths == {1.0, added} | diagonal


class Placed:
    """What `positions` reads of an agent."""

    def __init__(self, cell: Any) -> None:
        self.cell = cell


@pytest.mark.parametrize("kind", GRIDS)
def test_removed_cells_are_walls(kind: str) -> None:
    grid = getattr(spaces, kind)((8, 6), random=np.random.default_rng(0))
    for place in ((3, 2), (3, 3), (0, 5)):
        grid.remove_cell(grid[place])
    space = adapter.space_of(grid, corners="cut")
    assert isinstance(space, fc.HexGrid if kind == "HexGrid" else fc.Grid)
    neighbors_on_both_sides(grid, space)
    walls = np.zeros((8, 6), dtype=bool)
    walls[5, 1] = True
    assert np.count_nonzero(adapter.space_of(grid, walls=walls).walls) == 4


def test_diagonals_beside_removed_cells_follow_the_rule_for_corners() -> None:
    grid = spaces.OrthogonalMooreGrid((8, 6), random=np.random.default_rng(0))
    grid.remove_cell(grid[(3, 2)])
    for connect in (False, True):
        if connect:
            grid.add_connection(grid[(0, 0)], grid[(7, 5)])
        cut = adapter.space_of(grid, corners="cut")
        never = adapter.space_of(grid)
        here, there = 2 * 8 + 2, 1 * 8 + 3  # (2, 2) and (3, 1), past the corner of (3, 2)
        assert there in np.asarray(cut.neighbors_of(here))
        assert there not in np.asarray(never.neighbors_of(here))


@pytest.mark.parametrize("kind", GRIDS)
def test_layers_on_changed_connections_are_attached(kind: str) -> None:
    grid = getattr(spaces, kind)((8, 6), random=np.random.default_rng(0))
    grid.remove_connection(grid[(3, 2)], grid[(4, 2)])
    imap = fc.InfluenceMap(adapter.space_of(grid))
    layer = imap.add_layer("fear", fc.Spread(decay=0.5, momentum=1.0))
    adapter.attach(grid, layer)
    agent = Placed(grid[(3, 2)])
    layer.add_source(adapter.positions([agent], grid)[0], 1.0)
    imap.step()
    assert grid[(3, 2)].fear == 1
    assert grid[(4, 2)].fear == 0
    assert grid[(2, 2)].fear > 0
    imap.step()
    assert grid[(1, 2)].fear > 0  # its array is another one after each step
    with pytest.raises(AttributeError if FOUR else InvalidValue):
        grid[(2, 2)].fear = 3.0
    again = pickle.loads(pickle.dumps(grid))
    adapter.repair(again)
    assert again[(1, 2)].fear == grid[(1, 2)].fear
    heat = imap.add_layer("heat", fc.Diffuse(rate=0.5))
    adapter.attach(grid, heat, writable=True)
    grid[(6, 1)].heat = 5.0
    imap.step()
    assert 0 < grid[(6, 1)].heat < 5
    written = imap.add_layer("note", values=np.zeros(48, dtype=np.float32))
    adapter.attach(grid, written, writable=True)
    grid[(6, 1)].note = 5.0
    place = adapter.positions([Placed(grid[(6, 1)])], grid)[0]
    assert written.sample(place) == 5
    values = np.arange(48, dtype=np.float32).reshape(8, 6)
    if not FOUR:
        grid.note.data = values
        assert grid[(6, 1)].note == 37
    other = fc.InfluenceMap(fc.Graph([(0, 0), (1, 0)], [(0, 1)])).add_layer(
        "other", fc.Spread(decay=0.5, momentum=1.0)
    )
    with pytest.raises(InvalidValue, match="space_of"):
        adapter.attach(grid, other)


def test_cells_beyond_a_grid_are_refused() -> None:
    grid = spaces.OrthogonalMooreGrid((4, 3), random=np.random.default_rng(0))
    grid.add_cell(spaces.Cell((9, 9), random=np.random.default_rng(0)))
    with pytest.raises(InvalidValue, match=r"4 x 3.*\(9, 9\)"):
        adapter.space_of(grid)


def test_one_way_connections_of_polygons() -> None:
    corners = [(0, 0), (4, 0), (0, 4), (4, 4), (2, 2)]
    voronoi = spaces.VoronoiGrid(corners, random=np.random.default_rng(0))
    middle, corner = list(voronoi.all_cells)[4], next(iter(voronoi.all_cells))
    middle.disconnect(corner)
    space = adapter.space_of(voronoi)
    assert 0 not in np.asarray(space.neighbors_of(4))
    assert 4 in np.asarray(space.neighbors_of(0))


def test_odd_arguments_are_refused() -> None:
    grid = spaces.OrthogonalMooreGrid((12, 8), random=np.random.default_rng(0))
    layer = fc.InfluenceMap(adapter.space_of(grid)).add_layer("scent", fc.Trail())
    other = fc.InfluenceMap(fc.Grid(8, 12)).add_layer("scent", fc.Trail())
    adapter.attach(grid, layer)
    cube = spaces.OrthogonalMooreGrid((3, 3, 3), random=np.random.default_rng(0))
    for call in (
        lambda: adapter.space_of("grid"),
        lambda: adapter.space_of(cube),
        lambda: adapter.space_of(grid, walls=np.zeros((8, 12), dtype=bool)),
        lambda: adapter.attach(grid, layer),
        lambda: adapter.attach(grid, other, "other"),
        lambda: adapter.attach(grid, 3),  # type: ignore[arg-type]
        lambda: adapter.positions([3]),
        lambda: adapter.positions(3),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidValue):
            call()


@pytest.mark.parametrize("kind", GRIDS)
@pytest.mark.parametrize("made_of", ["trail", "array", "diffuse"])
def test_agents_write_to_cells_and_all_see_it_at_once(kind: str, made_of: str) -> None:
    grid = getattr(spaces, kind)((12, 8), random=np.random.default_rng(0))
    imap = fc.InfluenceMap(adapter.space_of(grid))
    kinds: dict[str, Any] = {
        "trail": {"propagation": fc.Trail(keep=0.5, blur=1)},
        "array": {"values": np.zeros((8, 12), np.float32)},
        "diffuse": {"propagation": fc.Diffuse(rate=0.0, keep=0.5)},
    }
    layer = imap.add_layer("scent", **kinds[made_of])
    adapter.attach(grid, layer, writable=True)
    cell = grid[(3, 5)]
    before = layer.version
    cell.scent = 2.0
    cell.scent += 1
    assert cell.scent == 3 == values_in(grid, "scent")[3, 5]
    agent = spaces.CellAgent(mesa.Model())
    agent.cell = cell
    assert layer.sample(adapter.positions([agent], grid)) == 3
    assert np.count_nonzero(layer.values) == 1
    assert layer.version > before
    imap.step()
    assert cell.scent == (3 if made_of == "array" else 1.5)
    with pytest.raises(InvalidValue):
        cell.scent = np.nan
    other = fc.InfluenceMap(adapter.space_of(grid)).add_layer(
        "spread", fc.Spread(decay=0.1, momentum=0.5)
    )
    with pytest.raises(InvalidValue, match="Cells write"):
        adapter.attach(grid, other, writable=True)
    crowd = imap.add_layer("crowd", fc.Trail(accumulate=False, blur=1))
    with refused(InvalidValue, "Cells write values that last", "layer.deposit("):
        adapter.attach(grid, crowd, writable=True)
    adapter.attach(grid, crowd)
    crowd.deposit(adapter.positions([agent], grid), 2.0)
    imap.step()
    assert cell.crowd == 2


@pytest.mark.skipif(FOUR, reason="Mesa 4 has arrays, and no calls of its own")
@pytest.mark.parametrize("kind", GRIDS)
def test_whole_arrays_are_written_as_to_any_property(kind: str) -> None:
    ours, theirs = (
        getattr(spaces, kind)((12, 8), random=np.random.default_rng(0)) for _ in range(2)
    )
    layer = fc.InfluenceMap(adapter.space_of(ours)).add_layer("sugar", fc.Trail(keep=0.5))
    adapter.attach(ours, layer, writable=True)
    theirs.create_property_layer("sugar", np.float32(0), dtype=np.float32)
    table = np.arange(96, dtype=np.float32).reshape(12, 8)
    for change in (
        lambda sugar: sugar.set_cells(table),
        lambda sugar: sugar.set_cells(3, lambda value: value < 9),
        lambda sugar: sugar.modify_cells(np.add, 1),
        lambda sugar: sugar.modify_cells(
            lambda value: value / 2, condition=lambda value: value > 5
        ),
        lambda sugar: setattr(sugar, "data", np.minimum(sugar.data * 2, 7)),
        lambda sugar: setattr(sugar, "data", sugar.data.__iadd__(table)),
        lambda sugar: setattr(sugar, "data", sugar.data.__ipow__(2)),
        lambda sugar: sugar.data.__setitem__((slice(2, 5), 3), 1),
        lambda sugar: sugar.data.__setitem__(..., 4),
    ):
        change(ours.sugar)
        change(theirs.sugar)
        np.testing.assert_array_equal(ours.sugar.data, theirs.sugar.data)
        assert ours[(3, 2)].sugar == theirs[(3, 2)].sugar == ours.sugar.data[3, 2]
    for values in (table.T, "much"):
        with refused(InvalidValue, "(12, 8), [x, y]"):
            ours.sugar.set_cells(values)
        with refused(InvalidValue, "(12, 8), [x, y]"):
            ours.sugar.data = values


@pytest.mark.skipif(FOUR, reason="Mesa 4 has arrays, and no calls of its own")
def test_whole_arrays_of_layers_that_are_only_shown_are_refused() -> None:
    grid = Ants().grid
    for change in (
        lambda: grid.scent.set_cells(2),
        lambda: grid.scent.modify_cells(np.add, 1),
        lambda: setattr(grid.scent, "data", grid.scent.data + 1),
        lambda: grid.scent.data.__setitem__(..., 1),
    ):
        with refused(InvalidValue, "'scent'", "writable=True"):
            change()


def test_foraging_ants_are_the_same_on_both_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model of mesa-examples' hex_ant: on Mesa's own property layers and on live ones each ant
    goes the same way.
    """
    monkeypatch.syspath_prepend(ROOT)
    bench = pytest.importorskip(
        "bench.mesa", reason="the bench folder is not part of this installation"
    )
    ours, theirs = (bench.model(20, 14, 25, 3, live) for live in (True, False))
    for _ in range(60):
        ours.step()
        theirs.step()
        assert ours.digest() == theirs.digest()
    for name in ("to_food", "to_home"):
        assert np.allclose(bench.marks(ours, name), bench.marks(theirs, name), atol=1e-5)
    assert bench.marks(theirs, "to_food").max() > 1
    again = pickle.loads(pickle.dumps(ours.trails))
    assert np.array_equal(again["to_food"].values, ours.trails["to_food"].values)
