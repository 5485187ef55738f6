"""Distances over a world in blocks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer import ArrayLayer, SingleThreadLock
from fieldcraft.paths.filled import UNREACHED
from fieldcraft.paths.path import unique_goals
from fieldcraft_cluster.block_search import BlockSearch, SearchGround
from fieldcraft_cluster.plan import Box
from fieldcraft_cluster.terrain import centers

if TYPE_CHECKING:
    from fieldcraft_cluster.world import World

__all__ = ["WorldDistances"]


class WorldDistances:
    """How far it is from everywhere on a world in blocks to the nearest goal, walking; made by
    `World.distance_map`.

    Only blocks that the search comes to exist, and it goes no further than a question needs: a
    question about ground that no way leads to searches all that can be reached. It is done in this
    process, whoever computes the layers. Walls are those of the moment when
    it was made: `outdated` says whether they have changed since.

    Used by one thread at a time.
    """

    def __init__(
        self,
        world: World,
        goals: ArrayLike,
        cost: Any,
        start_costs: ArrayLike | None,
        limit: float | None,
        memory: float,
    ) -> None:
        plan = world.plan
        self._world = world
        self._ground = ground = SearchGround(plan, world.changes, cost)
        world.check_torus(ground.cut.halo, "a step")
        rows, columns = world.cells(goals)
        ground.refuse_walls(rows, columns, goals, "A goal stands")
        if not len(rows):
            raise InvalidValue(
                "A distance map has goals",
                got="none",
                remedy="Pass one position or an array of at least one",
            )
        cells, starts = unique_goals(rows * plan.width + columns, start_costs)
        neighborhood = plan.neighborhood
        self.counted = (
            (neighborhood.is_four or neighborhood.is_eight)
            and ground.uniform is not None
            and not starts.any()
        )
        """Whether distances are counted in straight and diagonal steps, and right to the last digit
        or so.
        """
        self.limit = math.inf if limit is None else checks.not_negative("limit", limit)
        room = checks.positive("memory", memory)
        self._search = BlockSearch(ground, self.counted, self.limit, room, world.folder)
        self._lock = SingleThreadLock(
            "A distance map", "Put a lock around it, or give each thread its own"
        )
        self._search.send(*divmod(cells, plan.width), starts)

    def __repr__(self) -> str:
        plan = self._world.plan
        return (
            f"<{type(self).__name__} on {plan.width} x {plan.height}, {self.blocks_searched} of"
            f" {len(self._ground.cut)} blocks searched>"
        )

    @property
    def blocks_searched(self) -> int:
        """How many blocks the search has come to."""
        return self._search.count

    @property
    def outdated(self) -> bool:
        """Whether walls of the world have changed since it was made."""
        now, then = self._world.changes, self._ground.changes
        return not (
            np.array_equal(now.cells, then.cells) and np.array_equal(now.blocked, then.blocked)
        )

    # Questions

    def sample(
        self, positions: ArrayLike, *, outside: str = "refuse"
    ) -> float | NDArray[np.float64]:
        """The distances from the cells of world positions: a float for one (x, y) pair, (N,)
        float64 for an (N, 2) array; inf in walls.
        """
        points, single = checks.positions(positions)
        found = self._asked(*self._world.cells(points, outside=outside))
        return float(found[0]) if single else found

    def window(self, low: ArrayLike, high: ArrayLike) -> ArrayLayer:
        """The piece of the map between two world positions as a plain layer, at its place in the
        world.

        Walls read 0, and 1e20 stands for ground from which no way leads, as in expressions with a
        `DistanceMap`. Raises `OutsideMap` for positions off the map.
        """
        box = self._world.box(low, high)
        exact = self.exact_in(box)
        layer = InfluenceMap(self._world.grid(box)).add_layer(
            "distance", values=np.zeros(box.shape, dtype=np.float32)
        )
        assert isinstance(layer, ArrayLayer)
        layer.write(
            np.where(
                self._ground.closed(box), 0.0, np.where(np.isinf(exact), UNREACHED, exact)
            ).astype(np.float32)
        )
        return layer

    def exact_in(self, box: Box) -> NDArray[np.float64]:
        """The distances of the rows and columns of a box of the map, (height, width), inf in walls
        and where no goal is reached.
        """
        rows, columns = np.mgrid[box.top : box.bottom, box.left : box.right].reshape(2, -1)
        return self._asked(rows, columns).reshape(box.shape)

    def descend(self, position: ArrayLike) -> NDArray[np.float64]:
        """The way from a world position to the nearest goal, (N, 2) centers of cells, both ends
        included; empty where none leads there.

        It is as long as the map says; of ways that are as good it may be another one than
        `DistanceMap.descend` takes.
        """
        rows, columns = self._world.cells(checks.pair("position", position))
        self._ground.refuse_walls(rows, columns, position, "A start stands")
        if self._asked(rows, columns)[0] == math.inf:
            return np.zeros((0, 2))
        with self._lock:
            way = np.array(
                list(self._search.steps_down(int(rows[0]), int(columns[0]))), dtype=np.int64
            )
        return centers(self._world.plan, way[:, 0], way[:, 1])

    def _asked(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
        """The distances of cells, in world units; searches until they are final."""
        exact = np.full(len(rows), math.inf)
        is_open = ~self._ground.walls_at(rows, columns)
        with self._lock:
            exact[is_open] = self._search.distances(rows[is_open], columns[is_open])
        return exact
