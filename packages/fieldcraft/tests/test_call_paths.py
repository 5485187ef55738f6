"""Public calls reach their kernels in few steps, and an editor can follow each of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import kernels
from support.definitions import definitions

SOURCES = Path(fc.__file__).parent
GRID = fc.Grid(9, 7, neighbors=8, walls=np.eye(7, 9, 3, dtype=bool))
IMAP = fc.InfluenceMap(GRID)
THREAT = IMAP.add_layer("threat", fc.Spread(0.2))
THREAT.add_source((2.5, 2.5), 1.0)
IMAP.step(3)
EXPRESSION = 1 + 4 * THREAT
IDLE = fc.InfluenceMap(GRID)
IDLE.add_layer("rest", fc.Spread(0.2, momentum=1.0)).add_source((2.5, 2.5), 1.0)
IDLE.step(200)
BELIEF = fc.Belief(GRID, speed=2.0, motion=fc.Motion())
BELIEF.see((2.5, 2.5), velocity=(1.0, 0.3))
BELIEF.advance(BELIEF.every)
GOAL = (0.5, 0.5)
DISTANCES = fc.distance_map(GRID, (8.5, 6.5))
PLACES = np.array([(1.2, 2.2), (2.2, 2.2)])


def calls(function: Callable[[], object]) -> list[str]:
    """The Python functions of the library that a second call of a function enters."""
    function()
    entered: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        last = entered[-1] if entered else ""
        if last.endswith(": Kernel.__call__") and path.parent == SOURCES / "kernels":
            return  # a kernel itself, which Numba tells of and the native library doesn't
        if event == "call" and path.is_relative_to(SOURCES):
            entered.append(f"{path.relative_to(SOURCES)}: {frame.f_code.co_qualname}")

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return entered


@pytest.mark.skipif(not kernels.compiled(), reason="functions of kernels are calls of their own")
@pytest.mark.parametrize(
    ("most", "function"),
    [
        pytest.param(20, lambda: fc.distance_map(GRID, GOAL), id="distance_map"),
        pytest.param(35, lambda: fc.distance_map(GRID, GOAL, cost=EXPRESSION), id="cost"),
        pytest.param(60, lambda: fc.distance_map(GRID, GOAL, cost=1 + 4 * THREAT), id="new cost"),
        pytest.param(12, lambda: THREAT.sample(PLACES, how="bilinear"), id="bilinear"),
        pytest.param(40, lambda: fc.shortest_path(GRID, GOAL, (8.5, 6.5)), id="shortest_path"),
        pytest.param(
            80,
            lambda: fc.shortest_path(GRID, GOAL, (8.5, 6.5), cost=1 + 4 * THREAT),
            id="shortest_path with a new cost",
        ),
        pytest.param(35, lambda: DISTANCES.step(GOAL), id="one agent's step"),
        pytest.param(115, lambda: fc.best(THREAT - DISTANCES, GOAL, 3, walk=3), id="best"),
        pytest.param(30, lambda: fc.reach(GRID, GOAL, 3), id="reach"),
        pytest.param(13, IDLE.step, id="step at rest"),
        pytest.param(100, lambda: BELIEF.advance(BELIEF.every), id="belief with a motion"),
        pytest.param(100, lambda: BELIEF.advance(1.0), id="belief for a second"),
    ],
)
def test_few_functions_stand_between_a_call_and_its_kernel(
    most: int, function: Callable[[], object]
) -> None:
    entered = calls(function)
    assert len(entered) <= most, "\n".join(entered)


FOLLOWED = [
    # the name, in which file and after which text it stands, and the file and name it leads to
    ("__init__.py", "    distance_map,", "distance_map", "paths/making.py", "distance_map"),
    ("paths/making.py", "    return DistanceMap(", "DistanceMap", "paths/distances.py", "DistanceMap"),
    ("paths/distances.py", "ground = snapshot_of(", "snapshot_of", "space/snapshots.py", "snapshot_of"),
    ("paths/distances.py", "self._search = search_for(", "search_for", "paths/grid_search.py", "search_for"),
    ("paths/distances.py", "self.search.settle()", "settle", "paths/search_base.py", "settle"),
    ("paths/search_base.py", "self._expansion.run(", "run", "paths/search_base.py", "run"),
    ("paths/grid_search.py", "kernels.distance.count(", "count", "kernels/distance.py", "count"),
    ("paths/grid_search.py", "kernels.distance.add_near(", "add_near", "kernels/distance.py", "add_near"),
    ("paths/search_base.py", "kernels.distance_search.search(", "search(", "kernels/distance_search.py", "search"),
    ("paths/distances.py", "costs = CellCosts(checked_space(", "CellCosts", "paths/cost.py", "CellCosts"),
    ("paths/cost.py", "kernels.distance.price(", "price", "kernels/distance.py", "price"),
    ("__init__.py", "    shortest_path,", "shortest_path", "paths/shortest.py", "shortest_path"),
    ("paths/shortest.py", "return problem_on(", "problem_on", "paths/grid_paths.py", "problem_on"),
    ("paths/shortest.py", "return problem.solve(", "solve(", "paths/path.py", "solve"),
    ("paths/grid_paths.py", "shortest_path_uniform.uniform(", "uniform(", "kernels/shortest_path_uniform.py", "uniform"),
    ("paths/reaching.py", "kernels.reach.reach(", "reach(", "kernels/reach.py", "reach"),
    ("__init__.py", "from fieldcraft.query import", "best", "query/choosing.py", "best"),
    ("query/choosing.py", "= queries(layer, space), checked", "queries", "query/sampling.py", "queries"),
    ("query/choosing.py", "values.best(", "best(", "query/values.py", "best"),
    ("query/on_grid.py", "run_in_bands(kernels.best.best", "best, inputs", "kernels/best.py", "best"),
    ("query/sampling.py", "values, single = _bilinear(", "_bilinear", "query/sampling.py", "_bilinear"),
    ("query/sampling.py", "run_in_bands(kernels.sample.bilinear", "bilinear", "kernels/sample.py", "bilinear"),
    # sources, steps and samples
    ("layer/source_layer.py", "self._source(position", "_source", "layer/source_layer.py", "_source"),
    ("layer/source_layer.py", "return self._sources.add(", "add", "sources/sources.py", "add"),
    ("influence_map/advancing.py", "layer._take_steps(part)", "_take_steps", "layer/stepping.py", "_take_steps"),
    ("layer/stepping.py", "batch = self._feed(", "_feed", "layer/stepping.py", "_feed"),
    ("propagation/spreading_field.py", "            self._run(count)", "_run", "propagation/spreading_field.py", "_run"),
    ("propagation/grid_spread.py", "kernels.spread_tiles.tiles(", "tiles(", "kernels/spread_tiles.py", "tiles"),
    ("layer/operand.py", "hooks.sample(self", "sample", "query/sampling.py", "sample"),
    ("layer/operand.py", "hooks.verbs.power(", "power", "compose/verbs.py", "power"),
    # beliefs and recipes
    ("pursuit/belief.py", "self._advance(due", "_advance", "pursuit/belief.py", "_advance"),
    ("pursuit/belief.py", "self._wander(due)", "_wander", "pursuit/belief.py", "_wander"),
    ("pursuit/belief.py", "belief.step(self._spare)", "step", "pursuit/target_belief.py", "step"),
    ("pursuit/target_belief.py", "kernels.belief.arrive(", "arrive", "kernels/belief.py", "arrive"),
    ("recipe/outputs.py", "World(", "World", "recipe/world.py", "World"),
    ("recipe/world.py", "self.imap.advance(self.step", "advance", "influence_map/advancing.py", "advance"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("file", "text", "name", "target", "found"), FOLLOWED, ids=lambda each: str(each).strip()
)
def test_go_to_definition_leads_on(
    file: str, text: str, name: str, target: str, found: str
) -> None:
    places = {
        (str(path.relative_to(SOURCES)), each)
        for path, each in definitions(SOURCES, file, text, name)
        if path.is_relative_to(SOURCES)
    }
    assert (target, found) in places, places
