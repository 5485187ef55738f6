"""Questions to a layer against what one writes with SciPy and NumPy.

What is required is judged against `scipy.ndimage.map_coordinates(order=1)`, which gets its
coordinates ready made, as rows and columns of cells; fieldcraft starts from world positions, finds
those off the map, and keeps what lies behind walls out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

import fieldcraft as fc
from bench.race import race, repeats, say
from bench.table import Report, Table, at_least, at_most, milliseconds, target, times
from fieldcraft import query

AGENTS = 10_000
REQUIRED = 3.0
SEED = 20231118


@dataclass
class Field:
    """Values on a space, as questions take them."""

    space: fc.Grid
    values: NDArray[np.float32]


@dataclass
class Contest:
    """One question, asked in two ways that must give one answer; `tolerance` None where SciPy knows
    no walls.
    """

    title: str
    own: Callable[[], Any]
    other: Callable[[], Any]
    other_name: str
    required: float | None = None
    calls: int = 20
    rounds: int = 60
    tolerance: float | None = 0.0


def hills(size: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Random heights 16 cells apart with straight slopes in between, most of them above 0."""
    return (ndimage.zoom(rng.normal(size=(size // 16, size // 16)), 16, order=1) + 0.3).astype(
        np.float32
    )


def contests() -> list[Contest]:
    """All that is asked."""
    found = []
    rng = np.random.default_rng(SEED)
    for size, walled in ((512, False), (2048, False), (512, True)):
        title = f"{AGENTS:,} bilinear samples, {size} x {size}"
        peer = "map_coordinates(order=1)"
        if walled:
            title += ", a fifth walls"
            peer += ", which leaks"
            grid = fc.Grid(size, size, walls=rng.random((size, size)) < 0.2)
        else:
            grid = fc.Grid(size, size)
        field = Field(grid, hills(size, rng))
        points = 0.5 + rng.random((AGENTS, 2)) * (size - 1)
        ready = np.ascontiguousarray(points.T[::-1] - 0.5)
        found.append(
            Contest(
                title,
                partial(query.sample, field, points, how="bilinear"),
                partial(ndimage.map_coordinates, field.values, ready, order=1),
                peer,
                required=None if walled else REQUIRED,
                tolerance=None if walled else 1e-5,
            )
        )
    size = 512
    field = Field(fc.Grid(size, size), hills(size, rng))
    points = 0.5 + rng.random((AGENTS, 2)) * (size - 1)
    found += [
        Contest(
            f"{AGENTS:,} gradients, {size} x {size}",
            partial(query.gradient, field, points),
            partial(gradients, field.values, points),
            "np.gradient, then its cells",
            tolerance=1e-5,
        ),
        Contest(
            f"{AGENTS:,} times the best cell within 9 cells",
            lambda: query.best(field, points, 9.0).value,
            partial(best_in_slices, field.values, points, 9.0),
            "a slice and argmax per agent",
            calls=1,
            rounds=3,
        ),
        Contest(
            f"peaks of {size} x {size}",
            lambda: np.sort(query.peaks(field, threshold=0.5).values),
            partial(peaks, field.values, 0.5),
            "maximum_filter",
            calls=1,
            rounds=20,
        ),
        Contest(
            f"regions of {size} x {size}, labels, areas, totals, peaks",
            lambda: query.regions(field, 0.5).totals,
            partial(regions, field.values, 0.5),
            "label, bincount, maximum_position",
            calls=1,
            rounds=20,
            tolerance=1e-6,
        ),
    ]
    return found


def gradients(values: NDArray[np.float32], points: NDArray[np.float64]) -> NDArray[np.float32]:
    """The slopes of the whole map, then those of the agents' cells."""
    down, right = np.gradient(values)
    rows, columns = points[:, 1].astype(int), points[:, 0].astype(int)
    return np.stack([right[rows, columns], down[rows, columns]], axis=1)


def best_in_slices(
    values: NDArray[np.float32], points: NDArray[np.float64], radius: float
) -> NDArray[np.float32]:
    """The highest value within a radius of each agent, one after the other."""
    height, width = values.shape
    found = np.empty(len(points), np.float32)
    for i, (x, y) in enumerate(points.tolist()):
        left = max(int(x - radius), 0)
        right = min(int(x + radius) + 1, width)
        top = max(int(y - radius), 0)
        bottom = min(int(y + radius) + 1, height)
        away = (np.arange(left, right) + 0.5 - x) ** 2 + ((np.arange(top, bottom) + 0.5 - y) ** 2)[
            :, np.newaxis
        ]
        found[i] = np.where(away <= radius * radius, values[top:bottom, left:right], -np.inf).max()
    return found


def peaks(values: NDArray[np.float32], threshold: float) -> NDArray[np.float32]:
    """The values of the cells that are the highest among their four neighbors."""
    highest = ndimage.maximum_filter(
        values, footprint=ndimage.generate_binary_structure(2, 1), mode="nearest"
    )
    return np.sort(values[(values == highest) & (values > threshold)])


def regions(values: NDArray[np.float32], threshold: float) -> NDArray[np.float64]:
    """The sums of the connected regions, the largest first; their sizes and peaks are found as
    well.
    """
    labels, count = ndimage.label(values > threshold)
    flat = labels.reshape(-1)
    np.bincount(flat, minlength=count + 1)
    ndimage.maximum_position(values, labels, np.arange(1, count + 1))
    return np.sort(np.bincount(flat, weights=values.reshape(-1), minlength=count + 1)[1:])[::-1]


def run(quick: bool) -> Report:
    """The table of this suite."""
    report = Report()
    fc.warm_up()
    columns = (
        "question",
        "best ms",
        "median ms",
        "against",
        "its best ms",
        "fieldcraft is, best",
        "median",
        "required",
        "verdict",
    )
    table = Table("Questions", columns)
    for contest in contests():
        say(f"bench query: {contest.title}")
        own = np.asarray(contest.own())
        other = np.asarray(contest.other())
        if contest.tolerance is not None and not np.allclose(
            own, other, rtol=0, atol=contest.tolerance
        ):
            if own.shape == other.shape:
                worst = np.abs(own - other).max()
            else:
                worst = f"shapes {own.shape} and {other.shape}"
            report.wrong.append(
                f"{contest.title}: differs from {contest.other_name} by {worst}, allowed"
                f" {contest.tolerance}"
            )
        rounds = repeats(quick, 2, contest.rounds)
        took = race(
            {
                name: (lambda: None, partial(repeat, ask, contest.calls))
                for name, ask in (("own", contest.own), ("other", contest.other))
            },
            contest.calls,
            {"own": rounds, "other": rounds},
        )
        ratio = took["other"].best / took["own"].best
        table.add(
            contest.title,
            milliseconds(took["own"].best),
            milliseconds(took["own"].median),
            contest.other_name,
            milliseconds(took["other"].best),
            times(ratio),
            times(took["other"].median / took["own"].median),
            target(contest.required),
            at_least(ratio, contest.required),
        )
    report.tables += [table, calls(quick)]
    return report


def calls(quick: bool) -> Table:
    """What a call for one position takes, and a picture, on the map of a small game."""
    say("bench query: calls for one position")
    fc.warm_up()
    rng = np.random.default_rng(SEED)
    walls = rng.random((256, 256)) < 0.2
    walls[96:160, 96:160] = False
    grid = fc.Grid(256, 256, walls=walls, neighbors=8)
    imap = fc.InfluenceMap(grid)
    layer, plain = (
        imap.add_layer(name, fc.Spread(0.1, 0.4)) for name in ("threat", "values alone")
    )
    layer.add_sources(((120.5, 120.5), (130.5, 110.5), (100.5, 150.5)), strengths=5.0)
    imap.step(60)
    plain.write(layer.values)
    here = (118.5, 122.5)
    there = (125.5, 119.5)
    asked: dict[str, tuple[Callable[[], Any], float]] = {
        "best(layer, position, 5)": (partial(fc.best, layer, here, 5.0), 25),
        "sees(grid, position, position, 30)": (partial(fc.sees, grid, here, there, 30.0), 20),
        "layer.sample(position)": (partial(layer.sample, here), 25),
        "view.frame(layer) of 1024 x 1024 pixels": (partial(fc.view.frame, plain), 1500),
        "the same with three marked sources": (partial(fc.view.frame, layer), 1500),
    }
    steps = {name: 4 if most > 100 else 200 for name, (_, most) in asked.items()}
    table = Table(
        "Calls for one position, and a picture, on 256 x 256",
        ("call", "best us", "median us", "allowed us", "verdict"),
    )
    for name, (ask, most) in asked.items():
        ask()
        took = race(
            {name: (lambda: None, partial(repeat, ask, steps[name]))},
            steps[name],
            {name: repeats(quick, 5, 100)},
        )[name]
        table.add(
            name,
            f"{took.best * 1e6:.1f}",
            f"{took.median * 1e6:.1f}",
            f"{most:g}",
            at_most(took.best * 1e6, most),
        )
    return table


def repeat(ask: Callable[[], Any], calls: int) -> None:
    """Ask some times in a row."""
    for _ in range(calls):
        ask()
