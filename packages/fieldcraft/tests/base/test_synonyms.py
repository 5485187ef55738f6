"""Wrong guesses of names are answered with what is meant."""

from __future__ import annotations

import re
import time
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base import synonyms
from fieldcraft.base.errors import FieldcraftError, InvalidValue

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
"""


def _things() -> dict[str, Any]:
    grid = fc.Grid(5, 4)
    imap = fc.InfluenceMap(grid)
    layer = imap.add_layer("threat", fc.Spread(decay=0.2))
    distances = fc.distance_map(grid, (0.5, 0.5))
    return {
        "fc": fc,
        "grid": grid,
        "imap": imap,
        "layer": layer,
        "source": layer.add_source((1.5, 1.5), 3.0),
        "distances": distances,
        "flow": fc.flow_field(distances),
        "path": fc.shortest_path(grid, (0.5, 0.5), (3.5, 3.5)),
        "spot": fc.best(layer, (0.5, 0.5), 2.0),
        "belief": fc.Belief(grid, speed=1.0),
        "teams": imap.add_teams(["red", "blue"], fc.Radial(2.0)),
    }


@pytest.mark.parametrize("guess", re.findall(r"\w+\.\w+", GUESSES))
def test_a_wrong_name_is_answered_with_what_is_meant(guess: str) -> None:
    owner, name = guess.split(".")
    thing = _things()[owner]
    assert not hasattr(thing, name)
    with pytest.raises(AttributeError) as refused:
        getattr(thing, name)
    assert isinstance(refused.value, FieldcraftError)
    assert refused.value.remedy, refused.value


def test_there_are_more_than_sixty_guesses() -> None:
    assert len(set(re.findall(r"\w+\.\w+", GUESSES))) > 60


def test_remedies_name_what_there_is() -> None:
    things = _things() | {"space": fc.Grid(3, 2), "flow": _things()["flow"]}
    things |= {"map": things["layer"] + 1}
    for words in synonyms.WORDS.values():
        for remedy in words.values():
            for owner, name in re.findall(r"\b(\w+)\.(\w+)", remedy):
                if owner in things:
                    assert hasattr(things[owner], name), remedy
            for owner, name in re.findall(r"\b(\w+)\.(\w+)\(", remedy):
                if owner in things:
                    assert callable(getattr(things[owner], name)), remedy
            for module, name in re.findall(r"\bfc\.(view|query|steering)\.(\w+)", remedy):
                assert hasattr(getattr(fc, module), name), remedy


def test_remedies_name_kinds_of_maps() -> None:
    remedies = [remedy for words in synonyms.WORDS.values() for remedy in words.values()]
    kinds = {kind for remedy in remedies for kind in re.findall(r'generate_map\("(\w+)"', remedy)}
    assert kinds and kinds <= set(fc.maps.KINDS)


@pytest.mark.parametrize(
    "statement",
    [
        "layer.values = np.zeros((4, 5))",
        "grid.walls = np.zeros((4, 5))",
        "grid.opaque = np.zeros((4, 5))",
        "source.position = (2.5, 2.5)",
        "imap['threat'] = layer",
        "del imap['threat']",
    ],
)
def test_assignments_are_answered_with_the_call(statement: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        exec(statement, {"np": np} | _things())
    assert re.search(
        r"\b(write|set_walls|set_opaque|move|add_layer|remove_layer)\(", str(refused.value)
    )


def test_no_synonym_is_the_name_of_something() -> None:
    things = _things()
    owners = {"InfluenceMap": "imap", "Layer": "layer", "Space": "grid", "Path": "path"}
    owners |= {"FlowField": "flow", "Source": "source", "Teams": "teams", "fc": "fc"}
    for kind, owner in owners.items():
        for name in synonyms.WORDS[kind]:
            assert not hasattr(things[owner], name), f"{owner}.{name}"


def test_misspellings_are_suggested() -> None:
    with pytest.raises(AttributeError, match=r"Did you mean 'fc\.shortest_path'\?"):
        _ = fc.shortest_paht
    with pytest.raises(AttributeError, match=r"A layer has no 'sampel'.*Did you mean 'sample'\?"):
        _ = _things()["layer"].sampel


def test_other_names_keep_the_message_of_python() -> None:
    things = _things()
    for owner, name in (("grid", "_private"), ("imap", "__wrapped__"), ("path", "qqzzqq")):
        with pytest.raises(AttributeError, match=f"object has no attribute '{name}'"):
            getattr(things[owner], name)
    with pytest.raises(AttributeError, match="module 'fieldcraft' has no attribute 'qqzzqq'"):
        _ = fc.qqzzqq


def test_probing_for_a_name_again_costs_little() -> None:
    layer = _things()["layer"]
    hasattr(layer, "columns_of_frame")
    begun = time.process_time()
    for _ in range(1000):
        hasattr(layer, "columns_of_frame")
    assert time.process_time() - begun < 0.5


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: fc.Radial(3, "quadratic"), r"calls 1 - u\*\*2 'parabolic'"),
        (lambda: fc.Spread(0.1, falloff="parabolic"), "fc.Spread has 'quadratic'"),
        (lambda: fc.Radial(3, metric="euclidean"), "Perhaps 'straight' is meant"),
        (lambda: fc.Grid(3, 2).cell_at((9, 9), outside="clip"), "Perhaps 'clamp' is meant"),
        (
            lambda: fc.sample(np.ones((2, 3)), (1, 1), how="linear", space=fc.Grid(3, 2)),
            "'bilinear'",
        ),
    ],
)
def test_a_wrong_word_is_answered_with_what_is_meant(call: Any, said: str) -> None:
    with pytest.raises(fc.errors.InvalidValue, match=said):
        call()


def test_words_with_remedies_are_those_of_some_argument() -> None:
    for name, kind in (("falloff", "quadratic"), ("metric", "euclid")):
        assert kind in synonyms.VALUES[name]
    u = np.linspace(0, 1, 5)
    assert fc.Falloff.of(lambda u: (1 - u) ** 2)(u).round(6).tolist() == ((1 - u) ** 2).tolist()
