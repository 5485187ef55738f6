"""Games in the lab: `fieldcraft lab towers`. Their fields are its maps, their sliders its controls,
and clicks are the inputs of a player.
"""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fieldcraft import Space
from fieldcraft.base import checks
from fieldcraft.base.errors import BadSaveFile, InvalidValue, UnknownName
from fieldcraft.base.settings import settings_from
from fieldcraft.space import encoding
from fieldcraft.view import between, tinted
from fieldcraft_lab.function_map import FunctionMap
from fieldcraft_lab.live import Live, PlayerAction
from fieldcraft_lab.orders import Order, checked, position, word
from fieldcraft_worlds.games.game import Game, InputEvent, InputFrame, shown_first
from fieldcraft_worlds.library import GAMES, find_game, saved_game
from fieldcraft_worlds.play.help_page import actions_of, team_of_sides
from fieldcraft_worlds.play.inputs import sliders_of
from fieldcraft_worlds.play.settings import kinds_of, read_table
from fieldcraft_worlds.scene import Field
from fieldcraft_worlds.view.tones import rgb_of_tone, rgb_of_tones

_SEED = 7
_MOST_MARKS = 4000
_MOST_UNITS = 8


@dataclass(frozen=True)
class Act(Order):
    """Do the action of a key or a click in the game's window, at a position if it needs one."""

    action: str = field(metadata=checked(word))
    position: tuple[float, ...] | None = field(
        default=None, metadata=checked(checks.optional(position))
    )


@dataclass(frozen=True)
class Turn(Order):
    """Set a slider of the game."""

    name: str = field(metadata=checked(word))
    value: float = field(metadata=checked(checks.finite))


class LiveGame(Live):
    """A match in the lab."""

    kind = "game"
    orders: tuple[type, ...] = (Act, Turn)

    def __init__(
        self, game: Game, settings: Any = None, seed: int = _SEED, space: Any = None
    ) -> None:
        self.game = game
        if settings is None:
            self.settings = game.settings()
        else:
            self.settings = settings
        self.seed = checks.integer("seed", seed)
        self._kinds = tuple(dict.fromkeys((*game.kinds, *kinds_of(self.settings))))
        if space is None:
            space = game.default_map()
        self.world = game.open(space, self.settings)
        self._map = encoding.to_bytes(self.world.space)
        self.title = game.title
        self.step_seconds = 1 / self.world.rate
        self._rng = np.random.default_rng(self.seed)
        self.state = self.world.start(self._rng)
        self._pending: tuple[Any, ...] = ()
        self._chosen: dict[str, str] = {}
        for action in game.actions:
            if action.group:
                self._chosen.setdefault(action.group, action.name)
        self._moment = 0
        self._maps = {name: self._map_of(name) for name in self._map_names()}
        self._together = self._fields_together()

    @property
    def maps(self) -> Mapping[str, FunctionMap]:
        """The fields of the game."""
        return self._maps

    def _field(self, name: str) -> Field | None:
        """Return the field of an overlay; "field" is that of the default overlays."""
        overlays = frozenset({name})
        if name == "field":
            overlays = shown_first(self.game.overlays)
        return self.world.scene(self.state, overlays).field

    def _map_names(self) -> list[str]:
        """Return the overlays that are fields of values; at least those shown at the start. In
        place of several fields together there are these fields.
        """
        fields = {each.name: self._field(each.name) for each in self.game.overlays}
        found = [name for name, field in fields.items() if field and not field.together]
        if not found and self._field("field"):
            found = ["field"]
        return found

    def _map_of(self, name: str) -> FunctionMap:
        """Return the map of a field."""

        def values() -> Any:
            found = self._field(name)
            if found is None:
                return np.zeros(self.space.shape)
            return found.values

        return FunctionMap(name, self.space, values, lambda: self._moment)

    @property
    def space(self) -> Space:
        """The map."""
        found: Space = self.world.space
        return found

    @property
    def actions(self) -> list[PlayerAction]:
        """The actions of a player. A choice of a side has the name of its team, and there are as
        many as teams.
        """
        teams = team_of_sides(self.game, self.settings)
        return [
            PlayerAction(
                each.name,
                each.text,
                any(name.startswith("mouse") for name in each.inputs),
                each.group,
                teams.get(each.name, each.name),
            )
            for each in actions_of(self.game, self.settings)
        ]

    def step(self) -> None:
        """Make a step, with the orders since the last one."""
        self.state = self.world.step(self.state, self._pending, self._rng)
        self._pending = ()
        self._moment += 1

    def apply(self, order: Order) -> None:
        """Add orders for the next step; raise for those that are impossible now."""
        if isinstance(order, Turn):
            names = [slider.name for slider in sliders_of(self.game)]
            if order.name not in names:
                raise UnknownName("slider", order.name, names)
            frame = InputFrame(chosen=dict(self._chosen), sliders={order.name: order.value})
            new = self.world.orders(self.state, frame)
        elif isinstance(order, Act):
            new = self._orders_of(order)
        else:
            remedy = "Use a map for edits of layers"
            raise InvalidValue("A game takes actions and sliders", got=repr(order), remedy=remedy)
        if new:
            pending = (*self._pending, *new)
            self.world.step(self.state, pending, copy.deepcopy(self._rng))
            self._pending = pending

    def _orders_of(self, order: Act) -> tuple[Any, ...]:
        """Return the orders of the game for an action; for a choice there are none."""
        action = next((each for each in self.game.actions if each.name == order.action), None)
        if action is None:
            raise UnknownName("action", order.action, (each.name for each in self.game.actions))
        if action.group:
            self._chosen[action.group] = action.name
            return ()
        place = None
        stroke: tuple[tuple[float, float], ...] = ()
        if order.position is not None:
            place = (order.position[0], order.position[1])
            stroke = (place, place)
        event = InputEvent(action.name, "press", place, place, stroke)
        return tuple(self.world.orders(self.state, InputFrame((event,), place, dict(self._chosen))))

    def keyframe(self) -> bytes:
        """Return the state, the random numbers, and the orders for the next step."""
        return pickle.dumps((self.state, self._rng, self._pending, self._chosen, self._moment), 5)

    def at(self, keyframe: bytes) -> LiveGame:
        """Return a copy of the match at the moment of a keyframe."""
        twin = object.__new__(LiveGame)
        twin.__dict__.update(self.__dict__)
        twin.state, twin._rng, twin._pending, twin._chosen, twin._moment = pickle.loads(keyframe)
        twin._maps = {name: twin._map_of(name) for name in self._maps}
        return twin

    def digest(self) -> str:
        """Return the SHA-256 of state and random numbers."""
        return encoding.digest(
            {"state": self.state, "dice": self._rng, "next": self._pending}, self._kinds
        )

    def origin(self) -> dict[str, Any]:
        """Return game, map, settings and seed."""
        packed = encoding.to_bytes(
            {
                "map": encoding.from_bytes(self._map),
                "settings": self.settings,
                "seed": self.seed,
            },
            self._kinds,
        )
        return {
            "game": self.game.name,
            "version": self.game.version,
            "match": np.frombuffer(packed, dtype=np.uint8),
        }

    # For the page

    def teams(self) -> list[tuple[str, str]]:
        """Return the fields that are drawn together, with their colors."""
        return self._together

    def _fields_together(self) -> list[tuple[str, str]]:
        """Return the fields that are shown together at the start, with their colors."""
        found: list[tuple[str, str]] = []
        shown = self._field("field")
        if shown is None:
            return found
        for name in shown.together:
            part = self._field(name)
            if part is not None and part.colors is not None and not isinstance(part.colors, tuple):
                found.append((name, "#" + bytes(rgb_of_tone(part.colors)).hex()))
        return found

    def controls(self, initial: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        """Return the sliders of the game."""
        sliders = sliders_of(self.game)
        if not sliders:
            return {}
        tuned: Mapping[str, float] = self.world.tuned(self.state)  # type: ignore[attr-defined]
        controls = [
            {
                "name": each.name,
                "kind": "number",
                "low": each.low,
                "high": each.high,
                "log": False,
                "step": each.step,
                "value": tuned[each.name],
                "about": each.text,
            }
            for each in sliders
        ]
        return {self.game.name: {"controls": controls, "curve": None}}

    def limits(self) -> dict[str, list[float]]:
        """Return the limits of colors of the game's fields, as far as they stay as they are."""
        found = {}
        for name in self.maps:
            field = self._field(name)
            if field is None or field.adapts or field.limits is None:
                continue
            low, high = field.limits
            if low < high:
                found[name] = [float(low), float(high)]
        return found

    def tables(self, *, light: bool = False) -> dict[str, Any]:
        """Return the tables of colors of fields of teams, on a dark or a light page."""
        found = {}
        for name in self.maps:
            field = self._field(name)
            if field is None or field.colors is None:
                continue
            if isinstance(field.colors, tuple):
                negative, positive = field.colors
                tones = (rgb_of_tone(negative), rgb_of_tone(positive))
                found[name] = between(*tones, light=light)
            else:
                found[name] = tinted(rgb_of_tone(field.colors), light=light)
        return found

    def markers(self) -> dict[str, Any]:
        """Return the marks: x, y, size, color and opacity of each."""
        rows: list[list[Any]] = []
        for marks in self.world.scene(self.state, shown_first(self.game.overlays)).marks:
            places = np.asarray(marks.positions, dtype=np.float64).reshape(-1, 2)[:_MOST_MARKS]
            sizes = np.broadcast_to(
                np.asarray(marks.size, dtype=np.float64), (len(marks.positions),)
            )
            colors = rgb_of_tones(marks.color, len(marks.positions))
            shown = zip(places.round(3).tolist(), sizes.tolist(), colors.tolist(), strict=False)
            rows += [
                [*place, size, "#{:02x}{:02x}{:02x}".format(*color), marks.opacity]
                for place, size, color in shown
            ]
        return {"units": {"marks": rows[:_MOST_MARKS]}}

    def markers_version(self) -> int:
        """Return the number of steps."""
        return self._moment

    def units_near(self, name: str, position: tuple[float, ...]) -> list[dict[str, Any]]:
        """Return the units that contribute most to a map at a position; with amount None the
        nearest units, if the map is not a sum over units.
        """
        marks = self.markers()["units"]["marks"]
        if name in self.maps:
            shown = self._field(name)
        else:
            shown = None
        parts: list[tuple[tuple[float, ...], float | None]] = []
        if shown is not None and shown.parts is not None:
            found = sorted(shown.parts(position), key=lambda part: -abs(part[1]))
            parts += [part for part in found if part[1]]
        else:
            marks.sort(key=lambda mark: math.dist(mark[:2], position[:2]))
            parts += [(tuple(mark[:2]), None) for mark in marks]
        return [
            {
                "position": list(place[:2]),
                "distance": math.dist(place[:2], position[:2]),
                "color": min(marks, key=lambda mark: math.dist(mark[:2], place[:2]))[3],
                "amount": amount,
            }
            for place, amount in parts[:_MOST_UNITS]
        ]


class _Opener:
    """Opens games by their names, and matches that were saved in the lab."""

    kind = LiveGame.kind
    names = tuple(GAMES)

    def __call__(self, name: str, overrides: tuple[str, ...] = ()) -> LiveGame:
        game = find_game(name)
        return LiveGame(game, settings_from(game.settings, read_table(None, overrides)))

    def from_origin(self, origin: dict[str, Any]) -> LiveGame:
        """Return the match of an `origin`, at its start."""
        game = saved_game(origin["game"])
        if game.version != origin["version"]:
            raise BadSaveFile(
                f"This fieldcraft plays version {game.version} of {game.name}",
                got=f"version {origin['version']}",
                remedy="Use the fieldcraft that wrote it",
            )
        value = encoding.from_bytes(
            origin["match"].tobytes(), dict.fromkeys((*game.kinds, *kinds_of(game.settings())))
        )
        if (
            not isinstance(value, dict)
            or not isinstance(value.get("map"), Space)
            or type(value.get("settings")) is not game.settings
        ):
            raise InvalidValue(
                "A match has a map, settings and a seed",
                got="something else",
                remedy="Use another copy of the file",
            )
        return LiveGame(game, value["settings"], value["seed"], value["map"])


open_game = _Opener()
