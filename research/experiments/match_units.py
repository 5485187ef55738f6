"""The units of StarCraft II by what they are for: armies, what armies defend, town halls. Kinds not
named are fighting units.
"""

from __future__ import annotations

from research.recordings.starcraft import ROOTED

__all__ = ["as_army", "as_asset", "as_hall"]


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
    """How much a unit of this kind counts as army: its supply, and 2 for a building that shoots."""
    if kind in _ROOTED_ARMS:
        return _STATIC
    return 0.0 if _is_building(kind) or kind in _WORKERS | _HARMLESS else _SUPPLY.get(kind, _USUAL)


def as_asset(kind: str) -> float:
    """How much a unit of this kind counts as something to defend: workers and buildings."""
    if kind in _WORKERS:
        return _WORKER
    if kind in _HALLS:
        return _HALL
    return _BUILDING if _is_building(kind) and kind not in _HARMLESS | _ROOTED_ARMS else 0.0


def as_hall(kind: str) -> float:
    """1 for a town hall, 0 for all else."""
    return 1.0 if kind in _HALLS else 0.0


def _is_building(kind: str) -> bool:
    return kind in _GROUNDED or kind.endswith("Flying")
