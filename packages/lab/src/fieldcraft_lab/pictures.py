"""The painter: maps of live worlds as bytes, drawn once for all pages when they have changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import FieldcraftError
from fieldcraft.layers.teams.share import TeamShare
from fieldcraft.values.formula import formula
from fieldcraft.values.operand import Operand
from fieldcraft.view.palettes import STEPS
from fieldcraft.view.pixels.color_scale import HIDDEN, ColorScale
from fieldcraft_lab.hub import Picture
from fieldcraft_lab.live import Live
from fieldcraft_lab.planes import Plane, Shape, nice
from fieldcraft_lab.protocol import View

WALLS = "#walls"
"""The name of the walls as a map."""
_TEAMS = "#teams"
"""The key of the limits that all teams share, so that their colors can be compared."""


class Side(Protocol):
    """A world that is shown; `restores` counts how often it was replaced by a copy."""

    live: Live
    restores: int


class KindScale:
    """The scale of a map whose values are numbers of kinds, -1 for none."""

    is_signed = False

    def __init__(self, count: int) -> None:
        self.low = 0.0
        self.high = float(count - 1)
        self._rows = np.searchsorted(rows_of_kinds(count), np.arange(count)).astype(np.uint8)

    def index(self, values: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Return the row of the table for each value, `HIDDEN` for none."""
        numbers = values.astype(np.int64)
        return np.where(numbers < 0, HIDDEN, self._rows[numbers]).astype(np.uint8)


class ShareScale:
    """The scale of the share of a team: 0 is ground of others, which is drawn. Values of `NOBODY`
    are not.
    """

    NOBODY = -1e-9

    is_signed = False

    def __init__(self, low: float, high: float) -> None:
        self.low = low
        self.high = high
        self._scale = ColorScale(low, high, None)

    def index(self, values: NDArray[np.float32]) -> NDArray[np.uint8]:
        """Return the row of the table for each value, `HIDDEN` where nobody is."""
        return np.where(values < 0, HIDDEN, self._scale.index(values)).astype(np.uint8)


def rows_of_kinds(count: int) -> NDArray[np.int64]:
    """Return the number of the kind that each row of a table of colors stands for."""
    return np.arange(STEPS) * count // STEPS


Scale = ColorScale | KindScale | ShareScale
Totals = tuple[float, float, float]


class Renderer:
    """Pictures of maps, by view; `pictures` are the newest."""

    def __init__(self) -> None:
        self.pictures: dict[View, Picture] = {}
        self._formulas: dict[tuple[int, str], tuple[Live, Operand]] = {}
        self._spans: dict[str, tuple[float, float]] = {}
        self._planes: dict[Any, Plane] = {}
        # By world and map, with the map's version; a world that is gone takes its totals along.
        self._totals: WeakKeyDictionary[Live, dict[str, tuple[int, Totals]]] = WeakKeyDictionary()

    def forget(self) -> None:
        """Discard all pictures, because sides were replaced."""
        self.pictures = {}
        self._formulas = {}
        self._totals.clear()

    def map_of(self, live: Live, text: str) -> Operand:
        """Return a map by its name or by a formula; raises the errors of `fc.formula`."""
        known = live.maps.get(text)
        if known is not None:
            return known
        cached = self._formulas.get((id(live), text))
        if cached is None or cached[0] is not live:
            if len(self._formulas) > 64:
                self._formulas.clear()
            cached = (live, formula(text, live.maps))
            self._formulas[id(live), text] = cached
        return cached[1]

    def render(self, sides: Mapping[str, Side], views: Iterable[View], shape: Shape) -> bool:
        """Update the pictures of these views; return whether any has changed."""
        before = self.pictures
        for view in dict.fromkeys(views):
            try:
                found = self._rendered(sides, view, shape)
            except FieldcraftError as error:
                found = _empty(str(error))
            if found is not self.pictures.get(view):
                self.pictures = {**self.pictures, view: found}
        return self.pictures is not before

    def _rendered(self, sides: Mapping[str, Side], view: View, shape: Shape) -> Picture:
        old = self.pictures.get(view)
        plane = self._plane(view.region, shape)
        if view.map == WALLS:
            side = sides["a"]
            version: Any = (side.restores, side.live.space.walls_version)
            if old is not None and old.version == version:
                return old
            return Picture(
                version,
                plane.walls(side.live.space.walls),
                {"walls": True, "extent": plane.extent},
            )
        if view.side == "diff":
            if len(sides) < 2:
                return _empty("A difference is that of two sides. Fork the world first.")
            shown = [self.map_of(sides[name].live, view.map) for name in ("a", "b")]
            version = tuple(
                (sides[name].restores, each.version) for name, each in zip("ab", shown, strict=True)
            )
        else:
            if view.side not in sides:
                return _empty("There is one side only. Fork the world first.")
            shown = [self.map_of(sides[view.side].live, view.map)]
            version = (sides[view.side].restores, shown[0].version)
        live = sides["a"].live
        key = _key(view, live)
        if old is not None and old.version == (self._limits(view, key), version):
            return old
        values = shown[0].finite_values()
        if len(shown) == 2:
            values = values - shown[1].finite_values()
        kinds = live.kinds().get(view.map)
        scale: Scale
        if len(shown) == 2:
            scale = self._scale(view, key, values, symmetric=True)
        elif kinds is not None:
            scale = KindScale(len(kinds))
        elif isinstance(shown[0], TeamShare):
            scale = ShareScale(*(view.limits or (0.0, 1.0)))
            values = np.where(shown[0].unknown, np.float32(ShareScale.NOBODY), values)
        else:
            scale = self._scale(view, key, values, symmetric=False)
        meta = {
            "low": scale.low,
            "high": scale.high,
            "below": bool(values.min(initial=0.0) < min(scale.low, 0.0)),
            "above": bool(values.max(initial=0.0) > max(scale.high, 0.0)),
            "extent": plane.extent,
            "signed": scale.is_signed,
        }
        if isinstance(scale, (KindScale, ShareScale)):
            meta["below"] = False
        return Picture(
            (self._limits(view, key), version), self._on(plane, shown[0], values, scale), meta
        )

    def _on(
        self,
        plane: Plane,
        shown: Operand,
        values: NDArray[np.float32],
        scale: Scale,
    ) -> NDArray[np.uint8]:
        space = plane.space
        if values.shape != space.shape:  # coarser cells of a layer's own
            cells = np.asarray(shown.space.cell_at(space.positions, outside="clamp"))
            values = values.reshape(-1)[cells].reshape(space.shape)
        return plane.bytes_of(values, scale)

    def _limits(self, view: View, key: str) -> tuple[float, float] | None:
        """Return the limits of a view: its own, or those that have adapted to the values."""
        return view.limits or self._spans.get(key)

    def _scale(
        self, view: View, key: str, values: NDArray[np.float32], *, symmetric: bool
    ) -> ColorScale:
        if view.limits is not None:
            return ColorScale(*view.limits)
        low, high = self._spans.get(key, (0.0, 0.0))
        least = float(values.min(initial=0.0))
        most = float(values.max(initial=0.0))
        if symmetric:
            most = max(most, -least)
            least = -most
        if least < low:
            low = -nice(-least)
        if most > high:
            high = nice(most)
        self._spans[key] = (low, high)
        if low < high:
            return ColorScale(low, high)
        return ColorScale(0.0, 1.0)

    def _plane(self, region: tuple[float, ...] | None, shape: Shape) -> Plane:
        if region not in self._planes:
            if len(self._planes) > 8:
                self._planes.clear()
            self._planes[region] = shape.plane(region)
        return self._planes[region]

    def totals(self, live: Live) -> dict[str, Totals]:
        """Return the sum, the peak and the covered share of the open cells of each map."""
        found = {}
        known = self._totals.setdefault(live, {})
        open_cells = max(int((~live.space.walls).sum()), 1)
        for name, shown in list(live.maps.items())[:12]:
            cached = known.get(name)
            if cached is None or cached[0] != shown.version:
                values = shown.finite_values()
                if values.shape == live.space.shape:
                    cells = open_cells
                else:
                    cells = max(values.size, 1)
                covered = int(np.count_nonzero(values)) / cells
                peak = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
                cached = (
                    shown.version,
                    (float(values.sum(dtype=np.float64)), peak, min(covered, 1.0)),
                )
                known[name] = cached
            found[name] = cached[1]
        return found


def _key(view: View, live: Live) -> str:
    """Return the key of limits: both sides of a map share them, and so do teams; a difference has
    its own.
    """
    name = view.map
    if any(name == team for team, _ in live.teams()):
        name = _TEAMS
    if view.side == "diff":
        return f"diff {name}"
    return name


def _empty(why: str) -> Picture:
    return Picture(
        ("empty", why),
        np.full((1, 1), 255, dtype=np.uint8),
        {"low": 0.0, "high": 1.0, "why": why, "extent": None},
    )
