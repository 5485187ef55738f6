"""Flow fields on graphs and meshes: who follows them arrives, along edges or over polygons,
whatever has changed.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import steering
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.paths import distance_map, flow_field
from fieldcraft.paths.flow.flow_on_graph import GraphFlow
from support import graphs, realdata
from support.examples import examples


@settings(max_examples=35, deadline=None)
@given(web=graphs.webs())
def test_the_next_vertex_gives_exactly_the_distance(web: graphs.Web) -> None:
    graph = web.graph()
    arguments = web.arguments(graph)
    if arguments is None:
        return
    goals, keywords = arguments
    field = distance_map(graph, graph.positions[goals], **keywords)
    flow = flow_field(field)
    assert isinstance(flow, GraphFlow)
    far, topology = field.exact, graph.topology
    cost = np.broadcast_to(np.asarray(keywords.get("cost", 1.0), dtype=np.float64), len(graph))
    leads = flow.next >= 0
    np.testing.assert_array_equal(
        leads, np.isfinite(far) & ~np.isin(np.arange(len(graph)), flow._goal_cells())
    )
    some = np.flatnonzero(leads)
    arcs = flow.arcs[some]
    np.testing.assert_array_equal(topology.ends[arcs], flow.next[some])
    np.testing.assert_array_equal(topology.origins[arcs], some)
    weights = topology.lengths[arcs] * (cost[some] + cost[flow.next[some]]) / 2
    np.testing.assert_allclose(far[flow.next[some]] + weights, far[some], rtol=1e-9)
    assert (far[flow.next[some]] < far[some]).all()
    away = graph.positions[flow.next[some]] - graph.positions[some]
    np.testing.assert_allclose(
        flow.vectors[some], away / np.linalg.norm(away, axis=1, keepdims=True), rtol=1e-5, atol=1e-6
    )
    assert not flow.vectors[~leads].any()


@settings(max_examples=16, deadline=None)
@given(web=graphs.webs(), seed=st.integers(0, 999))
def test_it_follows_repairs(web: graphs.Web, seed: int) -> None:
    graph = web.graph()
    arguments = web.arguments(graph)
    if arguments is None:
        return
    field = distance_map(graph, graph.positions[arguments[0]], **arguments[1])
    flow = flow_field(field)
    assert flow_field(field) is flow
    rng = np.random.default_rng(seed)
    for _ in range(4):
        version = flow.version
        graph.set_walls(rng.integers(0, len(graph), 2), bool(rng.integers(2)))
        if len(graph.edges):
            graph.set_edges(
                graph.edges[rng.integers(0, len(graph.edges), 3)], blocked=bool(rng.integers(2))
            )
        arcs = flow.arcs[flow.arcs >= 0]
        assert not (
            graph.blocked_arcs[arcs] | graph.walls[graph.topology.ends[arcs]]
        ).any()  # even before a repair
        field.repair()
        new = GraphFlow(field)
        np.testing.assert_array_equal(flow.next, new.next)
        np.testing.assert_array_equal(flow.vectors, new.vectors)
        assert flow.version >= version


class TestAlongEdges:
    def test_it_leads_along_the_nearest_edge(self) -> None:
        graph = fc.Graph([(0, 0), (4, 0), (4, 4), (9, 9)], [(0, 1), (1, 2)])
        flow = flow_field(distance_map(graph, (4, 4)))
        at = [(0, 0), (1, 0), (3, 0), (4, 0), (4, 3), (4, 4), (9, 9)]
        assert flow.sample(at).tolist() == [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [0, 0]]
        assert flow.sample((3, 0.5)) == pytest.approx(
            np.array([1, -0.5]) / np.sqrt(1.25)
        )  # to the corner, not across it
        place = np.array([0.0, 0.0])
        for _ in range(80):
            place = place + 0.1 * flow.sample(place)
        np.testing.assert_allclose(place, (4, 4), atol=0.1)

    @pytest.mark.parametrize("step", [0.01, 0.05, 0.15, 0.2])
    @pytest.mark.parametrize("start", [(-2.0, 0.0), (2.0, 0.0), (-1.93, 0.0)])
    def test_an_agent_passes_a_vertex_that_its_steps_do_not_hit(
        self, step: float, start: tuple[float, float]
    ) -> None:
        """A step past the vertex ends on the edge opposite, which leads back to the vertex."""
        positions = [(-2.0, 0.0), (0.0, 0.0), (2.0, 0.0), (0.0, -2.0)]
        graph = fc.Graph(positions, [(0, 1), (2, 1), (1, 3)])
        flow = flow_field(distance_map(graph, (0.0, -2.0)))
        agent = np.array(start)
        for _ in range(int(4.2 / step)):
            agent += step * flow.sample(agent)
            off_the_edges = min(abs(agent[0]), abs(agent[1]))
            assert off_the_edges <= 0.1 + step
        assert np.hypot(*(agent - (0.0, -2.0))) <= step

    def test_who_knows_the_vertices_hands_them_in(self) -> None:
        graph = fc.Graph([(0, 0), (4, 0), (4, 4)], [(0, 1), (1, 2)])
        flow = flow_field(distance_map(graph, (4, 4)))
        assert isinstance(flow, GraphFlow)
        at = np.array([(1.0, 0.0), (3.0, 0.0)])
        np.testing.assert_array_equal(flow.sample(at, cells=graph.cell_at(at)), flow.sample(at))  # type: ignore[arg-type]
        assert at.flags.writeable
        with pytest.raises(InvalidValue, match="one vertex per position"):
            flow.sample(at, cells=np.array([0]))
        with pytest.raises(OutsideMap):
            flow.sample(at, cells=np.array([0, 3]))

    def test_off_the_floor(self) -> None:
        flow = flow_field(distance_map(graphs.two_floors(), (1, 1, 3)))
        with pytest.raises(OutsideMap):
            flow.sample((1, 1, 9))
        assert flow.sample((1, 1, 9), outside="clamp").shape == (3,)


class TestOverPolygons:
    @examples(10, deadline=None)
    @given(seed=st.integers(0, 999))
    def test_who_follows_it_arrives_and_never_leaves_the_mesh(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        mesh, _ = graphs.squares(fc.Grid(12, 9, walls=rng.random((9, 12)) < 0.25))
        goal = int(rng.integers(len(mesh)))
        field = distance_map(mesh, mesh.positions[goal])
        flow = flow_field(field)
        reached = np.flatnonzero(np.isfinite(field.exact))
        at = mesh.positions[rng.choice(reached, 40)] + rng.uniform(-0.49, 0.49, (40, 2))
        for _ in range(int(field.exact[reached].max() / 0.2) + 40):
            ahead = at + 0.2 * flow.sample(at)
            inside = mesh.mesh.locate(ahead)[0] >= 0  # type: ignore[union-attr]
            at = steering.move(mesh, at, ahead - at)
            # It leads through doors only: nothing is cut off at a rim but at the very goal.
            np.testing.assert_allclose(at[inside], ahead[inside], atol=1e-5)
        assert (np.linalg.norm(at - mesh.positions[goal], axis=1) < 0.3).all()

    def test_it_leads_up_to_the_other_floor(self) -> None:
        house = graphs.two_floors()
        flow = flow_field(distance_map(house, (1, 1, 3)))
        at = np.array([(1.0, 3.0, 0.0), (3.0, 0.5, 0.0)])
        for _ in range(400):
            at = steering.move(house, at, 0.1 * flow.sample(at), leap=flow)
        assert at[:, 2].tolist() == pytest.approx([3, 3])
        assert (np.linalg.norm(at - house.positions[1], axis=1) < 0.2).all()

    def test_behaviors_follow_it(self) -> None:
        house = graphs.two_floors()
        flow = flow_field(distance_map(house, (1, 1, 3)))
        force = steering.follow_flow([(1, 3, 0)], [(0.5, 0)], flow, max_speed=2.0)
        assert force + np.array([0.5, 0]) == pytest.approx(2 * flow.sample([(1, 3, 0)])[:, :2])
        roads = fc.Graph([(0, 0, 0), (1, 0, 0)], [(0, 1)])
        with pytest.raises(InvalidValue, match="along paths"):
            steering.follow_flow(
                [(0, 0, 0)], (0, 0), flow_field(distance_map(roads, (1, 0, 0))), 1.0
            )

    def test_on_a_real_level_with_jumps_and_drops_everybody_arrives(self) -> None:
        level = fc.load_map(realdata.folder("navmesh") / "cs2" / "de_dust2.json")
        rng = np.random.default_rng(0)
        goal = level.positions[700]
        field = distance_map(level, goal)
        flow = flow_field(field)
        at = level.positions[rng.choice(np.flatnonzero(np.isfinite(field.exact)), 300)]
        for _ in range(300):
            at = steering.move(level, at, 16 * flow.sample(at), leap=flow)
        assert (np.linalg.norm(at - goal, axis=1) < 30).all()


ROUND_GOALS = {
    "hexagons": lambda: fc.HexGrid(9, 7),
    "hexagons far away": lambda: fc.HexGrid(9, 7, orientation="flat", origin=(1e6, -3e6)),
    "torus of hexagons": lambda: fc.HexGrid(8, 6, wrap=True),
    "graph": lambda: fc.Grid(9, 7, cell_size=0.7, origin=(1 / 3, 2 / 7)).to_graph(),
}


@pytest.mark.parametrize("kind", ROUND_GOALS)
def test_an_agent_at_the_center_of_a_goal_stays(kind: str) -> None:
    """Centers are computed in several ways, which differ by rounding."""
    space = ROUND_GOALS[kind]()
    for goal in range(len(space)):
        center = space.position_of(goal)
        field = flow_field(distance_map(space, center))
        around = center * (1 + np.array([-2e-16, 0.0, 2e-16]))[:, np.newaxis]
        assert not field.sample(around).any()


def test_an_agent_at_the_center_of_a_goal_polygon_stays() -> None:
    corners = [(0.1, 0.2), (1.3, 0.2), (1.3, 1.7), (0.1, 1.7), (2.9, 0.2), (2.9, 1.7)]
    mesh = fc.Graph.from_polygons(corners, [(0, 1, 2, 3), (1, 4, 5, 2)])
    for goal in range(2):
        center = mesh.position_of(goal)
        field = flow_field(distance_map(mesh, center))
        around = center + np.array([-2e-16, 0.0, 2e-16])[:, np.newaxis]
        assert not field.sample(around).any()
        assert field.sample(center + np.array([0.01, 0.0])).tolist() == [-1.0, 0.0]


@pytest.mark.parametrize("kind", ["graph", "hexagons", "mesh"])
def test_new_costs_turn_directions_where_no_distance_changes(kind: str) -> None:
    """The goals at both ends stay equally far from the middle, but change their costs."""
    spaces: dict[str, fc.Space] = {
        "graph": fc.Grid(3, 1).to_graph(),
        "hexagons": fc.HexGrid(3, 1),
        "mesh": fc.Graph.from_polygons(
            [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1), (2, 1), (3, 1)],
            [(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6)],
        ),
    }
    space = spaces[kind]
    goals = space.position_of(np.array([0, 2]))
    distances = distance_map(space, goals, cost=np.reshape([1.0, 1.0, 3.0], space.shape))
    field = flow_field(distances)
    assert field.next.tolist() == [-1, 0, -1]
    changed = distances.repair(cost=np.reshape([3.0, 1.0, 1.0], space.shape))
    assert changed is not None
    assert field.next.tolist() == [-1, 2, -1]


def test_an_edge_opens_that_shortens_no_distance() -> None:
    """The field is read between the change of the edge and the repair of the distances."""
    graph = fc.Graph([(0, 0), (1, 1), (1, -1), (2, 0)], [(0, 1), (0, 2), (1, 3), (2, 3)])
    graph.set_edges([(0, 1)])
    distances = distance_map(graph, (2, 0))
    field = flow_field(distances)
    assert field.next.tolist() == [2, 3, 3, -1]
    graph.set_edges([(0, 1)], False)
    field.next
    distances.repair()
    assert field.next.tolist() == [1, 3, 3, -1]


WRAPPED = {
    "torus of hexagons": lambda: fc.HexGrid(8, 6, wrap=True),
    "cylinder of hexagons": lambda: fc.HexGrid(8, 6, orientation="flat", wrap="x"),
    "torus of squares": lambda: fc.Grid(9, 7, neighbors=8, wrap=True, cell_size=2).to_graph(),
    "cylinder of squares": lambda: fc.Grid(9, 7, wrap="y").to_graph(),
}


@pytest.mark.parametrize("kind", [kind for kind in WRAPPED if "hexagons" in kind])
def test_agents_cross_the_seam_on_their_shortest_way(kind: str) -> None:
    space = WRAPPED[kind]()
    rng = np.random.default_rng(4)
    space.set_walls(rng.choice(np.arange(1, len(space)), 9, replace=False))
    distances = distance_map(space, space.position_of(0))
    field = flow_field(distances)
    step = 0.05 * space.typical_step
    crossed = 0
    reached = np.flatnonzero(np.isfinite(distances.values.reshape(-1)))
    for cell in reached[reached > 0].tolist():
        at = space.position_of(cell) + rng.uniform(-0.2, 0.2, 2) * space.typical_step
        most = 1.3 * distances.sample(space.position_of(cell)) + 20 * step
        walked = 0.0
        while space.cell_at(at) != 0:
            assert walked < most
            moved = at + step * field.sample(at)
            crossed += bool((space.wrapped(moved) != moved).any())
            at = space.wrapped(moved)
            walked += step
            assert not space.walls.reshape(-1)[space.cell_at(at)]
    assert crossed > 5


@pytest.mark.parametrize("kind", WRAPPED)
def test_directions_point_over_the_seam(kind: str) -> None:
    space = WRAPPED[kind]()
    field = flow_field(distance_map(space, space.position_of(0)))
    following = np.flatnonzero(field.next >= 0)
    steps = space.position_of(field.next[following]) - space.position_of(following)
    expected = space.shortest_vectors(steps)
    expected /= np.sqrt((expected**2).sum(axis=1, keepdims=True))
    vectors = field.vectors.reshape(len(space), 2)[following]
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert (np.abs(space.shortest_vectors(steps) - steps) > 1e-9).any()
