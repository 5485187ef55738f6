"""Layers that remember marks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import IfOnWall, IfOutside, Metric
from fieldcraft.layers.propagated_layer import PropagatedLayer
from fieldcraft.layers.propagation.propagation import RememberingField
from fieldcraft.layers.propagation.radial.radial import METRICS
from fieldcraft.layers.sources.falloff import Falloff, FalloffLike
from fieldcraft.layers.steps import Steps
from fieldcraft.space.cells import condition
from fieldcraft.space.labeled_arrays import unlabeled
from fieldcraft.space.sight.viewers import check_need_of_sight, checked_heights


class MemoryLayer(PropagatedLayer, kind="memory"):
    """A layer with `Fade`: takes marks, which fade."""

    _instead = "Call layer.mark() wherever something is known, or add a layer of that kind"
    steps: Steps[RememberingField]

    def mark(
        self,
        positions: ArrayLike,
        amounts: ArrayLike | None = None,
        *,
        radius: ArrayLike | None = None,
        falloff: FalloffLike = "constant",
        metric: Metric = "connected",
        heights: ArrayLike | None = None,
        eye: float = 1.0,
        on_wall: IfOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Mark cells, or the ground around them: visible at once, and fading from then on.

        A mark never lowers a value.

        Parameters
        ----------
        positions : array_like
            One (x, y) pair or an (N, 2) array of world positions; or a mask, bool in the shape of
            `values`, such as `visible` returns: N is then the number of cells that are True. Walls
            are not marked.
        amounts : float or array_like, optional
            At least 0: one number, or N; with a mask also an array in its shape. Capped at the
            layer's `maximum`, which is the default.
        radius : float or array_like, optional
            World units, above 0, around the center of the position's cell; one, or N. By default
            the cell alone.
        falloff : object, optional
            The share of the amount by distance: anything that `Falloff.of` takes.
        metric : str, optional
            How distance is measured, as for `Radial`: "straight", "connected", "path", or "sight"
            for a field of view; on a graph of waypoints all vertices are visible.
        heights, eye
            Ground that hides cells from a field of view, as in `visible`; with `metric="sight"`.
        on_wall : str, optional
            "refuse" a position on a wall, or use the "nearest" open cell.
        outside : str, optional
            "refuse" a position off the map, or "clamp" it to the rim.

        Raises
        ------
        OutsideMap
            If a position is outside the map.
        OnWall
            If a position is in a wall.
        InvalidValue
            If an argument has a wrong value, shape or type; then nothing has changed.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(5, 1))
        >>> seen = imap.add_layer("seen", fc.Fade(amount=1.0, interval=1.0, maximum=8.0))
        >>> seen.mark((2.5, 0.5), radius=1.0, falloff=[1.0, 0.5])
        >>> imap.advance(2.0, max_steps=20).is_late
        False
        >>> seen.values
        array([[0., 2., 6., 2., 0.]], dtype=float32)
        """
        with self.steps.lock:
            field = self.steps.field
            self.steps.catch_up()
            given = unlabeled(self.space, condition(self.space, "A mask", positions))
            mask = None
            if isinstance(given, (np.ndarray, list)):
                mask = checks.array("Positions", given)
            if mask is not None and mask.dtype == np.bool_ and mask.size:
                cells, amounts = self._masked(mask, amounts)
            elif (
                mask is not None and mask.shape == self.space.shape and mask.shape[-1] not in (2, 3)
            ):
                raise InvalidValue(
                    "A mask is bool",
                    got=f"{mask.dtype} of shape {mask.shape}",
                    remedy="Pass mask > 0, or (x, y) positions",
                )
            else:
                cells = self._open_cells(positions, on_wall, outside)
            strengths = None
            if amounts is not None:
                strengths = checks.amounts("amounts", amounts, len(cells)).astype(np.float64)
                if (strengths < 0).any():
                    raise InvalidValue(
                        "amounts are at least 0",
                        got=f"{strengths.min():g}",
                        remedy="Marks fade by themselves",
                    )
            sight = checks.choice("metric", metric, METRICS) == "sight"
            check_need_of_sight(heights, sight, f"metric={metric!r}", 'Pass metric="sight"')
            over = checked_heights(self.space, heights, eye)
            shape = (Falloff.of(falloff), metric, over)
            if radius is None:
                field.mark(cells, strengths, None, *shape)
            elif checks.array("radius", radius).ndim == 0:
                field.mark(cells, strengths, checks.positive("radius", radius), *shape)
            else:
                sizes = checks.positives("radius", radius, len(cells))
                # The largest first: one that is too large is refused before anything is marked.
                for size in np.unique(sizes)[::-1].tolist():
                    own = sizes == size
                    some = strengths
                    if strengths is not None:
                        some = strengths[own]
                    field.mark(cells[own], some, size, *shape)
            self.steps.changes += 1

    def deposit(
        self,
        positions: ArrayLike,
        amounts: ArrayLike = 1.0,
        *,
        on_wall: IfOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Add to the values of cells at once; they stay within 0 and the layer's maximum.

        Parameters
        ----------
        positions, amounts, on_wall, outside
            As for `SpreadLayer.deposit`.
        """
        with self.steps.lock:
            cells = self._open_cells(positions, on_wall, outside)
            self.steps.field.add(cells, checks.amounts("amounts", amounts, len(cells)))
            self.steps.changes += 1

    def _masked(
        self, mask: NDArray[np.bool_], amounts: ArrayLike | None
    ) -> tuple[NDArray[np.int64], ArrayLike | None]:
        """Return the open cells of a mask, and the amounts for them."""
        chosen = checks.shaped("Masks", mask, self.space.shape, "b") & ~self.space.walls
        if amounts is not None:
            weights = checks.array("amounts", amounts)
            if weights.shape == mask.shape:
                amounts = weights[chosen]
        return np.flatnonzero(chosen), amounts
