"""StarCraft II matches: the units of both players from the events of a replay."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fieldcraft.base import checks
from fieldcraft.formats.recordings import Timeline, TimelineBuilder
from fieldcraft.formats.recordings.table import Table

_COLUMNS = ("game_loop", "event", "unit_id", "unit_type", "player", "x", "y")
_EVENTS = ("born", "init", "done", "died", "pos", "morph", "owner")
_TERRAN = """
    CommandCenter OrbitalCommand PlanetaryFortress SupplyDepot SupplyDepotLowered Refinery
    RefineryRich EngineeringBay Armory
    Bunker MissileTurret SensorTower GhostAcademy FusionCore AutoTurret PointDefenseDrone
    Barracks Factory Starport TechLab Reactor
    BarracksTechLab BarracksReactor FactoryTechLab FactoryReactor StarportTechLab
    StarportReactor SiegeTankSieged
    WidowMineBurrowed LiberatorAG
"""
_ZERG = """
    Hatchery Lair Hive Extractor ExtractorRich SpawningPool EvolutionChamber BanelingNest
    RoachWarren HydraliskDen LurkerDen
    LurkerDenMP Spire GreaterSpire InfestationPit UltraliskCavern NydusNetwork NydusCanal
    SpineCrawler SporeCrawler
    CreepTumor CreepTumorQueen CreepTumorBurrowed Egg BanelingCocoon RavagerCocoon LurkerMPEgg
    LurkerMPBurrowed
"""
_PROTOSS = """
    Nexus Pylon PylonOvercharged Assimilator AssimilatorRich Gateway WarpGate Forge
    CyberneticsCore PhotonCannon ShieldBattery
    TwilightCouncil TemplarArchive DarkShrine Stargate FleetBeacon RoboticsFacility RoboticsBay
    OracleStasisTrap
"""
ROOTED: frozenset[str] = frozenset((_TERRAN + _ZERG + _PROTOSS).split())
"""Unit types that stay where they are as long as they are of that type: buildings, eggs and
cocoons, dug-in and sieged units.
"""


@dataclass
class _Unit:
    """The knowledge of a unit: `seen` is when the position was last certain."""

    kind: str
    player: int
    position: tuple[float, float]
    seen: float
    sure: bool
    finished: bool = True


def read_starcraft(
    path: str | Path,
    *,
    half_life: float | None = 30.0,
    strengths: Mapping[str, float] | None = None,
    unfinished: float = 1.0,
    loops_per_second: float = 22.4,
) -> Timeline:
    """Return the event table of a replay as a timeline: each living unit, building or not, in its
    player's group.

    The table has the columns game_loop, event, unit_id, unit_type, player, x, y; events are
    born, init, done, died, pos, morph and owner. The groups are "player 1" and "player 2". Ids are
    the unit ids.

    A replay contains few positions: when a unit appears, and later only when it is damaged. Between
    these the last known position is used, and a unit's strength halves every `half_life` seconds
    (None: never). Units of a type in `ROOTED` do not fade, because they can't move; a building that
    lifts off starts to fade, and continues after landing, because the replay does not contain the
    place. Mention this where you show the result.

    - `strengths`: strength by unit type, 1 for every other type; 0 leaves a type out. There is no
      default table, because recordings do not contain the values of units.
    - `unfinished`: share of the strength of a building, or a unit that is being warped in, until it
      is done.
    - `loops_per_second`: game loops per second; 22.4 is the game speed "faster", the speed of
      matches.

    Positions in the table are whole cells; a unit is at its cell's center, half a cell up and
    right, like the start places of the same map's grid. The markers named Beacon... of each player
    are no units and are left out.

    Raises
    ------
    BadTimeline
        With the line and the remedy for malformed tables.
    """
    if half_life is not None:
        checks.positive("half_life", half_life)
    fading = math.inf if half_life is None else half_life
    reader = _Match(fading, dict(strengths or {}), checks.fraction("unfinished", unfinished))
    rate = checks.positive("loops_per_second", loops_per_second)
    table = Table(path)
    columns = table.require(_COLUMNS, "A StarCraft II event table")
    last = 0
    for row in table.rows():
        loop, event, unit, kind, player, x, y = (row[column].strip() for column in columns)
        now = table.integer(loop, "game_loop")
        if now < last:
            raise table.refusal(
                "Events follow one another in time",
                f"game_loop {now} after {last}",
                "Sort the table by game_loop",
            )
        last = now
        reader.read(table, table.seconds(repr(now / rate)), event, unit, kind, player, (x, y))
    return reader.builder.build()


class _Match:
    """The state of a match while its events are read."""

    def __init__(self, fading: float, worth: dict[str, float], unfinished: float) -> None:
        self.fading = fading
        self.worth = worth
        self.unfinished = unfinished
        self.builder = TimelineBuilder()
        self.units: dict[str, _Unit] = {}

    def read(
        self,
        table: Table,
        now: float,
        event: str,
        id: str,
        kind: str,
        player: str,
        cell: tuple[str, str],
    ) -> None:
        if event not in _EVENTS:
            raise table.refusal(
                f"An event is one of {', '.join(_EVENTS)}",
                repr(event),
                "Remove lines with other events",
            )
        if event in ("born", "init"):
            place = _center(table, cell)
            self.units[id] = unit = _Unit(
                kind,
                table.integer(player, "player"),
                place,
                now,
                kind in ROOTED,
                finished=event == "born",
            )
            self._tell(now, id, unit)
            return
        known = self.units.get(id)
        if known is None:
            raise table.refusal(
                "A unit is born before anything else happens to it",
                f"{event} of unit {id}",
                "Keep the table's first lines",
            )
        if event == "died":
            del self.units[id]
            if self._counts(known):
                self.builder.add(now, id)
            return
        if event == "pos":
            known.position = _center(table, cell)
            known.seen = now
            known.sure = known.kind in ROOTED
        elif event == "done":
            if known.finished:
                return
            known.finished = True
            known.seen = now
        elif event == "owner":
            before = self._counts(known)
            known.player = table.integer(player, "player")
            if before and not self._counts(known):
                self.builder.add(now, id)
        else:
            if known.sure:
                known.seen = now
            known.kind = kind
            known.sure = known.sure and kind in ROOTED
        self._tell(now, id, known)

    def _counts(self, unit: _Unit) -> bool:
        return unit.player != 0 and not unit.kind.startswith("Beacon")

    def _tell(self, now: float, id: str, unit: _Unit) -> None:
        if not self._counts(unit):
            return
        strength = self.worth.get(unit.kind, 1.0) * (1.0 if unit.finished else self.unfinished)
        if unit.sure or math.isinf(self.fading):
            half_life = None
        else:
            half_life = self.fading
        self.builder.add(
            now,
            id,
            f"player {unit.player}",
            unit.position,
            strength,
            half_life=half_life,
            age=0.0 if unit.sure else now - unit.seen,
        )


def _center(table: Table, cell: tuple[str, str]) -> tuple[float, float]:
    return (table.coordinate(cell[0], "x") + 0.5, table.coordinate(cell[1], "y") + 0.5)
