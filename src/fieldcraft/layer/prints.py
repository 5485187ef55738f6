"""What agents leave on a layer: marks on one that fades, stamps and deposits on trails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.falloff import Falloff
from fieldcraft.layer.operand import Operand
from fieldcraft.propagation.canvas import BLENDS, Blots, Canvas
from fieldcraft.propagation.fade import FadeField
from fieldcraft.propagation.radial import METRICS
from fieldcraft.propagation.stamps import Stamp
from fieldcraft.propagation.trail import TrailField
from fieldcraft.sources.placing import place
from fieldcraft.space import grid_of

if TYPE_CHECKING:
    from fieldcraft.layer.guard import Guard
    from fieldcraft.propagation import Field, Propagation

__all__ = ["Prints"]


class Prints(Operand):
    """The verbs of a layer by which agents leave something on it."""

    if TYPE_CHECKING:
        _guard: Guard
        _field: Field | None
        _propagation: Propagation | None
        _own: NDArray[np.float32]
        _canvas: Canvas | None
        _version: int
        _ticks: int
        _due: int

        def _catch_up(self) -> None: ...

    def mark(
        self,
        positions: ArrayLike,
        amounts: ArrayLike | None = None,
        *,
        radius: ArrayLike | None = None,
        falloff: Any = "constant",
        metric: str = "connected",
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Remember these places, on a layer with `Fade`: shows at once, and fades from then on.

        Parameters
        ----------
        positions: one (x, y) pair or an (N, 2) array of world positions; or a mask, bool in the shape of `values`, of the cells
            to mark, such as what `visible` answers: N then counts the cells that are True. Walls in it are passed over.
        amounts: how well the places are known, at least 0: one number, or N; or with a mask an array in its shape. What is above the
            layer's `maximum` counts as that. By default the maximum. A mark never lowers what is remembered.
        radius: world units, above 0, around the centre of the position's cell; one, or N. By default the cell alone.
        falloff: the share of the amount that a cell takes, by its distance: anything that `Falloff.of` takes.
        metric: which cells count, and how their distance is measured, as for `Radial`: "straight", "connected", "path", or
            "sight" for a whole field of view; on a graph of waypoints nothing hides a vertex. Walls are never marked.
        on_wall, outside: "refuse" a position on a wall or off the map, or take the "nearest" open cell, or "clamp" to the rim.

        Raises `OutsideMap`, `OnWall` or `InvalidValue`; then nothing has changed.
        """
        with self._guard:
            field = self._remembering("mark()")
            self._catch_up()
            mask = np.asarray(positions) if isinstance(positions, (np.ndarray, list)) else None
            if mask is not None and mask.dtype == np.bool_ and mask.size:
                cells, amounts = self._masked(mask, amounts)
            elif mask is not None and mask.shape == self.space.shape and mask.shape[-1] not in (2, 3):
                raise InvalidValue("A mask is bool", got=f"{mask.dtype} of shape {mask.shape}", remedy="Pass mask > 0, or (x, y) positions")
            else:
                cells = place(self.space, positions, on_wall=on_wall, outside=outside, walls_allowed=False)[1]
            strengths = None
            if amounts is not None:
                strengths = checks.amounts("amounts", amounts, len(cells)).astype(np.float64)
                if (strengths < 0).any():
                    raise InvalidValue("amounts are at least 0", got=f"{strengths.min():g}", remedy="Marks fade by themselves")
            shape = Falloff.of(falloff), checks.choice("metric", metric, METRICS)
            if radius is None or np.ndim(radius) == 0:
                field.mark(cells, strengths, None if radius is None else checks.positive("radius", radius), *shape)
            else:
                sizes = checks.numbers("radius", radius, len(cells))
                checks.positive("radius", float(sizes.min(initial=1.0)))
                for size in np.unique(sizes)[::-1].tolist():  # one that is too large is refused before anything is marked
                    own = sizes == size
                    field.mark(cells[own], None if strengths is None else strengths[own], size, *shape)
            self._version += 1

    def _masked(self, mask: NDArray[np.bool_], amounts: ArrayLike | None) -> tuple[NDArray[np.int64], ArrayLike | None]:
        """The open cells of a mask, and the amounts for them."""
        if mask.shape != self.space.shape:
            raise InvalidValue(
                "A mask has the shape of the layer's values",
                got=f"{mask.shape} for a map of {self.space.shape}",
                remedy="Pass what fc.visible gives on this space, or (x, y) positions",
            )
        chosen = mask & ~self.space.walls
        weights = None if amounts is None else checks.array("amounts", amounts)
        if weights is not None and weights.shape == mask.shape:
            amounts = weights[chosen]
        return np.flatnonzero(chosen), amounts

    def memory(self) -> dict[str, Any]:
        """All that a layer with `Fade` remembers, as arrays and whole numbers: for games that keep it in a state or a save of their own.

        `recall` goes on from there, bit for bit.
        """
        with self._guard:
            field = self._remembering("memory()")
            self._catch_up()
            return {"ticks": self._ticks, "due": self._due, **field.moments()}

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Remember what `memory` gave, of this layer or of another with the same `Fade` on the same map, in place of all else.

        Raises `InvalidValue` for anything else; then nothing has changed.
        """
        with self._guard:
            field = self._remembering("recall()")
            self._catch_up()
            try:
                ticks, due = (checks.whole(name, memory[name]) for name in ("ticks", "due"))
                field.remember(memory)
            except (KeyError, TypeError, ValueError) as error:
                raise InvalidValue(
                    "recall() takes what memory() gave", got=str(error)[:80], remedy="Pass that, on the same map with the same Fade"
                ) from error
            self._ticks, self._due = ticks, due
            self._version += 1

    def _remembering(self, verb: str) -> FadeField:
        if not isinstance(self._field, FadeField):
            raise InvalidValue(
                f"{verb} is for layers with fc.Fade",
                got=f"layer {self.name!r} with {type(self._propagation).__name__}",
                remedy="Use deposit() or add_source(), or add a layer with fc.Fade()" if verb == "mark()" else "Use copy() of the map",
            )
        return self._field

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The vectors of a layer with `Trail(vector=True)`: a read-only view of shape (height, width, 2), (x, y) in world axes."""
        field = self._field
        if not isinstance(field, TrailField) or not field.trail.vector:
            raise InvalidValue(
                "Vectors are those of a layer with fc.Trail(vector=True)",
                got=f"layer {self.name!r} with {self._propagation}",
                remedy="Read layer.values",
            )
        view = field.vectors
        view.flags.writeable = False
        return view

    def stamp(
        self,
        stamp: Stamp,
        positions: ArrayLike,
        amounts: ArrayLike = 1.0,
        *,
        rotations: ArrayLike = 0.0,
        scales: ArrayLike = 1.0,
        how: str = "nearest",
        blend: str = "add",
        outside: str = "refuse",
    ) -> None:
        """Put a stamp at each position, times an amount: thousands in one call.

        On a layer that carries an array of its own this shows at once; on one with `Trail` at the next update. Sums are
        kept in whole multiples of 2**-24, so that stamps add up in any order to the same bits.

        Parameters
        ----------
        stamp: what is put there, see `fieldcraft.Stamp`.
        positions: one (x, y) pair or an (N, 2) array of world positions; walls are allowed, though trails hold nothing there.
        amounts: one number or N, within +-2**20; on a layer of vectors one (x, y) or an (N, 2) array.
        rotations: degrees from the x axis towards the y axis, one or N. Each different pair of rotation and scale is cut out once
            and kept: round headings to a few dozen directions if there are thousands.
        scales: one or N, above 0.
        how: "nearest" puts the stamp's centre on that of the position's cell; "bilinear" at the position itself, its weights divided among
            the cells whose centres lie around them.
        blend: "add"; "max", the larger magnitude stays, the positive one of equals; or "replace", the stamp of the last position
            stays where weights are not 0. On a trail they blend with what has come since the last update.
        outside: "refuse" positions off the map, "clamp" them to the rim, or "cut" off what lies beyond it.

        A stamp may be larger than the map; where the map wraps, it reaches at most as far as its longer side.

        Raises `OutsideMap` or `InvalidValue`; then nothing has changed.
        """
        with self._guard:
            field = self._field
            if field is not None and not isinstance(field, TrailField):
                raise InvalidValue(
                    "stamp() is for layers with fc.Trail, or with an array of their own",
                    got=f"layer {self.name!r} with {type(self._propagation).__name__}",
                    remedy="Use imap.add_layer(name, values=array), or fc.Trail()",
                )
            if not isinstance(stamp, Stamp):
                raise InvalidValue("A stamp is a fieldcraft.Stamp", got=repr(stamp), remedy="Pass fc.Stamp.disc(radius), say")
            self._catch_up()
            space = grid_of(self.space, "stamp()")
            points, _ = checks.positions(positions)
            if checks.choice("outside", outside, ("refuse", "clamp", "cut")) == "refuse":
                try:
                    space.cell_at(points)
                except OutsideMap as error:
                    remedy = 'Mend the position, or pass outside="cut" for what lies on the map, or "clamp" for its rim'
                    raise OutsideMap(error.rule, got=error.got, remedy=remedy) from None
            elif outside == "clamp" and not space.wrap:
                rim = np.array(space.origin)
                points = np.clip(points, rim, np.nextafter(rim + space.size, rim))
            turns = checks.numbers("rotations", rotations, len(points))
            sizes = checks.numbers("scales", scales, len(points))
            if (sizes <= 0).any():
                raise InvalidValue("scales are above 0", got=f"{sizes.min():g}", remedy="Pass factors above 0")
            between = checks.choice("how", how, ("nearest", "bilinear")) == "bilinear"
            mode = checks.choice("blend", blend, tuple(BLENDS))
            parts = self._parts(field, amounts, len(points))
            blots = Blots(space, stamp, points, rotations=turns, scales=sizes, between=between)
            if isinstance(field, TrailField):
                field.stamp(blots, parts, mode)
                return
            canvas = Canvas.of(space, self._own) if self._canvas is None else self._canvas
            canvas.book(parts, blots.peak)
            canvas.blit(blots, parts, mode)
            canvas.publish(self._own)
            self._canvas = canvas
            self._version += 1

    def deposit_at(self, cells: NDArray[np.int64], amounts: ArrayLike = 1.0) -> None:
        """Deposit on a layer with `Trail` by cell ids, (N,): what agents who know their cells do each step.

        `amounts` as in `deposit`. Raises `OutsideMap`, `OnWall` or `InvalidValue`; then nothing has changed.
        """
        with self._guard:
            field = self._field
            if not isinstance(field, TrailField):
                raise InvalidValue(
                    "deposit_at() is for layers with fc.Trail", got=f"layer {self.name!r} with {self._propagation}", remedy="Use deposit()"
                )
            self._catch_up()
            places = np.asarray(cells)
            if places.ndim != 1 or (places.dtype.kind not in "iu" and len(places)):
                raise InvalidValue(
                    "Cells are whole numbers, (N,)", got=f"{places.dtype} of shape {places.shape}", remedy="Pass walkers.cells"
                )
            if len(places) and (places.min() < 0 or places.max() >= len(self.space)):
                raise OutsideMap(
                    f"Cells lie in 0 to {len(self.space) - 1}", got=f"{places.min()} to {places.max()}", remedy="Use cell_at()"
                )
            places = places.astype(np.int64, copy=False)
            if self.space.walls.reshape(-1)[places].any():
                raise OnWall("Deposits are made on open ground", got="cells of walls", remedy="Leave these out")
            field.deposit(places, self._parts(field, amounts, len(places)))

    def _leave(self, field: TrailField, positions: ArrayLike, amounts: ArrayLike, *, on_wall: str, outside: str) -> None:
        """Deposit on a trail."""
        self._catch_up()
        points, cells = place(self.space, positions, on_wall=on_wall, outside=outside, walls_allowed=False)
        field.deposit(cells, self._parts(field, amounts, len(points)))

    def _parts(self, field: TrailField | None, amounts: ArrayLike, count: int) -> NDArray[np.float64]:
        """Amounts as (N,), or as (N, 2) for vectors."""
        if field is None or not field.trail.vector:
            return checks.numbers("amounts", amounts, count)
        given = checks.array("amounts", amounts).shape
        if given not in ((2,), (count, 2)) and not (count == 0 and given == (0,)):
            raise InvalidValue(
                "amounts of a layer of vectors are one (x, y), or one per position",
                got=f"shape {given} for {count} positions",
                remedy=f"Pass (x, y), or an array of shape ({count}, 2)",
            )
        pairs, single = checks.positions(amounts, what="Amounts")
        if single:
            pairs = np.repeat(pairs, count, axis=0)
        return pairs

    def _own_state(self) -> dict[str, NDArray[Any]]:
        """The array of a layer without propagation, and the sums behind it if it was stamped."""
        return {"values": self._own} if self._canvas is None else {"values": self._own, "sums": self._canvas.sums}

    def _restore_own(self, arrays: dict[str, NDArray[Any]]) -> None:
        self._own[:] = arrays["values"]
        if "sums" in arrays:
            sums = arrays["sums"]
            if sums.dtype != np.int64 or sums.shape != self._own.shape:
                raise ValueError(f"sums of {sums.dtype} and shape {sums.shape}")
            self._canvas = Canvas(grid_of(self.space, "stamp()"))
            self._canvas.restore(sums)
