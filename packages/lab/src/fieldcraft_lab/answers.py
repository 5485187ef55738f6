"""Answers to queries of a page: values and the sources that contribute to them, what would change
them, the best places near, and drawings over a map.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import FieldcraftError, InvalidValue
from fieldcraft.layers import SourceLayer
from fieldcraft.query import Explanation, best, explain, gradient, peaks, regions, worst
from fieldcraft.query.question import Question
from fieldcraft.space import Grid, Space
from fieldcraft.space.regions import Regions
from fieldcraft.values.operand import Operand
from fieldcraft.view.picture_parts import outlines
from fieldcraft_lab.controls import controls
from fieldcraft_lab.live import Live
from fieldcraft_lab.protocol import Ask, Best, Probe, Sensitivity

_MOST_BARS = 8
_LARGEST = 3.4e38
_LEVELS = 6
_ARROWS = 24
_MOST_REGIONS = 24
_FINE = 3  # samples of a cell along each side, for outlines
_MOST_CANDIDATES = 3000


def answered(
    message: Probe | Sensitivity | Best | Ask, live: Live, map_of: Callable[[Live, str], Operand]
) -> dict[str, Any]:
    """Return the answer to a query about a world; `map_of` returns a map by its name or formula."""
    if isinstance(message, Sensitivity):
        return {"sensitivity": sensitivity(live, message.map, message.position)}
    if isinstance(message, Ask):
        return {"question": question_answer(live, message.text, message.position)}
    operand = map_of(live, message.map)
    if isinstance(message, Probe):
        return {"probe": probe(live, operand, message.position, message.map)}
    return {"best": best_places(operand, message.position, message.radius, lowest=message.lowest)}


def probe(
    live: Live, operand: Operand, position: tuple[float, ...], name: str = ""
) -> dict[str, Any]:
    """Return the values of all maps at a position, and the sources or units that contribute to the
    value of `operand`, the strongest first. `name` is its name, if it has one.
    """
    space = live.space
    place = _place(space, position)
    cell = int(np.asarray(space.cell_at([place], outside="clamp"))[0])
    center = np.asarray(space.position_of(cell)).tolist()
    values = {name: _value(each, place) for name, each in live.maps.items()}
    found: dict[str, Any] = {
        "cell": cell,
        "position": center,
        "where": space.describe(cell),
        "wall": bool(space.walls.reshape(-1)[cell]),
        "values": values,
        "value": _value(operand, place),
    }
    kinds = live.kinds().get(name)
    if kinds is not None:
        return {**found, **_by_kinds(live, [kind for kind, _ in kinds], place)}
    units = live.units_near(name, tuple(center))
    if units is not None:
        return {**found, "bars": [], "maps": [], "units": units}
    return {**found, **_explained(live, operand, place)}


def _place(space: Space, position: tuple[float, ...]) -> NDArray[np.float64]:
    """Return a position of a page in all dimensions: on a 3D graph the nearest vertex seen from
    above.
    """
    if space.dimensions < 3:
        return np.asarray(position[: space.dimensions])
    gaps = space.positions[:, :2] - np.asarray(position[:2])
    return np.asarray(space.positions[(gaps**2).sum(axis=1).argmin()])


def _explained(live: Live, operand: Operand, place: NDArray[np.float64]) -> dict[str, Any]:
    """Return the sources and maps that contribute to a value as bars, or the reason why there are
    none.
    """
    try:
        found = explain(operand, tuple(place.tolist()), outside="clamp")
    except FieldcraftError as error:
        return {"bars": [], "maps": [], "why": str(error)}
    return {
        **_bars(live, found),
        "maps": [
            _of_map(live, part.name, part.value, part.amount, part.explanation)
            for part in found.maps
        ],
        "remainder": found.remainder,
        "remainder_is": found.remainder_is,
    }


def _by_kinds(live: Live, names: list[str], place: NDArray[np.float64]) -> dict[str, Any]:
    """Return the layers of kinds, such as teams, the strongest first: the first one owns a cell."""
    found = [explain(live.maps[name], tuple(place.tolist()), outside="clamp") for name in names]
    found.sort(key=lambda each: -abs(each.value))
    maps = [_of_map(live, each.name, each.value, each.value, each) for each in found]
    return {"bars": [], "others": 0, "maps": maps, "remainder": 0.0, "remainder_is": ""}


def _of_map(
    live: Live, name: str, value: float, amount: float, explanation: Explanation | None
) -> dict[str, Any]:
    """Return the part of a map in the value of another, with the bars of its own sources."""
    found: dict[str, Any] = {"name": name, "value": _finite(value), "amount": _finite(amount)}
    if explanation is None:
        return {**found, "bars": [], "others": 0}
    return {**found, **_bars(live, explanation)}


def _bars(live: Live, explanation: Explanation) -> dict[str, Any]:
    """Return the strongest sources of an explanation."""
    bars = []
    for part in explanation.contributions[:_MOST_BARS]:
        if part.key is None:
            name = live.name_of(explanation.name, part.source)
        else:
            name = str(part.key)
        bars.append(
            {
                "source": part.source,
                "position": [_number_or_none(each) for each in part.position],
                "strength": _number_or_none(part.strength),
                "amount": part.amount,
                "name": name,
            }
        )
    return {"bars": bars, "others": len(explanation.contributions) - len(bars)}


def _number_or_none(value: float) -> float | None:
    """Return a number; None for NaN, which JSON cannot hold."""
    if math.isnan(value):
        return None
    return value


def _value(operand: Operand, place: NDArray[np.float64]) -> float:
    """Return the value of a map at a position."""
    values = np.asarray(operand.sample([place.tolist()], outside="clamp"))
    return _finite(float(values.reshape(-1)[0]))


def _finite(value: float) -> float:
    """Return a number that JSON can hold."""
    if math.isnan(value):
        return 0.0
    return min(max(value, -_LARGEST), _LARGEST)


def sensitivity(live: Live, name: str, position: tuple[float, ...]) -> dict[str, Any]:
    """Return the settings of a layer, and the sources that reach a position, with the value that
    each change would lead to there, the largest change first.

    Each is tried at 2/3 and at 3/2 of its value on a copy of the world, whose layer is settled.
    Raises `InvalidValue` for maps that are no layers with sources.
    """
    imap = live.imap
    layer: Any = None
    if imap is not None and name in imap:
        layer = imap[name]
    if imap is None or not isinstance(layer, SourceLayer):
        raise InvalidValue(
            "Only a layer with sources has parameters and sources to change",
            got=repr(name),
            remedy="Show a layer that takes sources",
        )
    place = np.asarray(position)[: live.space.dimensions]

    def end(tuned: dict[str, float], strengths: dict[int, float]) -> float:
        twin: Any = imap.copy()[name]
        if tuned:
            twin.tune(**tuned)
        for source, strength in strengths.items():
            twin.source(source).strength = strength
        twin.settle()
        return _value(twin, place)

    now = end({}, {})
    found = []
    for control in controls(imap, layer):
        value = control["value"]
        if control["kind"] != "number" or value is None or control["name"] == "every":
            continue
        for factor in (2 / 3, 1.5):
            if value:
                to = _rounded(control, value * factor)
            else:
                to = _rounded(control, 0.1 * control["high"])
            if to != value:
                after = end({control["name"]: to}, {})
                found.append({"name": control["name"], "from": value, "to": to, "value": after})
    for part in explain(layer, tuple(place.tolist()), outside="clamp").contributions[:2]:
        if part.key is None and math.isfinite(part.strength):
            to = part.strength / 2
            after = end({}, {part.source: to})
            named = live.name_of(name, part.source) or f"source {part.source & 0xFFFFFFFF}"
            change = {"name": f"strength of {named}", "source": part.source}
            found.append({**change, "from": part.strength, "to": to, "value": after})
    found = [each for each in found if abs(each["value"] - now) > 1e-6 * max(abs(now), 1e-6)]
    found.sort(key=lambda each: -abs(each["value"] - now))
    return {"now": now, "sensitivity": found[:_MOST_BARS]}


def _rounded(control: dict[str, Any], value: float) -> float:
    """Return the nearest value that a control allows."""
    low = control["low"]
    step = control["step"]
    if step:
        value = low + round((value - low) / step) * step
    value = min(max(value, low), control["high"])
    if isinstance(control["value"], int):
        return int(value)
    return float(f"{value:.4g}")


def best_places(
    operand: Operand, position: tuple[float, ...], radius: float, *, lowest: bool
) -> dict[str, Any]:
    """Return the five best places near a position, a few cells apart, the best first."""
    space = operand.space
    cell = space.nearest_open(space.cell_at(position, outside="clamp"))
    center = tuple(space.position_of(cell).tolist())
    spacing = min(radius / 3, 3 * space.typical_step)
    if lowest:
        found = worst(operand, center, radius, count=5, spacing=spacing)
    else:
        found = best(operand, center, radius, count=5, spacing=spacing)
    there = np.asarray(found.cells) >= 0
    places = np.asarray(found.positions)[there]
    values = np.asarray(found.values, dtype=np.float64)[there]
    return {"places": places.tolist(), "values": values.tolist(), "from": center, "radius": radius}


def question_answer(live: Live, text: str, position: tuple[float, ...]) -> dict[str, Any]:
    """Return the candidates of the first question of a TOML text with their scores, the chosen
    places, and the explanation.

    `me` is the position, and the name of a layer stands for the positions of its sources.
    """
    imap = live.imap
    space = live.space
    given: dict[str, Any] = {}
    if imap is not None:
        for name, layer in imap.layers.items():
            if isinstance(layer, SourceLayer):
                given[name] = layer.sources.positions
    cell = np.asarray(space.cell_at([_place(space, position)], outside="clamp"))
    given["me"] = space.position_of(space.nearest_open(cell))[0]
    given["teams"] = getattr(getattr(live, "world", None), "teams", None)
    maps: Any = SimpleNamespace(space=space, layers=live.maps)
    question = next(iter(Question.read("question.toml", text=text).values()))
    answer = question.ask(maps, rng=np.random.default_rng(0), **given)
    found = answer.explain()
    rows = np.argsort(~found.left, kind="stable")[:_MOST_CANDIDATES]
    scores = [_number_or_none(round(score, 6)) for score in found.scores[rows]]
    parts = np.nan_to_num(found.parts[rows]).round(6).tolist()
    return {
        "name": found.name,
        "me": given["me"].tolist(),
        "places": np.round(found.positions[rows, :2], 3).tolist(),
        "scores": scores,
        "terms": list(found.terms),
        "parts": parts,
        "removed_by": [found.removed_by[row] for row in rows.tolist()],
        "chosen": np.round(answer.positions[:, :2], 3).tolist(),
        "values": np.asarray(answer.chosen.values, dtype=np.float64).round(4).tolist(),
        "text": str(found),
    }


def drawing(what: str, live: Live, operand: Operand, limits: tuple[float, float]) -> dict[str, Any]:
    """Return a drawing over a map as lists in world units, or the reason why there is none."""
    try:
        return DRAWINGS[what](live, operand, limits)
    except FieldcraftError as error:
        return {"why": str(error)}


def _contours(live: Live, operand: Operand, limits: tuple[float, float]) -> dict[str, Any]:
    """Return lines of equal values on a grid of squares."""
    import contourpy

    grid = operand.space
    if not isinstance(grid, Grid):
        return {"why": "Contours are for grids of squares. Show peaks or regions instead."}
    x = grid.positions[: grid.width, 0]
    y = grid.positions[:: grid.width, 1]
    values = np.ma.masked_array(operand.values.astype(np.float64), grid.walls.copy())
    found = contourpy.contour_generator(x=x, y=y, z=values, line_type=contourpy.LineType.Separate)
    low, high = limits
    levels = np.linspace(low, high, _LEVELS + 2)[1:-1].tolist()
    lines: list[Any] = [line for level in levels for line in found.lines(level)]
    return {"lines": [np.round(line, 3).tolist() for line in lines if len(line) > 2][:400]}


def _fronts(live: Live, operand: Operand, limits: tuple[float, float]) -> dict[str, Any]:
    """Return the lines between the ground of hostile teams."""
    found = live.front_lines()
    if found is None:
        return {"why": "Front lines are for recipes with [teams]."}
    return {"lines": [np.round(line[:, :2], 3).tolist() for line in found if len(line) > 1]}


def _flow(live: Live, operand: Operand, limits: tuple[float, float]) -> dict[str, Any]:
    """Return arrows along which a map rises."""
    space = operand.space
    low = space.extent[0][:2]
    high = space.extent[1][:2]
    pitch = float((high - low).max()) / _ARROWS
    if space.dimensions == 2:
        axes = [np.arange(a + pitch / 2, b, pitch) for a, b in zip(low, high, strict=True)]
        places = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
        cells = np.asarray(space.cell_at(places, outside="clamp"))
    else:
        cells = np.linspace(0, len(space) - 1, min(len(space), _ARROWS**2)).astype(np.int64)
    cells = cells[~space.walls.reshape(-1)[cells]]
    places = space.position_of(cells)
    arrows = np.asarray(gradient(operand, places))
    size = float(np.hypot(arrows[:, 0], arrows[:, 1]).max(initial=0.0)) or 1.0
    ends = places[:, :2] + arrows[:, :2] * (0.8 * pitch / size)
    pairs = np.concatenate([places[:, :2], ends], axis=1)
    is_visible = np.hypot(arrows[:, 0], arrows[:, 1]) > 0.02 * size
    return {"arrows": np.round(pairs[is_visible], 3).tolist()}


def _peaks(live: Live, operand: Operand, limits: tuple[float, float]) -> dict[str, Any]:
    """Return the highest places of a map."""
    found = peaks(operand, 12, spacing=4 * operand.space.typical_step)
    return {
        "points": np.round(found.positions, 3).tolist(),
        "values": np.asarray(found.values, dtype=np.float64).round(4).tolist(),
    }


def _regions(live: Live, operand: Operand, limits: tuple[float, float]) -> dict[str, Any]:
    """Return the connected parts of a map above a value, with the lines around them."""
    low, high = limits
    if low < 0:
        least = 0.0
    else:
        least = low + 0.25 * (high - low)
    found = regions(operand, least)
    if operand.space.sight_grid is operand.space or (
        operand.space.dimensions == 2 and outlines(operand.space)[0] is not None
    ):
        unit = "square units"
    else:
        unit = "vertices"
    named = [
        {
            "center": np.round(each.center, 3).tolist(),
            "area": each.area,
            "total": each.total,
            "peak": each.peak_value,
        }
        for each in list(found)[:_MOST_REGIONS]
    ]
    return {"regions": named, "least": least, "unit": unit, "lines": _outlines_of(found)}


def _outlines_of(found: Regions) -> list[Any]:
    """Return the lines around regions of a grid; none on other spaces."""
    import contourpy

    grid = found.space
    if not isinstance(grid, Grid):
        return []
    lines: list[Any] = []
    size = grid.cell_size
    left, top = grid.positions[0, :2].tolist()
    rise = size
    if grid.y_up:
        rise = -size
    for number in range(1, min(len(found), _MOST_REGIONS) + 1):
        inside = np.pad(found.labels == number, 1).repeat(_FINE, axis=0).repeat(_FINE, axis=1)
        # Each cell is several samples wide, so that the line runs along its sides.
        offsets = (np.arange(inside.shape[1]) + 0.5) / _FINE - 1.5
        x = left + size * offsets
        y = top + rise * ((np.arange(inside.shape[0]) + 0.5) / _FINE - 1.5)
        drawn = contourpy.contour_generator(
            x=x, y=y, z=inside.astype(np.float32), line_type=contourpy.LineType.Separate
        )
        around: Any = drawn.lines(0.5)
        lines += [np.round(line, 3).tolist() for line in around]
    return lines


DRAWINGS: dict[str, Callable[[Live, Operand, tuple[float, float]], dict[str, Any]]] = {
    "contours": _contours,
    "fronts": _fronts,
    "flow": _flow,
    "peaks": _peaks,
    "regions": _regions,
}
