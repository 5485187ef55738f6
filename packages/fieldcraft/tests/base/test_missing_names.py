"""Wrong guesses of names are answered with what is meant."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import subprocess
import sys
from typing import Any

import pytest

import fieldcraft as fc
from fieldcraft.base import missing_names
from fieldcraft.base.errors import FieldcraftError
from support.library_calls import library_calls
from support.objects import objects

GUESSES = """
tcod: fc.compute_fov fc.dijkstra2d fc.hillclimb2d fc.AStar fc.Pathfinder fc.bsp fc.noise fc.los
tcod: fc.find_path fc.fov grid.walkable grid.transparent grid.compute_fov grid.set_walkable
tcod: path.path distances.path_from imap.update
Mesa: fc.PropertyLayer fc.MultiGrid fc.OrthogonalMooreGrid fc.Model fc.Agent
Mesa: imap.add_property_layer imap.place_agent imap.move_agent grid.get_neighborhood
Mesa: grid.iter_neighbors grid.out_of_bounds grid.torus layer.set_cell layer.modify_cells layer.data
scikit-image: fc.route_through_array fc.MCP_Geometric fc.label fc.peak_local_max fc.gaussian
scikit-image: fc.imread fc.imshow layer.max layer.astype layer.dtype
NetworkX: fc.shortest_paht fc.astar_path fc.has_path fc.connected_components fc.grid_graph
NetworkX: fc.dijkstra_path grid.nodes grid.neighbors fc.from_networkx path.nodes path.lenght
pygame: imap.draw layer.update source.kill source.rect source.pos layer.clear layer.remove_source
pygame: imap.tick fc.draw grid.rows
anyone: fc.astar fc.dijkstra fc.line_of_sight fc.plot fc.show fc.load fc.worst path.points
anyone: layer.reset layer.add teams.winner teams.frontlines flow.direction
anyone: fc.get_fov fc.find_best fc.raycast fc.flood_fill fc.heatmap fc.Boids fc.from_array fc.max
anyone: layer.get_value layer.peak layer.zero imap.names imap.sources grid.is_blocked grid.distance
anyone: path.is_valid source.velocity teams.leader distances.nextStep spot.pos belief.update
anyone: belief.entropy belief.reset belief.likely
anyone: fc.uphill fc.Swarm fc.influencemap fc.Gird imap.add_leyer layer.sampel grid.is_wall
tcod: fc.SimpleGraph fc.map_compute_fov fc.heightmap fc.heuristic fc.Console fc.bsp_split
Mesa: grid.empties grid.select_random_empty_cell grid.move_to_empty layer.aggregate layer.select_cells
Mesa: fc.ContinuousSpace fc.NetworkGrid fc.DataCollector fc.Scheduler imap.agents grid.remove_agent
scikit-image: fc.distance_transform_edt fc.watershed fc.find_contours fc.threshold_otsu
scikit-image: fc.binary_dilation fc.convolve fc.local_maxima fc.rescale_intensity
NetworkX: graph.shortest_path fc.betweenness_centrality fc.articulation_points fc.is_connected
NetworkX: graph.adj graph.has_edge fc.grid_2d_graph fc.shortest_path_length fc.descendants
pygame: fc.Surface fc.Vector2 fc.Rect fc.Color fc.display imap.blit source.topleft source.speed
python-sc2: grid.pathing_grid fc.Point2 grid.is_visible fc.find_placement fc.closest_to
python-sc2: spot.towards imap.add_cost imap.find_lowest_cost_points imap.get_pyastar_grid
python-sc2: fc.find_closest_safe_spot fc.is_position_safe grid.in_pathing_grid fc.choke_points
anyone: trail.decay trail.rate fc.add_source fc.tick fc.reset grid.plot grid.load grid.get_wall
anyone: layer.shortest_path layer.max_value imap.current_time source.layer path.smooth flow.next
anyone: distances.update distances.downhill pursuit.update pursuit.target party.update
anyone: seen.update seen.forget crowd.tick teams.advance teams.balance belief.most_likely
"""


@pytest.mark.parametrize("guess", re.findall(r"\w+\.\w+", GUESSES))
def test_a_wrong_name_is_answered_with_what_is_meant(guess: str) -> None:
    owner, name = guess.split(".")
    thing = objects()[owner]
    assert not hasattr(thing, name)
    with pytest.raises(AttributeError) as refused:
        getattr(thing, name)
    assert isinstance(refused.value, FieldcraftError)
    assert refused.value.remedy, refused.value


def test_there_are_more_than_sixty_guesses() -> None:
    assert len(set(re.findall(r"\w+\.\w+", GUESSES))) > 60


@pytest.mark.parametrize(
    ("guess", "said"),
    [
        ("grid.shortest_path", r"in the library: fc\.shortest_path\(space, start, goal\)"),
        ("layer.minimum", r"in the library: fc\.minimum\("),
        ("fc.add_layer", r"another object: imap\.add_layer\(name\)"),
        ("grid.add_source", r"another object: layer\.add_source\(position\)"),
        ("source.owner", "owner"),
        ("distances.update", "Did you mean 'repair'"),
        ("crowd.update", "Did you mean 'step'"),
        ("seen.reset", "Did you mean 'assign'"),
        ("imap.current_time", "Did you mean 'time'"),
        ("fc.map_compute_fov", r"fc\.visible\("),
        ("fc.dijkstras", "fc.distance_map"),
        ("trail.decay", r"decay is a setting of fc\.Spread.*a layer with fc\.Trail.*half_life"),
    ],
)
def test_a_guess_is_answered_by_its_kind(guess: str, said: str) -> None:
    owner, name = guess.split(".")
    with pytest.raises(AttributeError, match=said):
        getattr(objects()[owner], name)


def test_asking_for_a_name_imports_nothing() -> None:
    """Other libraries look for attributes of whatever they are given, in the loop of a game too."""
    program = """
import sys
import fieldcraft as fc
layer = fc.InfluenceMap(fc.Grid(5, 4)).add_layer("threat", fc.Spread(decay=0.2))
before = set(sys.modules)
for name in ("columns", "descend", "vectors", "to_pandas", "probability"):
    assert not hasattr(layer, name)
print({name for name in set(sys.modules) - before if name.startswith("fieldcraft")})
"""
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout == "set()\n"


def test_classes_that_suggest_names_are_saved_and_copied() -> None:
    for thing in (objects()["crowd"], fc.Neighborhood.of(8), objects()["window"]):
        assert type(pickle.loads(pickle.dumps(thing))) is type(thing)


def test_misspellings_are_suggested() -> None:
    with pytest.raises(AttributeError, match=r"Did you mean 'fc\.shortest_path'\?"):
        _ = fc.shortest_paht
    with pytest.raises(AttributeError, match=r"A layer has no 'sampel'.*Did you mean 'sample'\?"):
        _ = objects()["layer"].sampel


def test_other_names_keep_the_message_of_python() -> None:
    things = objects()
    for owner, name in (("grid", "_private"), ("imap", "__wrapped__"), ("path", "qqzzqq")):
        with pytest.raises(AttributeError, match=f"object has no attribute '{name}'"):
            getattr(things[owner], name)
    with pytest.raises(AttributeError, match="module 'fieldcraft' has no attribute 'qqzzqq'"):
        _ = fc.qqzzqq


def test_probing_for_a_name_again_costs_little() -> None:
    layer = objects()["layer"]
    first = library_calls(lambda: hasattr(layer, "columns_of_frame"))
    again = library_calls(lambda: hasattr(layer, "columns_of_frame"))
    assert len(again) < 10 < len(first)


def test_a_frame_asks_for_no_missing_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer to a missing name takes as long as a search for a path."""
    asked: list[str] = []

    def missing(self: object, name: str) -> None:
        asked.append(f"{type(self).__name__}.{name}")
        raise AttributeError(name)

    monkeypatch.setattr(missing_names.Suggesting, "__getattr__", missing)
    monkeypatch.setattr(fc.layers.Layer, "__getattr__", missing)
    grid = fc.Grid(9, 7)
    imap = fc.InfluenceMap(grid)
    threat = imap.add_layer("threat", fc.Radial(3))
    smell = imap.add_layer("smell", fc.Spread(0.2))
    places = [(2.5, 3.5), (6.5, 1.5)]
    for _ in range(2):
        for layer in (threat, smell):
            layer.sync(["a", "b"], places, 2.0)
        imap.advance(0.1)
        cost = 1 + 2 * threat + fc.compose.where(smell > 1, 3, 0)
        fc.distance_map(grid, (8.5, 6.5), cost=cost).step(places)
        fc.sample(cost, places)
        fc.best(smell - threat, places, 3)
        fc.reach(grid, places, 3, cost=cost)
        fc.visible(grid, places, 4)
        fc.view.frame(threat)
    assert asked == []


ASKING = """
import sys
import fieldcraft as fc
before = set(sys.modules)
grid = fc.Grid(2, 1)
print([name for name in ("lab", "gpu", "view", "maps", "recordings") if hasattr(grid, name)])
modules = ("fieldcraft_lab", "fieldcraft_gpu", "fieldcraft.view", "fieldcraft.formats")
print([name for name in modules if name in set(sys.modules) - before])
"""


def test_to_ask_for_the_name_of_a_submodule_imports_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", ASKING], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["[]", "[]"], done.stderr


ARGUMENTS = {
    "Trail, decay": "It is a setting of fc.Spread. Those of fc.Trail are keep, half_life, blur",
    "Fade, cooling": "It is a setting of fc.Flood",
    "Radial, halflife": "It takes",
    "Diffuse, half_live": "Did you mean 'half_life'?",
    "Grid, cols": "Did you mean 'width'?",
    "Grid, torus": "Did you mean 'wrap'?",
    "Grid, cellsize": "Did you mean 'cell_size'?",
    "HexGrid, obstacles": "Did you mean 'walls'?",
    "InfluenceMap, foo": "It takes space, device",
    "Belief, interval": "Did you mean 'every'?",
    "SearchParty, range": "Did you mean 'sight'?",
    "Sight, vision": "Did you mean 'radius'?",
    "Question, goal": "It takes generate",
}


@pytest.mark.parametrize("call", ARGUMENTS)
def test_a_wrong_argument_of_a_constructor_is_answered_with_what_is_meant(call: str) -> None:
    kind, name = call.split(", ")
    with pytest.raises(fc.errors.NoSuchArgument) as found:
        getattr(fc, kind)(**{name: 0.25})
    assert f"{kind} takes no argument {name!r}. Got {kind}({name}=...)." in str(found.value)
    assert ARGUMENTS[call] in str(found.value)
    assert isinstance(found.value, TypeError)


def _suggesting(kind: type[Any] = missing_names.SuggestingArguments) -> set[type[Any]]:
    return {kind}.union(*map(_suggesting, kind.__subclasses__()))


def test_constructors_show_the_arguments_of_their_own() -> None:
    objects()  # imports them all
    shown = [each for each in _suggesting() if hasattr(fc, each.__name__) and each is not fc.Space]
    assert len(shown) > 12
    for kind in shown:
        own = list(inspect.signature(kind.__init__).parameters.values())[1:]
        assert list(inspect.signature(kind).parameters.values()) == own


def test_classes_of_users_take_arguments_of_their_own() -> None:
    class Level(fc.Grid):
        def __init__(self, name: str, *, depth: int = 1) -> None:
            super().__init__(5, 3)
            self.name = name
            self.depth = depth

    class Plain(fc.Grid):
        def __init__(self, **settings: int) -> None:
            super().__init__(**settings)

    assert Level(name="cave", depth=2).depth == 2 and Plain(width=4, height=2).shape == (2, 4)
    with pytest.raises(fc.errors.NoSuchArgument, match="Level takes no argument 'width'"):
        Level("cave", width=3)  # type: ignore[call-arg]
    trail = fc.Trail(keep=0.5)
    assert copy.deepcopy(trail) == pickle.loads(pickle.dumps(trail)) == trail
