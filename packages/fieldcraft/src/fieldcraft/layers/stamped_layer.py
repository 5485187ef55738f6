"""Layers that take stamps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.base.words import OUTSIDE, Between, IfOutside, StampBlend
from fieldcraft.layers.layer import Layer
from fieldcraft.layers.propagation.accumulator import BLENDS
from fieldcraft.layers.propagation.array import ArrayField
from fieldcraft.layers.propagation.propagation import StampedField
from fieldcraft.layers.propagation.trail.rasters import rasterized
from fieldcraft.layers.propagation.trail.stamps import Stamp
from fieldcraft.layers.sources.placing import distinct_ground
from fieldcraft.layers.steps import Steps
from fieldcraft.space.wrapping import wraps_everywhere


class StampedLayer(Layer):
    """A layer that takes stamps: a `TrailLayer` or an `ArrayLayer`."""

    steps: Steps[StampedField]

    def stamp(
        self,
        stamp: Stamp,
        positions: ArrayLike,
        amounts: ArrayLike = 1.0,
        *,
        rotations: ArrayLike = 0.0,
        scales: ArrayLike = 1.0,
        how: Between = "nearest",
        blend: StampBlend = "add",
        seconds: float | None = None,
        outside: IfOutside = "refuse",
    ) -> None:
        """Put a stamp at each position, times an amount: thousands in one call.

        It is visible at once on an `ArrayLayer`, with the next step on a layer with `Trail`. Sums
        are whole multiples of 2**-24, so stamps add up to the same bits in any order.

        Parameters
        ----------
        stamp : Stamp
            The pattern, see `fieldcraft.Stamp`. It may be larger than the map; on a torus it
            reaches at most as far as the longer side of the map.
        positions : array_like of shape (2,) or (N, 2)
            World positions; walls are allowed, though trails are 0 there.
        amounts : float or array_like of shape (N,), optional
            Within +-2**20; on a layer of vectors one (x, y) or shape (N, 2).
        rotations : float or array_like of shape (N,), optional
            Degrees from the x axis towards the y axis. Each pair of rotation and scale is
            rasterized once and cached: round headings to a few dozen if there are thousands.
        scales : float or array_like of shape (N,), optional
            Above 0.
        how : str, optional
            "nearest" puts the stamp's center on that of the position's cell, "bilinear" at the
            position itself, its weights divided among the cells around.
        blend : str, optional
            "add"; "max", the larger magnitude stays, the positive one of equals; or "replace", the
            last position's stamp stays where its weights are not 0. On a trail they blend with
            stamps since the last step.
        seconds : float, optional
            Remove the stamps after so much time, to the bit; on an `ArrayLayer` with blend="add".
            `write` and `put` replace them.
        outside : str, optional
            "refuse" positions off the map, "clamp" them to the rim, or "cut" off what is beyond it.

        Raises
        ------
        OutsideMap
            If a position is outside the map.
        InvalidValue
            If an argument has a wrong value, shape or type; then nothing has changed.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(5, 1))
        >>> danger = imap.add_layer("danger", values=[[0.0] * 5])
        >>> danger.stamp(fc.Stamp.disc(1.2), (2.5, 0.5), 3.0)
        >>> danger.values
        array([[0., 3., 3., 3., 0.]], dtype=float32)
        """
        with self.steps.lock:
            if not isinstance(stamp, Stamp):
                raise InvalidValue(
                    "A stamp is a fieldcraft.Stamp",
                    got=repr(stamp),
                    remedy="Pass fc.Stamp.disc(radius), say",
                )
            self.steps.catch_up()
            space = self.space
            points, _ = checks.positions(positions)
            if checks.choice("outside", outside, (*OUTSIDE, "cut")) == "refuse":
                try:
                    space.cell_at(points)
                except OutsideMap as error:
                    remedy = (
                        'Correct the position, or pass outside="cut" for the part on the map, or'
                        ' "clamp" for its rim'
                    )
                    raise OutsideMap(error.rule, got=error.got, remedy=remedy) from None
            elif outside == "clamp" and not wraps_everywhere(space.period):
                low, high = space.extent
                on_map = np.clip(points, low, np.nextafter(high, low))
                if space.period is not None:
                    on_map = np.where(np.isfinite(space.period), points, on_map)
                points = on_map
            turns = checks.numbers("rotations", rotations, len(points))
            sizes = checks.positives("scales", scales, len(points))
            between = checks.choice("how", how, ("nearest", "bilinear")) == "bilinear"
            mode = checks.choice("blend", blend, BLENDS)
            parts = self._parts(amounts, len(points))
            raster = rasterized(
                space, stamp, points, rotations=turns, scales=sizes, between=between
            )
            if seconds is None:
                self.steps.field.stamp(raster, parts, mode)
            elif isinstance(self.steps.field, ArrayField) and mode == "add":
                self.steps.field.stamp_for(seconds, raster, parts)
            else:
                raise InvalidValue(
                    "Stamps for a time are added to a layer with an array of your own",
                    got=f"seconds={seconds!r} with blend={mode!r} on {self!r}",
                    remedy='Use imap.add_layer(name, values=array) and blend="add"; what is put'
                    " on a trail evaporates",
                )
            if self.steps.field.at_once:
                self.steps.changes += 1
            self.steps.later_changes += 1

    def put(self, cells: ArrayLike, values: ArrayLike) -> None:
        """Set the values of cells at once.

        On a trail they blur and evaporate from the next step on.

        Parameters
        ----------
        cells : int or array_like of shape (N,)
            Cell ids, each once.
        values : float or array_like of shape (N,)
            On a layer of vectors of shape (2,) or (N, 2).

        Raises
        ------
        OutsideMap, OnWall, InvalidValue
            If an argument is refused; then nothing has changed.
        """
        with self.steps.lock:
            self.steps.catch_up()
            places = distinct_ground(self.space, cells)
            parts = self._parts(values, len(places))
            if (np.abs(parts) > checks.LARGEST).any():
                raise InvalidValue(
                    f"values are at most {checks.LARGEST:g} in size",
                    got=f"{np.abs(parts).max():g}",
                    remedy="Pass smaller numbers",
                )
            self.steps.field.put(places, parts.T.astype(np.float32))
            self.steps.changes += 1

    def _parts(self, amounts: ArrayLike, count: int) -> NDArray[np.float64]:
        """Return amounts as (N,), or as (N, 2) or (N, 3) for vectors."""
        if not self.steps.field.vector:
            return checks.numbers("amounts", amounts, count)
        given = checks.array("amounts", amounts).shape
        axes = self.space.dimensions
        if given not in ((axes,), (count, axes)) and not (count == 0 and given == (0,)):
            name = "(x, y)" if axes == 2 else "(x, y, z)"
            raise InvalidValue(
                f"amounts of a layer of vectors are one {name}, or one per position",
                got=f"shape {given} for {count} positions",
                remedy=f"Pass {name}, or an array of shape ({count}, {axes})",
            )
        parts, single = checks.positions(amounts, what="Amounts", dimensions=axes)
        if single:
            parts = np.repeat(parts, count, axis=0)
        return parts
