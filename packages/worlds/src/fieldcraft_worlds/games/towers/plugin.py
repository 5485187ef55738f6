"""The tower game as the frame plays it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fieldcraft import Grid, generate_map
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.game import Action, InputFrame, Overlay
from fieldcraft_worlds.games.towers import rules, scene
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.orders import (
    Begin,
    Command,
    March,
    Order,
    Place,
    Regroup,
    Remove,
    Send,
    Strike,
)
from fieldcraft_worlds.games.towers.settings import (
    HUMAN,
    CommanderRules,
    Settings,
    TowerRules,
    UnitRules,
)
from fieldcraft_worlds.games.towers.state import (
    Shots,
    Squads,
    State,
    Towers,
    Units,
)
from fieldcraft_worlds.games.walking import away
from fieldcraft_worlds.games.world import DerivedWorld
from fieldcraft_worlds.scene import Scene

__all__ = ["GAME", "KINDS", "TowerGame", "TowerWorld"]

KINDS = (
    State,
    Towers,
    Units,
    Squads,
    Shots,
    Settings,
    TowerRules,
    UnitRules,
    CommanderRules,
    Begin,
    Command,
    March,
    Place,
    Regroup,
    Remove,
    Send,
    Strike,
)

_SENT_AT_ONCE = 5
_SQUADS = ("key q", "key w", "key e", "key a", "key s", "key d")
_SIDES = ("key u", "key i", "key o", "key p")


class TowerWorld(DerivedWorld):
    """The tower game on one map."""

    rules = rules
    views = scene
    derived: TowersDerived

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__(space, TowersDerived(space, settings))

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers of teams, of squads, and of units in a queue."""
        settings = self.derived.settings
        return {
            "teams": len(settings.teams),
            "squads": settings.squads,
            "queue": settings.units + 1,
        }

    def check(self, state: State) -> None:
        """Check a state; see `DerivedWorld.check`."""
        super().check(state)
        reach, space = self.derived.settings.tower.size // 2, self.space
        rows, columns = np.divmod(state.towers.cells, space.width)
        edges = (rows, space.height - 1 - rows, columns, space.width - 1 - columns)
        if not space.wrap and min(np.min(edge, initial=reach) for edge in edges) < reach:
            raise InvalidValue(
                "All cells of a tower are on the map",
                got="a tower at the edge",
                remedy="Use another save",
            )

    def orders(self, state: State, inputs: InputFrame) -> tuple[Order, ...]:
        """The orders of clicks and keys for the team that the player leads: the one chosen, if its
        orders come by hand.
        """
        settings = self.derived.settings
        team = self._side(state, inputs)
        squad = min(_number(inputs, "squad"), settings.squads - 1)
        safely = inputs.chosen.get("way") == "safe way"
        asked: list[Order] = []
        for event in inputs.events:
            if event.phase != "press":
                continue
            if event.action == "lead" and settings.led_by[team] != HUMAN:
                asked.append(Command(team, not state.by_hand[team]))
            elif event.action == "begin":
                asked.append(Begin())
            elif (
                event.position is not None
                and state.by_hand[team]
                and event.action in ("place or send", "march or strike")
            ):
                asked += self._pointed(
                    state, team, squad, safely, event.action == "place or send", event.position
                )
        return tuple(asked)

    def scene(self, state: State, overlays: frozenset[str]) -> Scene:
        """The scene of a state."""
        by_hand = np.flatnonzero(state.by_hand)
        return scene.seen(self.derived, state, overlays, int(by_hand[0]) if len(by_hand) else 0)

    def begins(self, state: State) -> str | None:
        """Towers are placed before the match begins."""
        return None if state.begun else "begin"

    def result(self, state: State) -> str | None:
        """How it ended."""
        return scene.result(self.derived, state)

    def _side(self, state: State, inputs: InputFrame) -> int:
        """The team that is chosen; without a choice the first that is led by hand."""
        chosen = _number(inputs, "side")
        by_hand = np.flatnonzero(state.by_hand)
        if chosen == 0 and len(by_hand):
            return int(by_hand[0])
        return min(chosen, len(self.derived.settings.teams) - 1)

    def _pointed(
        self,
        state: State,
        team: int,
        squad: int,
        safely: bool,
        first: bool,
        position: tuple[float, float],
    ) -> list[Order]:
        tower = self._tower_at(state, position)
        owner = -1 if tower < 0 else int(state.towers.teams[state.towers.ids == tower][0])
        if not state.begun:
            if first:
                return [Place(team, *position)]
            return [Remove(team, tower)] if owner == team else []
        if first:
            return [Send(team, tower, _SENT_AT_ONCE, squad)] if owner == team else []
        if tower >= 0 and owner != team:
            return [Strike(team, squad, tower, safely)]
        return [March(team, squad, *position, safely)]

    def _tower_at(self, state: State, position: tuple[float, float]) -> int:
        """The id of the tower that stands at a position, give or take a cell, or -1."""
        space = self.derived.space
        gaps = np.abs(
            away(space, position, space.position_of(state.towers.cells).reshape(-1, 2))
        ).max(axis=1)
        near = np.flatnonzero(
            gaps <= (self.derived.settings.tower.size / 2 + 0.5) * space.cell_size
        )
        return int(state.towers.ids[near[np.argmin(gaps[near])]]) if len(near) else -1


class TowerGame:
    """Teams place towers, towers send units, units take towers."""

    name = "towers"
    version = 1
    title = "The tower game"
    goal = "Take all towers of the other side: send units where it is weak."
    overlays: tuple[Overlay, ...] = scene.OVERLAYS
    actions: tuple[Action, ...] = (
        Action(
            "place or send",
            "place a tower; later, on a tower of yours: send five units to the squad chosen",
            ("mouse left",),
        ),
        Action(
            "march or strike",
            "take a tower away; later, send the squad chosen there, or at that tower",
            ("mouse right",),
        ),
        Action("begin", "begin the match once towers stand; so does space", ("key b",)),
        Action(
            "lead",
            "lead the team yourself, or leave it to its commander again",
            ("key m",),
            takes_over=True,
        ),
        *(
            Action(f"squad {number}", f"squad {number}", (key,), "squad")
            for number, key in enumerate(_SQUADS, 1)
        ),
        Action("short way", "squads walk the shortest way", ("key c",), "way"),
        Action("safe way", "squads walk round the enemy's fire", ("key v",), "way"),
        *(
            Action(f"side {number}", f"team {number}", (key,), "side")
            for number, key in enumerate(_SIDES, 1)
        ),
    )
    settings = Settings
    by_hand: Mapping[str, object] = {"layout": "placed", "commanders": [HUMAN, "influence"]}
    kinds = KINDS

    def default_map(self) -> Grid:
        """A field with boulders, 112 x 72."""
        return generate_map("open", 112, 72, seed=7, neighbors=8)

    def open(self, space: Grid, settings: Settings) -> TowerWorld:
        """The game on a map."""
        return TowerWorld(space, settings)


GAME = TowerGame()


def _number(inputs: InputFrame, group: str) -> int:
    """The number at the end of the choice of a group, counted from 0."""
    return int(inputs.chosen.get(group, "1").rsplit(" ", 1)[-1]) - 1
