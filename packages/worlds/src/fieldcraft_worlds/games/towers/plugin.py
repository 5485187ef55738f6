"""The tower game as a game to play."""

from __future__ import annotations

import numpy as np

from fieldcraft import Grid, generate_map
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.game import Action, InputFrame
from fieldcraft_worlds.games.states import dataclasses_in
from fieldcraft_worlds.games.towers import rules, scene
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.orders import (
    Advance,
    Begin,
    Command,
    Order,
    Place,
    Remove,
    Send,
    Strike,
)
from fieldcraft_worlds.games.towers.settings import (
    HUMAN,
    Settings,
)
from fieldcraft_worlds.games.towers.state import (
    State,
)
from fieldcraft_worlds.games.walking import away
from fieldcraft_worlds.games.world import DerivedWorld, GameOfParts
from fieldcraft_worlds.scene import Scene

KINDS = dataclasses_in(State, Settings, Order)

_SENT_AT_ONCE = 5
_SQUADS = ("key q", "key w", "key e", "key a", "key s", "key d")
_SIDES = ("key u", "key i", "key o", "key p")


class TowerWorld(DerivedWorld):
    """The tower game on one map."""

    rules = rules
    scenes = scene
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
        reach = self.derived.settings.tower.size // 2
        space = self.space
        rows, columns = np.divmod(state.towers.cells, space.width)
        edges = []
        if not space.wraps_y:
            edges += [rows, space.height - 1 - rows]
        if not space.wraps_x:
            edges += [columns, space.width - 1 - columns]
        if any(np.min(edge, initial=reach) < reach for edge in edges):
            raise InvalidValue(
                "All cells of a tower are on the map",
                got="a tower at the edge",
                remedy="Use another save",
            )

    def orders(self, state: State, inputs: InputFrame) -> tuple[Order, ...]:
        """Return the orders of clicks and keys for the chosen team, if a player leads it."""
        settings = self.derived.settings
        team = self._side(state, inputs)
        squad = min(_number(inputs, "squad"), settings.squads - 1)
        safely = inputs.chosen.get("route") == "safe path"
        orders: list[Order] = []
        for event in inputs.events:
            if event.phase != "press":
                continue
            if event.action == "lead" and settings.ai_names[team] != HUMAN:
                orders.append(Command(team, not state.by_hand[team]))
            elif event.action == "begin":
                orders.append(Begin())
            elif (
                event.position is not None
                and state.by_hand[team]
                and event.action in ("place or send", "move or strike")
            ):
                orders += self._clicked(
                    state, team, squad, safely, event.action == "place or send", event.position
                )
        return tuple(orders)

    def scene(self, state: State, overlays: frozenset[str]) -> Scene:
        """Return the scene of a state."""
        by_hand = np.flatnonzero(state.by_hand)
        team = 0
        if len(by_hand):
            team = int(by_hand[0])
        return scene.scene_of(self.derived, state, overlays, team)

    def begins(self, state: State) -> str | None:
        """Return the action that starts the match, before the start."""
        if state.begun:
            return None
        return "begin"

    def result(self, state: State) -> str | None:
        """Return how it ended."""
        return scene.result(self.derived, state)

    def _side(self, state: State, inputs: InputFrame) -> int:
        """Return the chosen team; without a choice the first one led by hand."""
        chosen = _number(inputs, "side")
        by_hand = np.flatnonzero(state.by_hand)
        if chosen == 0 and len(by_hand):
            return int(by_hand[0])
        return min(chosen, len(self.derived.settings.teams) - 1)

    def _clicked(
        self,
        state: State,
        team: int,
        squad: int,
        safely: bool,
        first: bool,
        position: tuple[float, float],
    ) -> list[Order]:
        """Return the orders of a click: of the first action of the mouse, or of the second."""
        tower = self._tower_at(state, position)
        if tower < 0:
            owner = -1
        else:
            owner = int(state.towers.teams[state.towers.ids == tower][0])
        if not state.begun:
            if first:
                return [Place(team, *position)]
            if owner == team:
                return [Remove(team, tower)]
            return []
        if first:
            if owner == team:
                return [Send(team, tower, _SENT_AT_ONCE, squad)]
            return []
        if tower >= 0 and owner != team:
            return [Strike(team, squad, tower, safely)]
        return [Advance(team, squad, *position, safely)]

    def _tower_at(self, state: State, position: tuple[float, float]) -> int:
        """Return the id of the tower at a position, with a tolerance of half a cell, or -1."""
        space = self.derived.space
        middles = space.position_of(state.towers.cells).reshape(-1, 2)
        gaps = np.abs(away(space, position, middles)).max(axis=1)
        reach = (self.derived.settings.tower.size / 2 + 0.5) * space.cell_size
        near = np.flatnonzero(gaps <= reach)
        if len(near):
            return int(state.towers.ids[near[np.argmin(gaps[near])]])
        return -1


def _number(inputs: InputFrame, group: str) -> int:
    """Return the number at the end of the choice of a group, counted from 0."""
    return int(inputs.chosen.get(group, "1").rsplit(" ", 1)[-1]) - 1


def default_map() -> Grid:
    """Return a field with boulders, 112 x 72."""
    return generate_map("open", 112, 72, seed=7, neighbors=8)


GAME = GameOfParts(
    "towers",
    "The tower game",
    "Destroy all towers of the other side.",
    Settings,
    KINDS,
    default_map,
    TowerWorld,
    scene.OVERLAYS,
    (
        Action(
            "place or send",
            "place a tower; later, on your tower: send five units to the chosen squad",
            ("mouse left",),
        ),
        Action(
            "move or strike",
            "remove a tower; later, send the chosen squad there, or against that tower",
            ("mouse right",),
        ),
        Action("begin", "start the match after placing towers; so does space", ("key b",)),
        Action(
            "lead",
            "play yourself, or let the AI lead the team again",
            ("key m",),
            takes_over=True,
        ),
        *(
            Action(f"squad {number}", f"squad {number}", (key,), "squad")
            for number, key in enumerate(_SQUADS, 1)
        ),
        Action("short path", "squads walk the shortest path", ("key c",), "route"),
        Action("safe path", "squads walk around the enemy's fire", ("key v",), "route"),
        *(
            Action(f"side {number}", f"team {number}", (key,), "side")
            for number, key in enumerate(_SIDES, 1)
        ),
    ),
    by_hand={"layout": "placed", "commanders": [HUMAN, "fair"]},
)
