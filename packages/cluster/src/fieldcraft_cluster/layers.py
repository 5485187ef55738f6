"""Layers of a world in blocks, by what feeds them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.propagation import Propagation, Radial, Spread, Stamp, Trail
from fieldcraft.propagation.radial import METRICS
from fieldcraft.propagation.settings import values_of
from fieldcraft_cluster.blocks import BlockCommands
from fieldcraft_cluster.layer import MOST_REACH, WorldLayer
from fieldcraft_cluster.sources import WorldSources
from fieldcraft_cluster.transfer import LayerPlan, transfer_of

if TYPE_CHECKING:
    from fieldcraft_cluster.world import World

__all__ = [
    "LAYERS",
    "SourceLayer",
    "WorldMemoryLayer",
    "WorldRadialLayer",
    "WorldSpreadLayer",
    "WorldTrailLayer",
    "plan_of",
]


class SourceLayer(WorldLayer):
    """A layer with sources."""

    def __init__(self, world: World, plan: LayerPlan) -> None:
        super().__init__(world, plan)
        self.sources = WorldSources(
            self.cut, plan.reach if isinstance(self, WorldRadialLayer) else None
        )

    def set_halo(self, halo_steps: int) -> None:
        """Have blocks with halos for so many steps."""
        super().set_halo(halo_steps)
        self.sources.stand_on(self.cut)

    def _add(
        self,
        positions: ArrayLike,
        strengths: ArrayLike,
        radii: NDArray[np.float64] | None,
        lifetimes: ArrayLike | None,
        on_wall: str,
        outside: str,
    ) -> NDArray[np.int64]:
        rows, columns = self._place(positions, on_wall, outside, ("refuse", "through"))
        amounts = checks.amounts("strengths", strengths, len(rows))
        expires = None
        if lifetimes is not None:
            now = self.steps * self.plan.every
            seconds = checks.numbers("lifetimes", lifetimes, len(rows)).tolist()
            expires = np.array(
                [now + clock.ticks("lifetime", s, minimum=1) for s in seconds], dtype=np.int64
            )
        self._world.changed.add(self.name)
        return self.sources.add(rows, columns, amounts, radii, expires)

    def move(
        self,
        ids: ArrayLike,
        positions: ArrayLike,
        *,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Move sources to world positions, one each; between blocks as within one. Shows from the
        next step on.
        """
        wanted = self.sources.checked(ids)
        rows, columns = self._place(positions, on_wall, outside, ("refuse", "through"))
        self.sources.move(wanted, rows, columns)
        self._world.changed.add(self.name)

    def set_strengths(self, ids: ArrayLike, strengths: ArrayLike) -> None:
        """Give sources other strengths: one number for all, or one each."""
        self.sources.set_strengths(ids, strengths)
        self._world.changed.add(self.name)

    def remove(self, ids: ArrayLike) -> None:
        """Take sources away."""
        self.sources.remove(ids)
        self._world.changed.add(self.name)

    def take_orders(self) -> dict[int, BlockCommands]:
        """The orders that have come in, and the sources of the blocks where these have changed."""
        self.sources.expire(self.steps * self.plan.every)
        orders = super().take_orders()
        for number, held in self.sources.take_changes().items():
            orders[number] = orders.get(number, BlockCommands())._replace(sources=held)
        return orders

    @property
    def next_expiry(self) -> int | None:
        """The step before which a lifetime ends."""
        return -(-self.sources.next_expiry // self.plan.every)


class WorldSpreadLayer(SourceLayer):
    """A layer with `Spread`: sources, and deposits that only fade."""

    def add_sources(
        self,
        positions: ArrayLike,
        strengths: ArrayLike = 1.0,
        *,
        lifetimes: ArrayLike | None = None,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> NDArray[np.int64]:
        """Put sources at (N, 2) world positions; returns their ids, (N,). Shows from the next step
        on.

        `strengths` and `lifetimes` (seconds) are one number for all or N numbers.
        `on_wall="through"` lets sources stand on walls. Raises `OutsideMap`, `OnWall` or
        `InvalidValue`; then nothing has changed.
        """
        return self._add(positions, strengths, None, lifetimes, on_wall, outside)

    def deposit(
        self,
        positions: ArrayLike,
        amounts: ArrayLike = 1.0,
        *,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Add to the values of cells at once: an event that only fades. `amounts` is one number for
        all or N numbers.
        """
        rows, columns = self._place(positions, on_wall, outside, ("refuse",))
        given = checks.amounts("amounts", amounts, len(rows))
        self._call("deposit", rows, columns, 0, {"amounts": given})

    def settle(self) -> None:
        """Go where endless steps would lead: to the least map that the sources hold up, with the
        bits of one array.

        Each block settles by itself, tells what has changed of its halo, and settles again where
        its neighbors' halos have changed, until
        none has: as many supersteps as the longest way crosses blocks. Not with
        `Spread(pin=False)`, whose sources would have to be
        weighed against each other over the whole map: `InvalidValue`.
        """
        if not values_of(self.propagation)["pin"]:
            raise InvalidValue(
                "Blocks settle where sources hold their cells",
                got=repr(self.propagation),
                remedy="Take steps, or settle a window",
            )
        self._world.flush(self)
        self._world.coordinator.settle(self.name)


class WorldRadialLayer(SourceLayer):
    """A layer with `Radial`: its values are what its sources say."""

    def add_sources(
        self,
        positions: ArrayLike,
        strengths: ArrayLike = 1.0,
        *,
        radii: ArrayLike | None = None,
        lifetimes: ArrayLike | None = None,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> NDArray[np.int64]:
        """Put sources at (N, 2) world positions; returns their ids, (N,). Shows from the next step
        on.

        `radii` are world units, at most the layer's `reach`, which is by default the radius of its
        propagation. Raises `OutsideMap`, `OnWall` or `InvalidValue`; then nothing has changed.
        """
        points, _ = checks.positions(positions)
        usual = values_of(self.propagation)["radius"]
        sizes = checks.numbers("radii", usual if radii is None else radii, len(points))
        if len(sizes) and not (sizes.min() > 0 and sizes.max() <= self.plan.reach):
            raise InvalidValue(
                f"Radii lie within the reach of the layer, {self.plan.reach:g}",
                got=f"{sizes.max() if sizes.min() > 0 else sizes.min():g}",
                remedy="Pass add_layer(..., reach=) the largest radius",
            )
        return self._add(points, strengths, sizes, lifetimes, on_wall, outside)


class WorldMemoryLayer(WorldLayer):
    """A layer with `Fade`: what was marked, and how long ago."""

    def mark(
        self,
        positions: ArrayLike,
        amounts: ArrayLike | None = None,
        *,
        radius: float | None = None,
        falloff: Any = "constant",
        metric: str = "connected",
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Remember these places: shows at once, then fades. As `MemoryLayer.mark`, with one
        `radius` within the layer's `reach`.
        """
        rows, columns = self._place(positions, on_wall, outside, ("refuse",))
        each: dict[str, Any] = {}
        if amounts is not None:
            given = checks.amounts("amounts", amounts, len(rows))
            if (given < 0).any():
                raise InvalidValue(
                    "amounts are at least 0",
                    got=f"{given.min():g}",
                    remedy="Marks fade by themselves",
                )
            each["amounts"] = given
        if radius is not None and checks.positive("radius", radius) > self.plan.reach:
            raise InvalidValue(
                f"Marks reach at most as far as their layer, {self.plan.reach:g}",
                got=f"radius={radius:g}",
                remedy="Pass add_layer(..., reach=) the largest radius",
            )
        shape = {
            "radius": radius,
            "falloff": Falloff.of(falloff),
            "metric": checks.choice("metric", metric, METRICS),
        }
        self._call("mark", rows, columns, 0, each, **shape)


class WorldTrailLayer(WorldLayer):
    """A layer with `Trail`: what agents leave behind gathers, blurs and evaporates."""

    def deposit(
        self,
        positions: ArrayLike,
        amounts: ArrayLike = 1.0,
        *,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Add to the values of cells at the next step, in any order to the same bits; `amounts` are
        pairs (x, y) on a layer of vectors.
        """
        rows, columns = self._place(positions, on_wall, outside, ("refuse",))
        self._call("deposit", rows, columns, 0, {"amounts": self._amounts(amounts, len(rows))})

    def stamp(
        self,
        stamp: Stamp,
        positions: ArrayLike,
        amounts: ArrayLike = 1.0,
        *,
        rotations: ArrayLike = 0.0,
        scales: ArrayLike = 1.0,
        blend: str = "add",
        outside: str = "refuse",
    ) -> None:
        """Put a stamp on the cell of each position, times an amount; shows at the next step. As
        `TrailLayer.stamp` with `how="nearest"`.
        """
        rule = "A stamp is a fieldcraft.Stamp"
        checks.instance(stamp, Stamp, rule, "Pass fc.Stamp.disc(radius), say")
        points, _ = checks.positions(positions)
        rows, columns = self._world.cells(points, outside=outside)
        sizes = checks.numbers("scales", scales, len(points))
        if (sizes <= 0).any():
            raise InvalidValue(
                "scales are above 0", got=f"{sizes.min():g}", remedy="Pass factors above 0"
            )
        each = {
            "amounts": self._amounts(amounts, len(points)),
            "rotations": checks.numbers("rotations", rotations, len(points)),
            "scales": sizes,
        }
        far = stamp.reach * float(sizes.max(initial=1.0)) / self._world.plan.cell_size
        if far > MOST_REACH:
            raise InvalidValue(
                f"A reach is at most {MOST_REACH:,} cells",
                got=f"a stamp that reaches {far:g}",
                remedy="Pass smaller scales",
            )
        reach = math.ceil(far) + 1
        self._world.check_torus(reach, f"a stamp that reaches {reach} cells")
        self._call(
            "stamp",
            rows,
            columns,
            reach,
            each,
            stamp=stamp,
            blend=checks.choice("blend", blend, ("add", "max", "replace")),
        )

    def _amounts(self, amounts: ArrayLike, count: int) -> NDArray[np.float64]:
        if not values_of(self.propagation)["vector"]:
            return checks.numbers("amounts", amounts, count)
        pairs, single = checks.positions(amounts, what="Amounts")
        if single:
            pairs = np.repeat(pairs, count, axis=0)
        if len(pairs) != count:
            raise InvalidValue(
                "amounts of a layer of vectors are one (x, y), or one per position",
                got=f"{len(pairs)} for {count} positions",
                remedy="Pass as many",
            )
        return pairs


LAYERS: dict[str, type[WorldLayer]] = {
    "spread": WorldSpreadLayer,
    "radial": WorldRadialLayer,
    "memory": WorldMemoryLayer,
    "trail": WorldTrailLayer,
}


def plan_of(
    world: World,
    name: str,
    propagation: Propagation,
    every: int,
    reach: float | None,
    halo_steps: int,
) -> LayerPlan:
    """The plan of a new layer; raises `InvalidValue` for what can't be cut into blocks."""
    transfer_of(propagation)
    if reach is not None and isinstance(propagation, (Spread, Trail)):
        raise InvalidValue(
            "reach= is for layers with fc.Fade and fc.Radial",
            got=f"reach={reach} with {propagation!r}",
            remedy="Leave it out",
        )
    far = 0.0 if reach is None else checks.positive("reach", reach)
    if isinstance(propagation, Radial):
        far = max(far, propagation.radius)
    resistance = world.resistance.get(name)
    if resistance is not None and not isinstance(propagation, Spread):
        raise InvalidValue(
            "Cells resist on layers with fc.Spread",
            got=repr(propagation),
            remedy="Leave its resistance out",
        )
    if far / world.plan.cell_size > MOST_REACH:
        raise InvalidValue(
            f"A reach is at most {MOST_REACH:,} cells", got=f"{far:g}", remedy="Use larger cells"
        )
    plan = LayerPlan(name, propagation, every, far, halo_steps, world.plan, resistance)
    if far:
        world.check_torus(plan.plan().halo, f"a reach of {far:g}")
    return plan
