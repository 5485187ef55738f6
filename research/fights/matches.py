"""Recorded matches of StarCraft II: their maps, their units by use, and the knowledge of a
player.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from fieldcraft import Grid
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.maps.starcraft import load_starcraft
from fieldcraft.formats.recordings import Timeline
from fieldcraft.kernels.shared.arrays import Floats, Ints
from research.recordings.losses import Losses, read_losses
from research.recordings.starcraft import ROOTED, read_starcraft


def _names(text: str) -> list[str]:
    return text.split()


_HALLS = frozenset(
    ["CommandCenter", "OrbitalCommand", "PlanetaryFortress", "Hatchery", "Lair", "Hive", "Nexus"]
)
_ROOTED_ARMS = frozenset(
    [
        "Bunker",
        "MissileTurret",
        "PlanetaryFortress",
        "AutoTurret",
        "SpineCrawler",
        "SporeCrawler",
        "PhotonCannon",
        "ShieldBattery",
    ]
)
_ARMS_IN_PLACE = frozenset(
    ["SiegeTankSieged", "WidowMineBurrowed", "LiberatorAG", "LurkerMPBurrowed"]
)
_WORKERS = frozenset(["SCV", "Drone", "Probe", "MULE", "DroneBurrowed"])
_HARMLESS = frozenset(
    _names(
        """Larva Egg Overlord OverlordTransport OverlordCocoon Overseer Observer Broodling
    Changeling ChangelingZealot ChangelingMarine
    ChangelingMarineShield ChangelingZergling ChangelingZerglingWings CreepTumor CreepTumorQueen
    CreepTumorBurrowed BanelingCocoon
    RavagerCocoon LurkerMPEgg TransportOverlordCocoon KD8Charge LocustMP LocustMPFlying"""
    )
)
# Supply, by which the game itself counts an army; a unit that is not named counts 2.
_SUPPLY = {
    **dict.fromkeys(_names("Zergling ZerglingBurrowed Baneling BanelingBurrowed"), 0.5),
    **dict.fromkeys(_names("Marine Reaper"), 1.0),
    **dict.fromkeys(
        _names(
            "SiegeTank SiegeTankSieged Cyclone VikingFighter VikingAssault Banshee Raven Liberator"
            " LiberatorAG"
        ),
        3.0,
    ),
    **dict.fromkeys(
        _names(
            "Ravager Immortal Oracle Phoenix LurkerMP LurkerMPBurrowed Archon VoidRay Disruptor"
            " SwarmHostMP"
        ),
        4.0,
    ),
    **dict.fromkeys(
        _names("Thor ThorAP Battlecruiser Ultralisk Colossus Carrier Tempest Mothership BroodLord"),
        6.0,
    ),
}
_USUAL = 2.0
_STATIC = 2.0
_WORKER = 1.0
_BUILDING = 2.0
_HALL = 5.0
_GROUNDED = ROOTED - _ARMS_IN_PLACE


def as_army(kind: str) -> float:
    """Return the weight of a unit of this kind in an army: its supply, and 2 for a building that
    shoots.
    """
    if kind in _ROOTED_ARMS:
        return _STATIC
    if _is_building(kind) or kind in _WORKERS | _HARMLESS:
        return 0.0
    return _SUPPLY.get(kind, _USUAL)


def as_asset(kind: str) -> float:
    """Return the weight of a unit of this kind among assets to defend: workers and buildings."""
    if kind in _WORKERS:
        return _WORKER
    if kind in _HALLS:
        return _HALL
    if _is_building(kind) and kind not in _HARMLESS | _ROOTED_ARMS:
        return _BUILDING
    return 0.0


def as_hall(kind: str) -> float:
    """Return 1 for a town hall, else 0."""
    return 1.0 if kind in _HALLS else 0.0


def _is_building(kind: str) -> bool:
    return kind in _GROUNDED or kind.endswith("Flying")


ALL = "all units"
PLAYERS = ("player 1", "player 2")
VIEWS = (ALL, *PLAYERS)
CELL = 4  # game cells along a side of a forecast's cell
SIGHT = 10.0  # game cells that a unit is taken to see
WINDOW = 30.0  # seconds ahead that are asked about
_FADING = 30.0  # seconds in which a unit that walks off counts half
_FAINT = 0.05
_LOOK = 5.0  # seconds between two looks of a scout


@dataclass(frozen=True)
class Force:
    """One player's units at a moment: `army` and `assets` (workers, buildings) with their
    strengths, and `halls`, the town halls.

    Positions are (N, 2), strengths (N,).
    """

    army: Floats
    strengths: Floats
    assets: Floats
    worths: Floats
    halls: Floats


@dataclass(frozen=True)
class Match:
    """A recorded match: the cells of its map, its units by their use, and its losses.

    `open` (C,) are the ids of the grid's cells for forecasts; `bases` (2, 2) are the start places
    of the players. The timelines have every unit's strength for that use, 0 for none.
    """

    name: str
    grid: Grid
    open: Ints
    bases: Floats
    losses: Losses
    army: Timeline
    assets: Timeline
    halls: Timeline
    places: Floats = field(repr=False)

    @property
    def length(self) -> float:
        """The length of the recording in seconds."""
        return max(self.army.duration, self.assets.duration)

    def moments(self, every: float = 10.0) -> list[float]:
        """Return the moments of forecasts: all with losses within the window after them."""
        when = np.arange(every, self.length, every)
        after = np.searchsorted(self.losses.seconds, when + WINDOW, "right") - np.searchsorted(
            self.losses.seconds, when, "right"
        )
        return [float(moment) for moment in when[after > 0]]

    def cells_of(self, positions: Floats) -> Ints:
        """Return the indices in `open` of positions, moved to the nearest open cell."""
        cells = np.atleast_1d(self.grid.cell_at(positions.reshape(-1, 2), outside="clamp"))
        found = np.searchsorted(self.open, cells)
        hit = (found < len(self.open)) & (self.open[np.minimum(found, len(self.open) - 1)] == cells)
        for row in np.flatnonzero(~hit).tolist():
            gaps = self.places - positions.reshape(-1, 2)[row]
            found[row] = int(np.argmin((gaps**2).sum(axis=1)))
        return found.astype(np.int64)

    def seen(self, view: str, moments: Iterable[float]) -> Iterator[tuple[float, Force, Force]]:
        """Return both players' forces at each moment in a `view`: all units, or the knowledge of
        one player.
        """
        scout = Scout(self, view)
        for moment in moments:
            yield moment, *scout.look(moment)


class Scout:
    """The knowledge of one view of a match over time; moments must rise.

    A player knows its own units, and the last places where they saw units of the other, every five
    seconds: an army fades with a half-life of 30 s, a building stays until the player sees that it
    is gone. The view of all units has each unit's last recorded position, which fades in the same
    way.
    """

    def __init__(self, match: Match, view: str) -> None:
        self.match = match
        self.view = view
        self._plays = {use: getattr(match, use).play() for use in ("army", "assets", "halls")}
        self._memory: dict[str, dict[int, tuple[float, float, float, float]]] = {
            use: {} for use in self._plays
        }
        self._now = 0.0

    def look(self, moment: float) -> tuple[Force, Force]:
        """Return the known forces of player 1 and player 2 at a moment."""
        if self.view == ALL:
            self._advance(moment)
            return self._force(PLAYERS[0]), self._force(PLAYERS[1])
        while self._now + _LOOK < moment:
            self._watch(self._now + _LOOK)
        self._watch(moment)
        own = self._force(self.view)
        other = self._remembered()
        if self.view == PLAYERS[0]:
            return (own, other)
        return (other, own)

    def _advance(self, moment: float) -> None:
        for play in self._plays.values():
            play.advance_to(moment)
        self._now = moment

    def _force(self, group: str) -> Force:
        army, assets, halls = (play.living(group) for play in self._plays.values())
        fresh = army.strengths > _FAINT
        return Force(
            army.positions[fresh],
            army.strengths[fresh],
            assets.positions,
            assets.strengths,
            halls.positions,
        )

    def _watch(self, moment: float) -> None:
        """Update the knowledge: units in sight are updated, others stay, and dead ones are
        removed.
        """
        self._advance(moment)
        enemy = PLAYERS[1 - PLAYERS.index(self.view)]
        eyes = np.concatenate([play.living(self.view).positions for play in self._plays.values()])
        for use, play in self._plays.items():
            there = play.living(enemy)
            memory = self._memory[use]
            alive = set(play.living().keys.tolist())
            for key in [key for key in memory if key not in alive]:
                del memory[key]
            if not len(there) or not len(eyes):
                continue
            gaps = there.positions[:, None] - eyes[None]
            sighted = (gaps**2).sum(axis=2).min(axis=1) <= SIGHT**2
            for row in np.flatnonzero(sighted).tolist():
                x, y = there.positions[row].tolist()
                memory[int(there.keys[row])] = (x, y, float(there.strengths[row]), moment)

    def _remembered(self) -> Force:
        def remembered(use: str, fading: bool) -> tuple[Floats, Floats]:
            rows = np.array(list(self._memory[use].values()), dtype=np.float64).reshape(-1, 4)
            if fading:
                strengths = rows[:, 2] * np.exp2(-(self._now - rows[:, 3]) / _FADING)
            else:
                strengths = rows[:, 2]
            is_strong = strengths > _FAINT
            return rows[is_strong, :2], strengths[is_strong]

        army, strengths = remembered("army", True)
        assets, worths = remembered("assets", False)
        return Force(army, strengths, assets, worths, remembered("halls", False)[0])


def read_match(events: Path, grid: Path | None = None) -> Match:
    """Return the match of an event table; `grid` is the file of its map. Without one the map is a
    box around all positions.

    Raises
    ------
    InvalidValue
        For a match without exactly two players.
    """
    kinds, everywhere = _named(events)
    army, assets, halls = (
        read_starcraft(
            events,
            half_life=_FADING,
            unfinished=0.5,
            strengths={kind: worth(kind) for kind in kinds},
        )
        for worth in (as_army, as_asset, as_hall)
    )
    if halls.groups != PLAYERS:
        raise InvalidValue(
            "This asks about matches of two players",
            got=f"{events.name}: {', '.join(halls.groups) or 'none'}",
            remedy="Leave the match out",
        )
    bases = np.array([halls.at(0.0, player).positions[0] for player in PLAYERS])
    if grid is not None:
        space = _coarse(grid)
    else:
        space = _box(everywhere)
    cells = np.flatnonzero(~space.walls.reshape(-1))
    return Match(
        events.stem,
        space,
        cells,
        bases,
        read_losses(events),
        army,
        assets,
        halls,
        space.position_of(cells),
    )


def _named(events: Path) -> tuple[list[str], Floats]:
    """Return the types of units in a table, and all positions in it."""
    kinds: set[str] = set()
    places: list[tuple[float, float]] = []
    with events.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            kinds.add(row["unit_type"])
            if row["event"] in ("born", "init"):
                places.append((float(row["x"]) + 0.5, float(row["y"]) + 0.5))
    return sorted(kinds - {""}), np.array(places)


def _coarse(path: Path) -> Grid:
    """Return the map of a file in coarse cells; a cell is open if a unit can walk anywhere in
    it.
    """
    fine = load_starcraft(path)
    rows, columns = -(-fine.height // CELL), -(-fine.width // CELL)
    walls = np.ones((rows * CELL, columns * CELL), dtype=bool)
    walls[rows * CELL - fine.height :, : fine.width] = (
        fine.walls
    )  # row 0 is the north edge: the south one is where positions begin
    coarse = walls.reshape(rows, CELL, columns, CELL).all(axis=(1, 3))
    return Grid(columns, rows, cell_size=CELL, y_up=True, walls=coarse, neighbors=8)


def _box(places: Floats) -> Grid:
    """Return an open map around positions."""
    low = np.floor(places.min(axis=0) / CELL) * CELL - CELL
    columns, rows = (np.ceil((places.max(axis=0) - low) / CELL).astype(int) + 1).tolist()
    return Grid(
        columns, rows, cell_size=CELL, origin=(float(low[0]), float(low[1])), y_up=True, neighbors=8
    )
