"""One frame of a bot, against the same frame written by hand with NumPy, OpenCV and tcod.

A map of 160 x 160 cells with walls and 8 neighbors, 30 frames a second. In each frame three teams of
60 units move, the layers take one step, 60 values are sampled, 30 units look for the best cell
nearby, a distance map follows the new costs, 60 agents take a step down that map, and one picture is
drawn. Parts are timed in CPU time of the one thread that runs them.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import tcod.path
from numpy.typing import NDArray

import fieldcraft as fc
from bench import machine
from bench.race import repeats, say
from bench.table import Report, Table, at_least, at_most, milliseconds, times

SIDE = 160
UNITS = 60
SEEKERS = 30
TICK = 1 / 30
DECAY = 0.15
MOMENTUM = 0.4
FLOOR = 1e-3
RADIUS = 8
NEARBY = 6
COST = 2.0
STRONGEST = 4.0
PIXELS = 4
WARM = 12  # frames that aren't counted
PARTS = ("sync", "advance", "sample", "best", "costs", "descend", "picture")
PEER = "NumPy, OpenCV, tcod"
FRAME_MS = {False: 2.5, True: 3.0}
FRAME_RATIO = {False: 3.5, True: 3.0}
PICTURE_MS = 0.5
MARKS_RATIO = 1.5

Floats = NDArray[np.float64]


class Scenario:
    """The walls, and the positions of all units in each frame; the same for both sides."""

    def __init__(self, frames: int) -> None:
        rng = np.random.default_rng(20261128)
        walls = np.zeros((SIDE, SIDE), dtype=np.bool_)
        for _ in range(220):
            left, top = rng.integers(0, SIDE - 8, 2).tolist()
            width, height = rng.integers(1, 8, 2).tolist()
            walls[top : top + height, left : left + width] = True
        middle = SIDE // 2
        walls[middle - 4 : middle + 4, middle - 4 : middle + 4] = False
        self.goal = (middle + 0.5, middle + 0.5)
        way = fc.distance_map(fc.Grid(walls=walls, neighbors=8), self.goal)
        self.walls = walls | ~np.isfinite(way.values)  # all units can get to the goal
        rows, columns = np.nonzero(~self.walls)
        chosen = rng.choice(len(rows), 3 * UNITS, replace=False)
        places = np.stack([columns[chosen], rows[chosen]], axis=1) + 0.5
        self.teams = np.empty((frames, 3, UNITS, 2))
        for number in range(frames):
            moved = places + rng.uniform(-0.3, 0.3, places.shape)
            outside = ((moved < 0) | (moved >= SIDE)).any(axis=1)
            cells = np.clip(moved, 0, SIDE - 1).astype(np.int64)
            stays = outside | self.walls[cells[:, 1], cells[:, 0]]
            places = np.where(stays[:, np.newaxis], places, moved)
            self.teams[number] = places.reshape(3, UNITS, 2)
        self.strengths = rng.uniform(1, STRONGEST, (3, UNITS)).astype(np.float32)


class Library:
    """The frame by the public calls of fieldcraft."""

    def __init__(self, scenario: Scenario, marks: bool) -> None:
        self.scenario = scenario
        self.marks = marks
        self.grid = fc.Grid(walls=scenario.walls, neighbors=8)
        self.imap = fc.InfluenceMap(self.grid)
        self.layers = [
            self.imap.add_layer("own", fc.Spread(DECAY, MOMENTUM), every=TICK),
            self.imap.add_layer("threat", fc.Spread(DECAY, MOMENTUM), every=TICK),
            self.imap.add_layer("fire", fc.Radial(RADIUS, "linear"), every=TICK),
        ]
        self.threat = self.layers[1]
        self.names = list(range(UNITS))
        self.agents = scenario.teams[0, 0].copy()
        self.distances: Any = None

    def sync(self, number: int) -> None:
        teams = self.scenario.teams[number]
        for layer, places, amounts in zip(self.layers, teams, self.scenario.strengths, strict=True):
            layer.sync(self.names, places, amounts)

    def advance(self, number: int) -> None:
        self.imap.advance(TICK)

    def sample(self, number: int) -> None:
        self.threat.sample(self.scenario.teams[number, 0])

    def best(self, number: int) -> None:
        fc.best(-self.threat, self.scenario.teams[number, 0, :SEEKERS], NEARBY)

    def costs(self, number: int) -> None:
        if self.distances is None:
            cost = 1 + COST * self.threat
            self.distances = fc.distance_map(self.grid, self.scenario.goal, cost=cost)
        self.distances.repair()

    def descend(self, number: int) -> None:
        self.agents = self.distances.step(self.agents).positions

    def picture(self, number: int) -> None:
        self.drawn = fc.view.frame(
            self.threat, scale=PIXELS, limits=(0, STRONGEST), sources=self.marks
        )

    def steps_to_goal(self) -> Floats:
        """Return the costs of all cells to the goal, infinite where there is no way."""
        return np.asarray(self.distances.values, dtype=np.float64)

    def threats(self) -> Floats:
        """Return the values of the threat."""
        return np.asarray(self.threat.values, dtype=np.float64)


class ByHand:
    """The frame by NumPy, OpenCV and tcod. It checks no argument and has no ids; its Spread passes
    corners of walls, its discs pass walls, and its costs are whole tenths.
    """

    def __init__(self, scenario: Scenario, marks: bool) -> None:
        self.scenario = scenario
        self.marks = marks
        self.is_open = (~scenario.walls).astype(np.float32)
        self.own = np.zeros((SIDE, SIDE), dtype=np.float32)
        self.threat = np.zeros((SIDE, SIDE), dtype=np.float32)
        self.fire = np.zeros((SIDE + 2 * RADIUS, SIDE + 2 * RADIUS), dtype=np.float32)
        self.straight = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
        self.corners = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 1]], dtype=np.uint8)
        self.near = np.empty((SIDE, SIDE), dtype=np.float32)
        self.far = np.empty((SIDE, SIDE), dtype=np.float32)
        down, across = np.mgrid[-RADIUS : RADIUS + 1, -RADIUS : RADIUS + 1]
        away = np.hypot(across, down)
        self.disc = np.maximum(1 - away / RADIUS, 0).astype(np.float32)
        down, across = np.mgrid[-NEARBY : NEARBY + 1, -NEARBY : NEARBY + 1]
        away = np.hypot(across, down)
        inside = away <= NEARBY
        nearest = np.argsort(away[inside], kind="stable")
        self.down = down[inside][nearest]
        self.across = across[inside][nearest]
        self.steps = np.array(
            [(0, 0), (0, -1), (-1, 0), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)]
        )
        share = np.linspace(0, 1, 256)[:, np.newaxis]
        self.colors = np.full((256, 4), 255, dtype=np.uint8)
        self.colors[:, :3] = (18, 22, 30) + share * (237, 90, 10)
        self.agents = scenario.teams[0, 0].astype(np.int64)

    def sync(self, number: int) -> None:
        self.cells = self.scenario.teams[number].astype(np.int64)

    def advance(self, number: int) -> None:
        self._spread(self.own, 0)
        self._spread(self.threat, 1)
        self.fire[:] = 0
        side = 2 * RADIUS + 1
        strengths = self.scenario.strengths[2].tolist()
        for (x, y), strength in zip(self.cells[2].tolist(), strengths, strict=True):
            self.fire[y : y + side, x : x + side] += strength * self.disc

    def _spread(self, values: NDArray[np.float32], team: int) -> None:
        columns, rows = self.cells[team].T
        strengths = self.scenario.strengths[team]
        np.maximum.at(values, (rows, columns), strengths)
        cv2.dilate(values, self.straight, dst=self.near)
        cv2.dilate(values, self.corners, dst=self.far)
        self.near *= np.float32(math.exp(-DECAY))
        self.far *= np.float32(math.exp(-DECAY * math.sqrt(2)))
        np.maximum(self.near, self.far, out=self.near)
        self.near -= values
        self.near *= np.float32(MOMENTUM)
        values += self.near
        values *= self.is_open
        values[values < FLOOR] = 0
        values[rows, columns] = strengths

    def sample(self, number: int) -> None:
        columns, rows = self.cells[0].T
        self.sampled = self.threat[rows, columns]

    def best(self, number: int) -> None:
        columns, rows = self.cells[0, :SEEKERS].T
        xs = columns[:, np.newaxis] + self.across
        ys = rows[:, np.newaxis] + self.down
        inside = (xs >= 0) & (xs < SIDE) & (ys >= 0) & (ys < SIDE)
        xs = xs.clip(0, SIDE - 1)
        ys = ys.clip(0, SIDE - 1)
        allowed = inside & ~self.scenario.walls[ys, xs]
        chosen = np.where(allowed, -self.threat[ys, xs], -np.inf).argmax(axis=1)
        every = np.arange(SEEKERS)
        self.found = np.stack([xs[every, chosen], ys[every, chosen]], axis=1) + 0.5

    def costs(self, number: int) -> None:
        cost = (10 * (1 + COST * self.threat) * self.is_open).astype(np.int32)
        self.distances = np.full((SIDE, SIDE), np.iinfo(np.int32).max, dtype=np.int32)
        self.distances[int(self.scenario.goal[1]), int(self.scenario.goal[0])] = 0
        tcod.path.dijkstra2d(self.distances, cost, 10, 14, out=self.distances)

    def descend(self, number: int) -> None:
        beside = (self.agents[:, np.newaxis] + self.steps).clip(0, SIDE - 1)
        chosen = self.distances[beside[..., 1], beside[..., 0]].argmin(axis=1)
        self.agents = beside[np.arange(UNITS), chosen]

    def picture(self, number: int) -> None:
        levels = np.minimum(self.threat * np.float32(255 / STRONGEST), 255).astype(np.uint8)
        self.drawn = cv2.resize(
            self.colors[levels], None, fx=PIXELS, fy=PIXELS, interpolation=cv2.INTER_NEAREST
        )
        if self.marks:
            white = (255, 255, 255, 255)
            for x, y in (self.scenario.teams[number, 1] * PIXELS).astype(int).tolist():
                cv2.circle(self.drawn, (x, y), 5, white, 1, cv2.LINE_AA)

    def steps_to_goal(self) -> Floats:
        """Return the costs of all cells to the goal, infinite where there is no way."""
        unreached = self.distances == np.iinfo(np.int32).max
        return np.where(unreached, np.inf, self.distances / 100)

    def threats(self) -> Floats:
        """Return the values of the threat."""
        return self.threat.astype(np.float64)


def spent(side: Library | ByHand, frames: int) -> Floats:
    """Return the CPU seconds of each part in each frame, (frames, parts)."""
    found = np.empty((frames, len(PARTS)))
    calls: list[Callable[[int], None]] = [getattr(side, part) for part in PARTS]
    for number in range(frames):
        for part, call in enumerate(calls):
            began = time.thread_time()
            call(number)
            found[number, part] = time.thread_time() - began
    return found


def agree(report: Report, ours: Library | ByHand, theirs: Library | ByHand) -> None:
    """Note where the two sides have different threats, distances or pictures, beyond what corners
    of walls and whole tenths make.
    """
    apart = float(np.abs(ours.threats() - theirs.threats()).mean())
    if apart > 0.02 * STRONGEST:
        report.wrong.append(f"threats are {apart:.3f} apart in the mean")
    mine = ours.steps_to_goal()
    other = theirs.steps_to_goal()
    if not np.array_equal(np.isfinite(mine), np.isfinite(other)):
        report.wrong.append("the ways to the goal begin in different cells")
        return
    reached = np.isfinite(mine) & (mine > 10)
    ratio = float(np.median(other[reached] / mine[reached]))
    if not 0.9 < ratio < 1.1:
        report.wrong.append(f"distances are {ratio:.2f} times those of fieldcraft, by the median")
    if ours.drawn.shape != theirs.drawn.shape:
        report.wrong.append(f"pictures have shapes {ours.drawn.shape} and {theirs.drawn.shape}")


def frames_of_a_bot(report: Report, marks: bool, quick: bool) -> None:
    """The parts of a frame and their sum, of each frame the best of several rounds."""
    frames = repeats(quick, 30, 200)
    rounds = repeats(quick, 1, 3)
    scenario = Scenario(frames)
    least: dict[str, Floats] = {}
    for _ in range(rounds):
        sides: dict[str, Library | ByHand] = {
            "fieldcraft": Library(scenario, marks),
            PEER: ByHand(scenario, marks),
        }
        for name, side in sides.items():
            took = spent(side, frames)
            least[name] = np.minimum(least.get(name, took), took)
        agree(report, sides["fieldcraft"], sides[PEER])
    ours = least["fieldcraft"][WARM:]
    theirs = least[PEER][WARM:]
    drawn = "60 marks" if marks else "no marks"
    columns = (
        "part",
        "fieldcraft, ms",
        f"{PEER}, ms",
        "fieldcraft is",
        "required, ms",
        "verdict",
        "required ratio",
        "verdict",
    )
    table = Table(f"A bot's frame on {SIDE} x {SIDE}, pictures with {drawn}", columns)
    for part, name in enumerate(PARTS):
        mine = float(np.median(ours[:, part]))
        other = float(np.median(theirs[:, part]))
        table.add(
            name, milliseconds(mine), milliseconds(other), times(other / mine), "", "", "", ""
        )
    mine = float(np.median(ours.sum(axis=1)))
    other = float(np.median(theirs.sum(axis=1)))
    table.add(
        "the frame",
        milliseconds(mine),
        milliseconds(other),
        times(other / mine),
        f"{FRAME_MS[marks]:g}",
        at_most(mine * 1e3, FRAME_MS[marks]),
        times(FRAME_RATIO[marks]),
        at_least(other / mine, FRAME_RATIO[marks]),
    )
    table.notes.append(
        f"CPU time of one thread on {machine.processor()}, kernels for {machine.kernel_units()}:"
        f" the median of {frames - WARM} frames, of each the least of {rounds} rounds in turn."
        " The other side checks no argument and has no ids; its Spread passes corners of walls, its"
        " discs pass walls, and its costs are whole tenths."
    )
    report.tables.append(table)


def marked_pictures(report: Report, quick: bool) -> None:
    """What marks of 200 sources add to a picture."""
    rng = np.random.default_rng(1)
    imap = fc.InfluenceMap(fc.Grid(80, 50))
    layers = [imap.add_layer(name, fc.Radial(4.0, "linear")) for name in ("red", "blue")]
    for layer in layers:
        layer.add_sources(rng.uniform(0, (80, 50), (200, 2)), rng.uniform(1, STRONGEST, 200))
    imap.step()
    teams = [(layer, None, layer.name) for layer in layers]
    calls: dict[str, tuple[Callable[[bool], Any], float | None]] = {
        "frame": (lambda marks: fc.view.frame(layers[0], sources=marks), PICTURE_MS),
        "frame_teams, two teams": (lambda marks: fc.view.frame_teams(teams, sources=marks), None),
    }
    columns = (
        "picture",
        "with marks, ms",
        "without, ms",
        "ratio",
        "required, ms",
        "verdict",
        "required ratio",
        "verdict",
    )
    table = Table("Pictures of 80 x 50 cells, 960 x 600 pixels, 200 sources a layer", columns)
    for name, (call, required) in calls.items():
        took: dict[bool, list[float]] = {True: [], False: []}
        for _ in range(repeats(quick, 3, 60)):
            for marks, found in took.items():
                began = time.thread_time()
                call(marks)
                found.append(time.thread_time() - began)
        marked = statistics.median(took[True])
        plain = statistics.median(took[False])
        table.add(
            name,
            milliseconds(marked),
            milliseconds(plain),
            times(marked / plain),
            "" if required is None else f"{required:g}",
            at_most(marked * 1e3, required),
            times(MARKS_RATIO),
            at_most(marked / plain, MARKS_RATIO),
        )
    report.tables.append(table)


def run(quick: bool) -> Report:
    """Every table of this suite."""
    report = Report()
    fc.warm_up()
    before = fc.set_threads(1)
    cv2.setNumThreads(1)
    for marks in (False, True):
        say(f"bench bot: frames, marks {marks}")
        frames_of_a_bot(report, marks, quick)
    say("bench bot: pictures")
    marked_pictures(report, quick)
    fc.set_threads(before)
    cv2.setNumThreads(-1)
    return report
