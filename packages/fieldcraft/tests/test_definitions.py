"""An editor can follow each public call to its kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

import fieldcraft as fc
from support.definitions import definitions

SOURCES = Path(fc.__file__).parent

FOLLOWED = [
    # the name, in which file and after which text it stands, and the file and name it leads to
    ("__init__.py", "    distance_map,", "distance_map", "paths/distance_maps.py", "distance_map"),
    ("paths/distance_maps.py", "    return DistanceMap(", "DistanceMap", "paths/distance_maps.py", "DistanceMap"),
    ("paths/distance_maps.py", "ground = snapshot_of(", "snapshot_of", "space/snapshots.py", "snapshot_of"),
    ("paths/distance_maps.py", "self._search = search_for(", "search_for", "paths/search/distances_on_grid.py", "search_for"),
    ("paths/distance_maps.py", "self.search.settle()", "settle", "paths/search/distances.py", "settle"),
    ("paths/search/distances.py", "self._expansion.run(", "run", "paths/search/distances.py", "run"),
    ("paths/search/distances_on_grid.py", "kernels.distances.distance.count(", "count", "kernels/distances/distance.py", "count"),
    ("paths/search/distances_on_grid.py", "kernels.distances.distance.add_near(", "add_near", "kernels/distances/distance.py", "add_near"),
    ("paths/search/distances.py", "kernels.distances.distance_search.search(", "search(", "kernels/distances/distance_search.py", "search"),
    ("paths/distance_maps.py", "costs = CellCosts(space, sized(", "CellCosts", "paths/cost.py", "CellCosts"),
    ("paths/cost.py", "kernels.distances.distance.price(", "price", "kernels/distances/distance.py", "price"),
    ("__init__.py", "    shortest_path,", "shortest_path", "paths/shortest.py", "shortest_path"),
    ("paths/shortest.py", "return problem_on(", "problem_on", "paths/search/path_on_grid.py", "problem_on"),
    ("paths/shortest.py", "return problem.solve(", "solve(", "paths/search/path_problem.py", "solve"),
    ("paths/search/path_on_grid.py", "shortest_path_uniform.uniform(", "uniform(", "kernels/paths/shortest_path_uniform.py", "uniform"),
    ("paths/search/reach.py", "kernels.distances.cells_in_reach.reach(", "reach(", "kernels/distances/cells_in_reach.py", "reach"),
    ("__init__.py", "from fieldcraft.query import", "best", "query/choosing.py", "best"),
    (
        "query/choosing.py",
        "values = queries_of(layer, space)",
        "queries_of",
        "query/queries_on_space.py",
        "queries_of",
    ),
    ("query/choosing.py", "values.best(", "best(", "query/queries.py", "best"),
    ("query/queries_on_grid.py", "run_in_bands(kernels.values.best.best", "best, inputs", "kernels/values/best.py", "best"),
    ("values/sampling.py", "values, single = _bilinear(", "_bilinear", "values/sampling.py", "_bilinear"),
    ("values/sampling.py", "kernels.values.sample.bilinear", "bilinear", "kernels/values/sample.py", "bilinear"),
    # sources, steps and samples
    ("layers/source_layer.py", "self._added(position", "_added", "layers/source_layer.py", "_added"),
    ("layers/source_layer.py", "return self.steps.sources.add(", "add", "layers/sources/sources.py", "add"),
    ("layers/influence_map.py", "self.schedule.step(count)", "step(", "layers/schedule.py", "step"),
    ("layers/schedule.py", "layer.steps.take(part)", "take(", "layers/steps.py", "take"),
    ("layers/steps.py", "batch = self.feed(", "feed", "layers/steps.py", "feed"),
    ("layers/propagation/spread/spread_field.py", "            self._run(count)", "_run", "layers/propagation/spread/spread_field.py", "_run"),
    ("layers/propagation/spread/spread_on_grid.py", "kernels.spread.spread_tiles.tiles_near(", "tiles_near(", "kernels/spread/spread_tiles.py", "tiles_near"),
    ("values/operand.py", "return sample(self", "sample", "values/sampling.py", "sample"),
    ("values/operand.py", "operations.power(", "power", "values/operations.py", "power"),
    # beliefs and recipes
    ("pursuit/belief.py", "self._advance(due", "_advance", "pursuit/belief.py", "_advance"),
    ("pursuit/belief.py", "self._wander(due)", "_wander", "pursuit/belief.py", "_wander"),
    ("pursuit/belief.py", "belief.step(self._spare)", "step", "pursuit/belief_of_one.py", "step"),
    ("pursuit/belief_of_one.py", "kernels.pursuit.belief_steps.arrive(", "arrive", "kernels/pursuit/belief_steps.py", "arrive"),
    ("commands/recipe/outputs.py", "World(", "World", "commands/recipe/world.py", "World"),
    ("commands/recipe/world.py", "self.imap.advance(self.step", "advance", "layers/influence_map.py", "advance"),
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
