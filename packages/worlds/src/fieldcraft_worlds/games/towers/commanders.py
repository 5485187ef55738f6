"""The commanders by name."""

from __future__ import annotations

from collections.abc import Mapping

from fieldcraft_worlds.games.towers.commander import Commander
from fieldcraft_worlds.games.towers.planner import Planner

__all__ = ["LEADERS", "LEVELS"]

_WAVE = 0.2  # of those who read no map

_LEADERS: Mapping[str, Commander] = {
    "influence": Commander(safely=True, weak=True, reinforce=True),
    "routed": Commander(safely=True, weak=False, reinforce=False, wave=_WAVE),
    "shortest": Commander(safely=False, weak=False, reinforce=False, wave=_WAVE),
    "planner": Planner(safely=True, weak=True, reinforce=True),
    "feinter": Planner(safely=True, weak=True, reinforce=True, feint=True),
    "stubborn": Planner(safely=True, weak=True, reinforce=True, retreat=False),
    "loose": Planner(safely=True, weak=True, reinforce=True, hold=False),
    "hasty": Commander(safely=False, weak=False, reinforce=False, wave=0.06),
    "raider": Commander(safely=True, weak=False, reinforce=False, wave=_WAVE, deep=True),
    "charger": Commander(safely=False, weak=False, reinforce=False, wave=_WAVE, deep=True),
}
LEVELS: Mapping[str, str] = {
    "easy": "hasty",
    "fair": "shortest",
    "hard": "influence",
    "hardest": "loose",
}
"""The levels of difficulty for a human player, and who plays each: in the order of the league
(`python -m research experiment league`).
"""

LEADERS: Mapping[str, Commander] = {
    **_LEADERS,
    **{level: _LEADERS[name] for level, name in LEVELS.items()},
}
"""The commander that a name in the settings stands for.

"routed" differs from "shortest" by the ways alone, "hasty" by sending a few at a time; "raider" and
"charger" strike what lies deepest, and differ by the ways alone; "stubborn" from "planner" by never
turning back, "loose" by not holding narrow places, and "feinter" by decoys.
"""
