"""What things cost a frame: propagations by map size and kind of space, and agents that ask; with a
chart for the docs.

`python -m bench cost` prints the tables and draws out/bench/cost.png (matplotlib). These are times,
not races: they say what fits into a frame on this machine.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import fieldcraft as fc
from bench.race import Times, nothing, race, repeats, say
from bench.table import Report, Table

FRAME = 1 / 60
SIDES = (64, 128, 256, 512, 1024)
AGENTS = (100, 1_000, 10_000, 100_000)
CHART = Path("out/bench/cost.png")
INK = "#e8eaee"
PAPER = "#14161b"
COLORS = ("#4fb3ff", "#ff8a3c", "#7dd66b", "#c792ea", "#ffd24e")


def spaces(side: int) -> dict[str, Callable[[], fc.Space]]:
    """The same square of ground with a fifth of it walled, as the kinds of space that a game may
    choose from.
    """
    walls = np.random.default_rng(side).random((side, side)) < 0.2

    def grid(neighbors: int) -> fc.Grid:
        return fc.Grid(side, side, walls=walls, neighbors=neighbors)

    found: dict[str, Callable[[], fc.Space]] = {
        "grid, 4 neighbors": lambda: grid(4),
        "grid, 8 neighbors": lambda: grid(8),
        "coarse grid, cells 4 wide": lambda: grid(8).coarser(4.0),
        "hex": lambda: fc.HexGrid(side, side, walls=walls),
    }
    if side <= 512:
        found["graph of its cells"] = lambda: grid(8).to_graph()
    return found


def alive(space: fc.Space) -> Any:
    """A map on that space whose cells are all alive, and stay so."""
    imap = fc.InfluenceMap(space)
    layer = imap.add_layer("threat", fc.Spread(decay=1e-3, momentum=0.05))
    layer.write(np.random.default_rng(3).random(space.shape, dtype=np.float32) + 1)
    imap.step(2)
    return imap


def stepping(imap: fc.InfluenceMap, steps: int) -> Callable[[], None]:
    """A batch of single steps, as a game makes them frame by frame."""

    def batch() -> None:
        for _ in range(steps):
            imap.step()

    return batch


def propagations(quick: bool) -> tuple[Table, dict[str, dict[int, float]]]:
    title = (
        "One propagation, all cells alive: milliseconds, and how many fit into a frame of 1/60 s"
    )
    table = Table(title, ["space", *(f"{s} x {s}" for s in SIDES)])
    curves: dict[str, dict[int, float]] = {}
    for side in SIDES[:3] if quick else SIDES:
        for name, make in spaces(side).items():
            say(f"  one propagation: {side} x {side}, {name}")
            imap = alive(make())
            steps = 4 if side > 512 else 32
            times = race(
                {"step": (nothing, stepping(imap, steps))}, steps, {"step": repeats(quick, 3, 15)}
            )
            curves.setdefault(name, {})[side] = times["step"].best
    for name, curve in curves.items():
        table.add(
            name,
            *(
                f"{curve[s] * 1e3:.3g} ({FRAME / curve[s]:,.0f})" if s in curve else ""
                for s in SIDES
            ),
        )
    return table, curves


def asking(side: int, quick: bool) -> dict[str, dict[int, float]]:
    """Seconds in which so many agents get an answer, by question."""
    space = fc.generate_map("cave", side, side, seed=side, neighbors=8)
    imap = fc.InfluenceMap(space)
    threat = imap.add_layer("threat", fc.Radial(12))
    rng = np.random.default_rng(1)
    open_cells = np.flatnonzero(~space.walls)
    threat.add_sources(space.position_of(rng.choice(open_cells, 100)), 1.0)
    imap.step()
    flow = fc.flow_field(
        fc.distance_map(space, space.position_of(open_cells[len(open_cells) // 2]), cost=1 + threat)
    )
    found: dict[str, dict[int, float]] = {}
    for count in AGENTS[:2] if quick else AGENTS:
        at = space.position_of(rng.choice(open_cells, count))
        crowd = fc.steering.Crowd(space, radius=0.3)
        still = np.zeros_like(at)
        runs: dict[str, Callable[[], object]] = {
            "sample": lambda at=at: fc.sample(threat, at, how="bilinear"),
            "where the flow leads": lambda at=at: flow.sample(at),
            "the safest spot within 8": lambda at=at: fc.best(-1.0 * threat, at, 8.0),
            "a step in a crowd": lambda at=at, crowd=crowd, still=still: crowd.step(
                at, still, flow.sample(at), 1 / 60, max_speed=3.0
            ),
        }
        for name, run in runs.items():
            say(f"  {count:,} agents on {side} x {side}: {name}")
            run()
            times: dict[str, Times] = race({name: (nothing, run)}, 1, {name: repeats(quick, 3, 7)})  # type: ignore[dict-item]
            found.setdefault(name, {})[count] = times[name].best
    return found


def run(quick: bool) -> Report:
    """Measure, and draw the chart."""
    report = Report()
    table, curves = propagations(quick)
    report.tables.append(table)
    sides = (128, 512)
    questions = {side: asking(side, quick) for side in sides}
    agents = Table(
        "Agents that ask, milliseconds a frame",
        ["question", *(f"{count:,} on {side}^2" for side in sides for count in AGENTS)],
    )
    for name in questions[sides[0]]:
        agents.add(
            name,
            *(
                f"{questions[s][name][n] * 1e3:.3g}" if n in questions[s][name] else ""
                for s in sides
                for n in AGENTS
            ),
        )
    report.tables.append(agents)
    draw(curves, questions)
    report.notes.append(f"chart: {CHART}")
    return report


def draw(
    curves: dict[str, dict[int, float]], questions: dict[int, dict[str, dict[int, float]]]
) -> None:
    """Propagations that fit into a frame by map size, and the time of agents by their number on two
    sizes of map.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.5, 9), facecolor=PAPER, layout="constrained")
    left, right = figure.subplots(2, 1)
    for (name, curve), color in zip(curves.items(), COLORS, strict=False):
        left.loglog(
            list(curve),
            [FRAME / seconds for seconds in curve.values()],
            "o-",
            color=color,
            label=name,
        )
    left.set(
        title="Propagations that fit into a frame of 1/60 s",
        xlabel="cells along a side",
        ylabel="layers updated each frame",
    )
    left.set_xticks(SIDES, [str(side) for side in SIDES])
    for (side, found), style in zip(questions.items(), ("o-", "s--"), strict=True):
        for (name, curve), color in zip(found.items(), COLORS, strict=False):
            right.loglog(
                list(curve),
                [seconds * 1e3 for seconds in curve.values()],
                style,
                color=color,
                label=f"{name}, {side} x {side}",
            )
    right.axhline(FRAME * 1e3, color=INK, linewidth=0.8, alpha=0.5)
    right.set_ylim(top=3000)
    right.set(title="Agents that ask", xlabel="agents", ylabel="milliseconds a frame")
    for axes in (left, right):
        axes.set_facecolor(PAPER)
        axes.tick_params(colors=INK, which="both")
        axes.grid(color=INK, alpha=0.12)
        axes.xaxis.label.set_color(INK)
        axes.yaxis.label.set_color(INK)
        axes.title.set_color(INK)
        for spine in axes.spines.values():
            spine.set_color(INK)
            spine.set_alpha(0.3)
        axes.legend(
            fontsize=9,
            loc="lower left" if axes is left else "upper left",
            ncols=1 if axes is left else 2,
            facecolor=PAPER,
            edgecolor=PAPER,
            labelcolor=INK,
        )
    CHART.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(CHART, dpi=110)
