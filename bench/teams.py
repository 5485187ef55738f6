"""Ten teams that move: who owns what, the tension and where it is contested, against ten NumPy
arrays.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from bench.race import race, repeats, say
from bench.table import Report, Table, at_least, milliseconds, times
from fieldcraft.layers.teams.teams import Teams

SIZE = 512
TEAMS = 10
UNITS = 200
MOVERS = 20
RADIUS = 9
TICKS = 10
REQUIRED = 10.0
Cells = NDArray[np.int64]


class Battle:
    """Where the units of each team are, tick by tick: a tenth of them has moved to a neighboring
    place.
    """

    def __init__(self) -> None:
        rng = np.random.default_rng(5)
        self.start = rng.integers(0, SIZE, (TEAMS, UNITS, 2))
        at = self.start.copy()
        self.ticks: list[tuple[Cells, Cells]] = []
        for _ in range(TICKS):
            who = np.stack([rng.choice(UNITS, MOVERS, replace=False) for _ in range(TEAMS)])
            places = np.take_along_axis(at, who[..., None], axis=1) + rng.integers(
                -3, 4, (TEAMS, MOVERS, 2)
            )
            places = np.clip(places, 0, SIZE - 1)
            for team in range(TEAMS):
                at[team, who[team]] = places[team]
            self.ticks.append((who, places))


class Ours:
    """Layers of a team each; cells are (x, y) places of unit size."""

    def __init__(self, battle: Battle) -> None:
        self.battle = battle
        self.imap = fc.InfluenceMap(fc.Grid(SIZE, SIZE))
        self.teams: Teams = self.imap.add_teams(
            [f"team {i}" for i in range(TEAMS)], fc.Radial(RADIUS)
        )
        self.ids = [
            layer.add_sources(battle.start[i] + 0.5)
            for i, layer in enumerate(self.teams.layers.values())
        ]
        self.imap.advance(0.1)

    def prepare(self) -> None:
        for layer, ids, places in zip(
            self.teams.layers.values(), self.ids, self.battle.start, strict=True
        ):
            layer.sources.move(ids, places + 0.5)
        self.imap.advance(0.1)
        self.answer()

    def answer(self) -> None:
        self.owner = self.teams.owner()
        self.tension = self.teams.tension().values
        self.contested = self.teams.contested().values

    def run(self) -> None:
        layers = list(self.teams.layers.values())
        for who, places in self.battle.ticks:
            for i, layer in enumerate(layers):
                layer.sources.move(self.ids[i][who[i]], places[i] + 0.5)
            self.imap.advance(0.1)
            self.answer()


class OneTeam(Ours):
    """The same, and what is vulnerable for one team that has a stake there."""

    def answer(self) -> None:
        super().answer()
        self.vulnerable = self.teams.vulnerability("team 0", stake=0.25).values


class Arrays:
    """Ten arrays, each zeroed and its units' discs, cut beforehand, added up anew each tick;
    `argmax` and sums over them.
    """

    def __init__(self, battle: Battle) -> None:
        self.battle = battle
        away = np.arange(-RADIUS, RADIUS + 1)
        square = (away * away)[:, None] + away * away
        self.disc = np.maximum(1 - square / RADIUS**2, 0).astype(np.float32)
        self.layers = np.zeros((TEAMS, SIZE, SIZE), dtype=np.float32)

    def stamp(self, layer: NDArray[np.float32], places: Cells, sign: int) -> None:
        for x, y in places.tolist():
            x0 = max(x - RADIUS, 0)
            x1 = min(x + RADIUS + 1, SIZE)
            y0 = max(y - RADIUS, 0)
            y1 = min(y + RADIUS + 1, SIZE)
            disc = self.disc[y0 - y + RADIUS : y1 - y + RADIUS, x0 - x + RADIUS : x1 - x + RADIUS]
            if sign > 0:
                layer[y0:y1, x0:x1] += disc
            else:
                layer[y0:y1, x0:x1] -= disc

    def prepare(self) -> None:
        self.at = self.battle.start.copy()
        self.layers[:] = 0
        for layer, places in zip(self.layers, self.at, strict=True):
            self.stamp(layer, places, 1)
        self.answer()

    def answer(self) -> None:
        self.owner = np.argmax(self.layers, axis=0)
        self.owner[self.layers.max(axis=0) == 0] = -1
        self.tension = np.abs(self.layers).sum(axis=0)
        self.contested = 2 * (self.tension - self.layers.max(axis=0))

    def run(self) -> None:
        for who, places in self.battle.ticks:
            for i, layer in enumerate(self.layers):
                self.at[i, who[i]] = places[i]
                layer[:] = 0
                self.stamp(layer, self.at[i], 1)
            self.answer()


class Written(Arrays):
    """The same as it is usually written: each unit's disc from its distances, and a stack of the
    ten arrays.
    """

    def stamp(self, layer: NDArray[np.float32], places: Cells, sign: int) -> None:
        for x, y in places.tolist():
            x0 = max(x - RADIUS, 0)
            x1 = min(x + RADIUS + 1, SIZE)
            y0 = max(y - RADIUS, 0)
            y1 = min(y + RADIUS + 1, SIZE)
            rows, columns = np.ogrid[y0:y1, x0:x1]
            square = (columns - x) ** 2 + (rows - y) ** 2
            layer[y0:y1, x0:x1] += sign * np.maximum(1 - square / RADIUS**2, 0)

    def answer(self) -> None:
        stack = np.stack(list(self.layers))
        self.tension = np.abs(stack).sum(axis=0)
        self.owner = np.where(self.tension > 0, np.argmax(stack, axis=0), -1)
        self.contested = 2 * (self.tension - stack.max(axis=0))


class Differences(Arrays):
    """Only the discs of the movers are taken off and added, which drifts; each pass over the ten
    arrays is made once.
    """

    def answer(self) -> None:
        strongest = self.layers.max(axis=0)
        self.owner = np.argmax(self.layers, axis=0)
        self.owner[strongest <= 1e-4] = -1  # what drift leaves behind is not 0
        self.tension = self.layers.sum(axis=0)
        self.contested = 2 * (self.tension - strongest)

    def run(self) -> None:
        for who, places in self.battle.ticks:
            for i, layer in enumerate(self.layers):
                self.stamp(layer, self.at[i, who[i]], -1)
                self.stamp(layer, places[i], 1)
                self.at[i, who[i]] = places[i]
            self.answer()


def _check(report: Report, ours: Ours, theirs: Arrays, name: str) -> None:
    for what in ("tension", "contested"):
        apart = float(np.abs(getattr(ours, what) - getattr(theirs, what)).max())
        if apart > 1e-4:
            report.wrong.append(f"{name}: {what} differs by {apart:g}")
    clear = np.sort(theirs.layers, axis=0)
    ahead = clear[-1] - clear[-2] > 1e-4
    if not np.array_equal(ours.owner[ahead], theirs.owner[ahead]):
        report.wrong.append(f"{name}: other owners")


def run(quick: bool) -> Report:
    """The table of this suite."""
    report = Report()
    fc.warm_up()
    say("bench teams: owner, tension and contested ground")
    battle = Battle()
    ours = Ours(battle)
    one_team = OneTeam(battle)
    written = Written(battle)
    arrays = Arrays(battle)
    differences = Differences(battle)
    every = {
        "fieldcraft": ours,
        "fieldcraft, and vulnerability of one team": one_team,
        "NumPy: ten arrays added up anew, as usually written": written,
        "NumPy: ten arrays added up anew, discs cut beforehand": arrays,
        "NumPy: only the movers, discs cut beforehand": differences,
    }
    for contender in every.values():
        contender.prepare()
        contender.run()
    _check(report, ours, written, "NumPy, as usually written")
    _check(report, ours, arrays, "NumPy")
    _check(report, ours, differences, "NumPy, only the movers")
    batches: dict[str, tuple[Callable[[], None], Callable[[], None]]] = {
        name: (contender.prepare, contender.run) for name, contender in every.items()
    }
    rounds = repeats(quick, 2, 15)
    found = race(batches, TICKS, dict.fromkeys(batches, rounds))
    own = found["fieldcraft"]
    table = Table(
        f"{TEAMS} teams x {UNITS} units of radius {RADIUS}, {SIZE} x {SIZE}, a tenth moves each"
        " tick",
        (
            "contender",
            "best ms a tick",
            "median",
            "fieldcraft is, best",
            "median",
            "required",
            "verdict",
        ),
    )
    for name, took in found.items():
        row = [name, milliseconds(took.best), milliseconds(took.median)]
        if name.startswith("NumPy"):
            required = REQUIRED if "anew" in name else None
            ratio = took.best / own.best
            row += [
                times(ratio),
                times(took.median / own.median),
                f"{REQUIRED:g}x" if required else "",
                at_least(ratio, required),
            ]
        else:
            row += ["", "", "", ""]
        table.add(*row)
    table.notes.append(
        f"{rounds} rounds of {TICKS} ticks. A tick moves the units, brings the layers up to date"
        " and gives owner, tension and contested ground (vulnerability for any number of teams) of"
        " the whole map. Taking discs off drifts: what is left behind is not 0."
    )
    report.tables.append(table)
    return report
