"""Layers of sources with radii."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Never, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.single_thread import SingleThreadLock
from fieldcraft.base.words import IfOutside, IfSourceOnWall
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.layers.propagation import Attribution
from fieldcraft.layers.propagation.propagation import RadiatingField
from fieldcraft.layers.propagation.settings import values_of
from fieldcraft.layers.source_layer import SourceLayer, refuse_settings
from fieldcraft.layers.sources import Source
from fieldcraft.layers.sources.falloff import Falloff, FalloffLike
from fieldcraft.layers.steps import Steps
from fieldcraft.layers.without import OtherSources
from fieldcraft.space.sight.viewers import checked_heights
from fieldcraft.values.exclusion import Near


class RadialLayer(SourceLayer, kind="radial"):
    """A layer with `Radial`: its values follow from its sources alone."""

    _instead = (
        "A layer with fc.Radial shows its sources and nothing else: add a source with a lifetime,"
        " or a layer with fc.Spread(...)"
    )
    steps: Steps[RadiatingField]
    _validated = 0  # ticks at the last call of `validate`

    def add_source(
        self,
        position: ArrayLike,
        strength: float = 1.0,
        *,
        radius: float | None = None,
        falloff: FalloffLike | None = None,
        lifetime: float | None = None,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
        **others: Never,
    ) -> Source:
        """Add a source at a world position.

        Parameters
        ----------
        position, strength, lifetime, on_wall, outside
            As for `SourceLayer.add_source`.
        radius : float, optional
            World units; that of the layer if absent.
        falloff : str, Ring, Falloff, Sequence[float] or Callable, optional
            See `Falloff.of`; that of the layer if absent.

        Returns
        -------
        Source
            A handle to move, change and remove it.
        """
        refuse_settings(others)
        return self._added(
            position,
            strength,
            radius=radius,
            falloff=falloff,
            lifetime=lifetime,
            on_wall=on_wall,
            outside=outside,
        )

    def add_sources(
        self,
        positions: ArrayLike,
        strengths: ArrayLike = 1.0,
        *,
        radii: ArrayLike | None = None,
        falloff: FalloffLike | None = None,
        lifetimes: ArrayLike | None = None,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
        **others: Never,
    ) -> NDArray[np.int64]:
        """Add sources at world positions.

        Parameters
        ----------
        positions : array_like of shape (N, 2)
            World positions.
        strengths, radii, lifetimes : float or array_like of shape (N,), optional
            One number for all or N numbers.
        falloff, on_wall, outside
            As for `add_source`.

        Returns
        -------
        ndarray of int64, (N,)
            Their ids for `layer.sources`.
        """
        refuse_settings(others)
        return self.steps.sources.add(
            positions,
            strengths,
            radii=radii,
            falloff=falloff,
            lifetimes=lifetimes,
            now=self.steps.ticks,
            on_wall=on_wall,
            outside=outside,
        )

    def sync(
        self,
        keys: Iterable[Hashable],
        positions: ArrayLike,
        strengths: ArrayLike = 1.0,
        *,
        radii: ArrayLike | None = None,
        falloff: FalloffLike | None = None,
        velocities: ArrayLike | None = None,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Add, move and remove sources so that those with a key are exactly these.

        Parameters
        ----------
        keys, positions, strengths, velocities, on_wall, outside
            As for `SourceLayer.sync`.
        radii, falloff
            As for `add_sources`; without them known sources keep theirs.
        """
        self.steps.sources.sync(
            keys,
            positions,
            strengths,
            radii=radii,
            falloff=falloff,
            velocities=velocities,
            on_wall=on_wall,
            outside=outside,
        )

    def _attribution_of_others(self, cell: int, identity: int) -> Attribution:
        if self.steps.field.adds:
            ids, amounts, rest = self.attribution(cell)
            others = ids != identity
            return Attribution(ids[others], amounts[others], rest)
        return super()._attribution_of_others(cell, identity)

    def _values_of_others(self, near: Near, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        field = self.steps.field
        if not field.adds:
            return super()._values_of_others(near, ids)
        found = field.values_near(near.cells, near.columns, ids)
        self.steps.hide_new_walls(near.cells, found)
        return found

    @property
    def heights(self) -> NDArray[np.float32] | None:
        """The heights of `set_heights`, in the shape of `values`, read-only; None without any."""
        held = self.steps.field.heights
        if held is None:
            return None
        return read_only(held.ground.reshape(self.space.shape))

    def set_heights(self, heights: ArrayLike | None, *, eye: float = 1.0) -> None:
        """Let the ground hide cells from sources, as it does in `visible`; None lets nothing but
        walls hide.

        For layers with `Radial(metric="sight")`, on grids and graphs of squares. It takes effect
        with the next step, and is saved and copied with the layer. A source and the cells that it
        sees are `eye` above their ground. With heights each source searches its own footprint,
        also on open ground.

        Parameters
        ----------
        heights : array_like or None
            The height of the ground in the space's shape. A cell is level, from side to side.
        eye : float, optional
            Height above the ground, in the units of `heights`, at least 0.

        Raises
        ------
        InvalidValue
            For other layers and spaces, other shapes, NaN and infinity.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(5, 1))
        >>> shots = imap.add_layer("shots", fc.Radial(9, "constant", metric="sight"))
        >>> _ = shots.add_source((0.5, 0.5), 2.0)
        >>> shots.set_heights([[0, 0, 3, 0, 0]])         # a low wall: nobody sees over it
        >>> imap.step()
        >>> shots.values
        array([[2., 2., 2., 0., 0.]], dtype=float32)
        >>> shots.set_heights([[9, 0, 3, 0, 0]])         # from a tower one sees over it
        >>> imap.step()
        >>> shots.values
        array([[2., 2., 2., 0., 2.]], dtype=float32)
        """
        with self.steps.lock:
            wanted = checked_heights(self.space, heights, eye)
            self.steps.catch_up()
            self.steps.field.set_heights(wanted)
            self.steps.later_changes += 1

    @property
    def strongest(self) -> NDArray[np.float32]:
        """The influence of the strongest single source in each cell: a read-only float32 view in
        the shape of `values`.
        """
        with self.steps.lock:
            return read_only(self.steps.field.strongest(self.steps.sources, self.version))

    def strongest_near(self, near: Near) -> NDArray[np.float32]:
        """Return the influence of the strongest single source in cells near agents, (N, k), each
        without the agent's own sources.
        """
        with self.steps.lock:
            found: NDArray[np.float32] = self.strongest.reshape(-1)[near.cells]
            ids = self.source_ids(near.keys)
            mine = ids >= 0
            if mine.any():
                strongest = type(self._propagation)(
                    **{**values_of(self._propagation), "blend": "max"}
                )
                others = OtherSources(self, strongest)
                left = near.of(mine)
                found[mine] = others.values_near(left, ids[mine], ())
            return found

    def _rest(self) -> dict[str, Any]:
        return super()._rest() | {"validated_at": self._validated}

    def _copied(self, lock: SingleThreadLock) -> Self:
        twin = super()._copied(lock)
        twin._validated = self._validated
        return twin

    def _restore_rest(self, state: Mapping[str, Any]) -> None:
        super()._restore_rest(state)
        self._validated = checks.integer("validated_at", state["validated_at"])
        if self._validated > self.steps.ticks:
            raise ValueError("a validation at another time than the layer's")

    def _become(self, other: Self) -> None:
        super()._become(other)
        self._validated = other._validated

    def validate(self, max_cells: int = 4096, *, rate: float | None = None) -> int:
        """Check the next cells against the live sources, correct them, and return how many were
        wrong.

        From any state, sweeps over the whole map end at what the sources give, and then find
        nothing.

        Parameters
        ----------
        max_cells : int, optional
            About how many cells to check, in whole bands of rows.
        rate : float, optional
            Correct a value by at most so much per second of this layer's time since the last call;
            at once without it.

        References
        ----------
        The validation sweep of an influence map written for a course on game AI (GPR-440).
        """
        cells = checks.integer("max_cells", max_cells, minimum=1)
        if rate is not None:
            rate = checks.positive("rate", rate)
        with self.steps.lock:
            self.steps.catch_up()
            self.steps.feed()
            most = None
            if rate is not None:
                most = rate * clock.seconds(self.steps.ticks - self._validated)
            self._validated = self.steps.ticks
            wrong = self.steps.field.validate(cells, most)
            self.steps.changes += 1
            return wrong

    def add_static(
        self,
        position: ArrayLike,
        value: float = 1.0,
        *,
        propagate: bool = True,
        flood: bool = False,
        iterations: int = 5,
        on_wall: IfSourceOnWall = "refuse",
    ) -> Source:
        """Add an influence that stays until its `remove()` is called; visible from the next step
        on.

        Parameters
        ----------
        position : array_like
            World position, or a cell (on graphs, a vertex) as an int.
        value : float, optional
            The value of its cell.
        propagate : bool, optional
            Whether it reaches beyond its cell.
        flood : bool, optional
            Set the values of a flood after `iterations` steps: strongest at its front, and a
            tenth less for each step behind it. Not without `propagate`.
        iterations : int, optional
            After how many typical steps the layer's curve of decay is cut off. At its radius it is
            the layer's own curve, and follows `tune`.

        Raises
        ------
        OutsideMap
            If a position is outside the map.
        OnWall
            If a position is in a wall.
        InvalidValue
            If an argument has a wrong value, shape or type; then nothing has changed.
        """
        reach = checks.integer("iterations", iterations, minimum=1, maximum=_MOST_ITERATIONS)
        flood = checks.flag("flood", flood)
        propagate = checks.flag("propagate", propagate)
        if flood and not propagate:
            raise InvalidValue(
                "A flood moves from cell to cell",
                got="flood=True with propagate=False",
                remedy="Leave one of them out: without flood the value stays in its cell",
            )
        point = self._point(position)
        step = self.space.typical_step
        if not propagate:
            lengths = self.space.adjacency.lengths
            return self.add_source(
                point, value, radius=float(lengths.min()) / 2, falloff="constant", on_wall=on_wall
            )
        away = np.linspace(0, reach, 16 * reach + 1)
        if flood:
            falloff = Falloff.of(np.maximum(1 - _COOLING * (reach - away), 0.0))
            return self.add_source(
                point, value, radius=reach * step, falloff=falloff, on_wall=on_wall
            )
        settings = values_of(self._propagation)
        radius = settings["radius"]
        curve = settings["falloff"]
        if np.isclose(reach * step, radius):
            return self.add_source(point, value, on_wall=on_wall)
        return self.add_source(
            point,
            value,
            radius=reach * step,
            falloff=_cut(curve, away * step / radius),
            on_wall=on_wall,
        )

    def tune(self, **parameters: Any) -> None:
        """Change settings of the propagation, such as `radius`; takes effect with the next step.

        `decay` sets a falloff of `exp(-decay * distance)` within the radius, per world unit of
        distance. Sources with a falloff of their own keep it. Raises what
        `PropagatedLayer.tune` raises.
        """
        if "decay" in parameters and "falloff" not in parameters:
            decay = checks.not_negative("decay", parameters.pop("decay"))
            radius = checks.positive(
                "radius", parameters.get("radius", values_of(self._propagation)["radius"])
            )
            parameters["falloff"] = Falloff.of(np.exp(-decay * radius * np.linspace(0, 1, 81)))
        super().tune(**parameters)


_MOST_ITERATIONS = 100_000  # steps that a footprint reaches
_COOLING = 0.1  # what a flood loses from step to step


def _cut(curve: Falloff, shares: NDArray[np.float64]) -> Falloff:
    """Return a curve over shares of its radius, cut off at the last share; beyond its radius it
    continues exponentially.
    """
    end = float(curve(np.array([1.0]))[0])
    beyond = np.maximum(shares - 1, 0.0)
    weights = curve(np.minimum(shares, 1.0))
    if end > 0:
        return Falloff.of(weights * np.power(end, beyond))
    return Falloff.of(weights * (beyond == 0))
