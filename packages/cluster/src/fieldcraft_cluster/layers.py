"""The layers of a world in blocks: with sources, marks or deposits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import IfOutside, IfSourceOnWall, Metric, StampBlend
from fieldcraft.layers.propagation import Propagation, Radial, Spread, Stamp, Trail
from fieldcraft.layers.propagation.radial.radial import METRICS
from fieldcraft.layers.propagation.settings import values_of
from fieldcraft.layers.sources.falloff import Falloff, FalloffLike
from fieldcraft_cluster.blocks import BlockCommands
from fieldcraft_cluster.layer import MOST_REACH, WorldLayer
from fieldcraft_cluster.sources import WorldSources
from fieldcraft_cluster.transfer import LayerPlan, transfer_of

if TYPE_CHECKING:
    from fieldcraft_cluster.world import World


class SourceLayer(WorldLayer):
    """A layer with sources."""

    def __init__(self, world: World, plan: LayerPlan) -> None:
        super().__init__(world, plan)
        radius = None
        if isinstance(self, WorldRadialLayer):
            radius = plan.reach
        self.sources = WorldSources(self.partition, radius)

    def set_halo(self, halo_steps: int) -> None:
        """Have blocks with halos for so many steps."""
        super().set_halo(halo_steps)
        self.sources.set_partition(self.partition)

    def _add(
        self,
        positions: ArrayLike,
        strengths: ArrayLike,
        radii: NDArray[np.float64] | None,
        lifetimes: ArrayLike | None,
        on_wall: IfSourceOnWall,
        outside: IfOutside,
    ) -> NDArray[np.int64]:
        rows, columns = self._place(positions, on_wall, outside, ("refuse", "through"))
        amounts = checks.amounts("strengths", strengths, len(rows))
        expires = None
        if lifetimes is not None:
            now = self.steps * self.plan.every
            seconds = checks.numbers("lifetimes", lifetimes, len(rows)).tolist()
            ends = [now + clock.ticks("lifetime", each, minimum=1) for each in seconds]
            expires = np.array(ends, dtype=np.int64)
        self._world.changed_layers.add(self.name)
        return self.sources.add(rows, columns, amounts, radii, expires)

    def move(
        self,
        ids: ArrayLike,
        positions: ArrayLike,
        *,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Move sources to world positions, one each, from the next step on."""
        wanted = self.sources.checked(ids)
        rows, columns = self._place(positions, on_wall, outside, ("refuse", "through"))
        self.sources.move(wanted, rows, columns)
        self._world.changed_layers.add(self.name)

    def set_strengths(self, ids: ArrayLike, strengths: ArrayLike) -> None:
        """Set strengths of sources: one number for all, or one each."""
        self.sources.set_strengths(ids, strengths)
        self._world.changed_layers.add(self.name)

    def remove(self, ids: ArrayLike) -> None:
        """Remove sources."""
        self.sources.remove(ids)
        self._world.changed_layers.add(self.name)

    def take_commands(self) -> dict[int, BlockCommands]:
        """Return the commands for each block since the last call, with changed sources."""
        self.sources.expire(self.steps * self.plan.every)
        commands = super().take_commands()
        for number, sources in self.sources.take_changes().items():
            commands[number] = commands.get(number, BlockCommands())._replace(sources=sources)
        return commands

    @property
    def next_expiry(self) -> int | None:
        """The step before which the next lifetime ends."""
        return -(-self.sources.next_expiry // self.plan.every)


class WorldSpreadLayer(SourceLayer):
    """A layer with `Spread`: sources and deposits."""

    def add_sources(
        self,
        positions: ArrayLike,
        strengths: ArrayLike = 1.0,
        *,
        lifetimes: ArrayLike | None = None,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> NDArray[np.int64]:
        """Add sources at (N, 2) world positions, from the next step on, and return their ids, (N,).

        `strengths` and `lifetimes` (seconds) are one number for all or N numbers.
        `on_wall="through"` allows walls. Raises `OutsideMap`, `OnWall` or `InvalidValue`, and then
        changes nothing.
        """
        return self._add(positions, strengths, None, lifetimes, on_wall, outside)

    def deposit(
        self,
        positions: ArrayLike,
        amounts: ArrayLike = 1.0,
        *,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Add to the values of cells at once; the amounts then fade. `amounts` is one number for
        all or N numbers.
        """
        rows, columns = self._place(positions, on_wall, outside, ("refuse",))
        given = checks.amounts("amounts", amounts, len(rows))
        self._call("deposit", rows, columns, 0, {"amounts": given})

    def settle(self) -> None:
        """Set the values to the fixed point that further steps lead to, with the bits of one array.

        Each block settles by itself, then again whenever its halo has changed. Raises
        `InvalidValue` with `Spread(pin=False)`.
        """
        if not values_of(self.propagation)["pin"]:
            raise InvalidValue(
                "Blocks settle with pinned sources",
                got=repr(self.propagation),
                remedy="Take steps, or settle a window",
            )
        self._world.flush(self)
        self._world.coordinator.settle(self.name)


class WorldRadialLayer(SourceLayer):
    """A layer with `Radial`: values follow from its sources."""

    def add_sources(
        self,
        positions: ArrayLike,
        strengths: ArrayLike = 1.0,
        *,
        radii: ArrayLike | None = None,
        lifetimes: ArrayLike | None = None,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> NDArray[np.int64]:
        """Add sources at (N, 2) world positions, from the next step on, and return their ids, (N,).

        `radii` are world units, at most the layer's `reach`, which is by default the radius of its
        propagation. Raises `OutsideMap`, `OnWall` or `InvalidValue`, and then changes nothing.
        """
        points, _ = checks.positions(positions)
        if radii is None:
            radii = values_of(self.propagation)["radius"]
        sizes = checks.numbers("radii", radii, len(points))
        wrong = sizes[~((sizes > 0) & (sizes <= self.plan.reach))]
        if len(wrong):
            raise InvalidValue(
                f"Radii lie within the reach of the layer, {self.plan.reach:g}",
                got=f"{wrong[0]:g}",
                remedy="Pass add_layer(..., reach=) the largest radius",
            )
        return self._add(points, strengths, sizes, lifetimes, on_wall, outside)


class WorldMemoryLayer(WorldLayer):
    """A layer with `Fade`: marks that fade."""

    def mark(
        self,
        positions: ArrayLike,
        amounts: ArrayLike | None = None,
        *,
        radius: float | None = None,
        falloff: FalloffLike = "constant",
        metric: Metric = "connected",
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Mark positions at once. As `MemoryLayer.mark`, with one `radius` within the layer's
        `reach`.
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
    """A layer with `Trail`: deposits that add up, blur and evaporate."""

    def deposit(
        self,
        positions: ArrayLike,
        amounts: ArrayLike = 1.0,
        *,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
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
        blend: StampBlend = "add",
        outside: IfOutside = "refuse",
    ) -> None:
        """Add a stamp, times an amount, at the cell of each position, at the next step. As
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
        self._world.check_around(reach, f"a stamp that reaches {reach} cells")
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
    """Return the plan of a new layer; raises `InvalidValue` for kinds without blocks."""
    transfer_of(propagation)
    if reach is not None and isinstance(propagation, (Spread, Trail)):
        raise InvalidValue(
            "reach= is for layers with fc.Fade and fc.Radial",
            got=f"reach={reach} with {propagation!r}",
            remedy="Leave it out",
        )
    if reach is None:
        far = 0.0
    else:
        far = checks.positive("reach", reach)
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
        world.check_around(plan.partition().halo, f"a reach of {far:g}")
    return plan
