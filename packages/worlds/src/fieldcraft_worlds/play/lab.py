"""Games in the lab: `fieldcraft lab towers`. Their fields are the maps, their sliders the knobs,
clicks the inputs of a player.
"""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fieldcraft import Space, checks, packing
from fieldcraft.errors import BadSaveFile, InvalidValue, UnknownName
from fieldcraft.view import between, tinted
from fieldcraft_lab.function_map import FunctionMap
from fieldcraft_lab.live import Live
from fieldcraft_lab.orders import Order, checked, position, word
from fieldcraft_worlds.games.game import Game, InputEvent, InputFrame, shown_first
from fieldcraft_worlds.library import GAMES, find_game, saved_game
from fieldcraft_worlds.play.bindings import sliders_of
from fieldcraft_worlds.play.settings import kinds_of, read_table, settings_from
from fieldcraft_worlds.view.tones import rgb_of_tone, rgb_of_tones

__all__ = ["Act", "LiveGame", "Turn", "open_game"]

_SEED = 7
_MOST_MARKS = 4000
_MOST_UNITS = 8


@dataclass(frozen=True)
class Act(Order):
    """Do what a key or a click does in the game's window, at a position where it needs one."""

    action: str = field(metadata=checked(word))
    position: tuple[float, ...] | None = field(
        default=None,
        metadata=checked(lambda name, value: None if value is None else position(name, value)),
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
        self.settings = game.settings() if settings is None else settings
        self.seed = checks.integer("seed", seed)
        self._kinds = tuple(dict.fromkeys((*game.kinds, *kinds_of(self.settings))))
        self.world = game.open(game.default_map() if space is None else space, self.settings)
        self._map = packing.pack(self.world.space)
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
        self._maps = {name: self._map_of(name) for name in self._fields()}

    @property
    def maps(self) -> Mapping[str, FunctionMap]:
        """The fields of the game."""
        return self._maps

    def _fields(self) -> list[str]:
        """The overlays that are fields of values; at least those shown at the start."""
        fields = {
            each.name: self.world.scene(self.state, frozenset({each.name})).field
            for each in self.game.overlays
        }
        found = [name for name, field in fields.items() if field and field.table is None]
        if not found and self.world.scene(self.state, self._usual()).field is not None:
            found = ["field"]
        return found

    def _usual(self) -> frozenset[str]:
        return shown_first(self.game.overlays)

    def _map_of(self, name: str) -> FunctionMap:
        wanted = self._usual() if name == "field" else frozenset({name})

        def values() -> Any:
            found = self.world.scene(self.state, wanted).field
            return np.zeros(self.space.shape) if found is None else found.values

        return FunctionMap(name, self.space, values, lambda: self._moment)

    @property
    def space(self) -> Space:
        """The map."""
        found: Space = self.world.space
        return found

    @property
    def actions(self) -> list[tuple[str, str, bool]]:
        """The name of each action, what it does, and whether it needs a position."""
        return [
            (each.name, each.text, any(name.startswith("mouse") for name in each.inputs))
            for each in self.game.actions
        ]

    def step(self) -> None:
        """Make a step, with the orders that came since the last one."""
        self.state = self.world.step(self.state, self._pending, self._rng)
        self._pending = ()
        self._moment += 1

    def apply(self, order: Act | Turn) -> None:
        """Keep what an order means for the next step, or refuse what can't be followed."""
        if isinstance(order, Turn):
            if order.name not in {slider.name for slider in sliders_of(self.game)}:
                raise UnknownName(
                    "slider", order.name, (slider.name for slider in sliders_of(self.game))
                )
            asked = self.world.orders(
                self.state, InputFrame(chosen=dict(self._chosen), sliders={order.name: order.value})
            )
        else:
            asked = self._asked(order)
        if asked:
            pending = (*self._pending, *asked)
            self.world.step(self.state, pending, copy.deepcopy(self._rng))
            self._pending = pending

    def _asked(self, order: Act) -> tuple[Any, ...]:
        action = next((each for each in self.game.actions if each.name == order.action), None)
        if action is None:
            raise UnknownName("action", order.action, (each.name for each in self.game.actions))
        if action.group:
            self._chosen[action.group] = action.name
            return ()
        place = None if order.position is None else (order.position[0], order.position[1])
        event = InputEvent(
            action.name, "press", place, place, stroke=() if place is None else (place, place)
        )
        return tuple(self.world.orders(self.state, InputFrame((event,), place, dict(self._chosen))))

    def keyframe(self) -> bytes:
        """State, dice, and what was ordered for the next step."""
        return pickle.dumps((self.state, self._rng, self._pending, self._chosen, self._moment), 5)

    def at(self, keyframe: bytes) -> LiveGame:
        """Another match at the moment of a keyframe."""
        twin = object.__new__(LiveGame)
        twin.__dict__.update(self.__dict__)
        twin.state, twin._rng, twin._pending, twin._chosen, twin._moment = pickle.loads(keyframe)
        twin._maps = {name: twin._map_of(name) for name in self._maps}
        return twin

    def digest(self) -> str:
        """The SHA-256 of state and rng."""
        return packing.digest(
            {"state": self.state, "dice": self._rng, "next": self._pending}, self._kinds
        )

    def origin(self) -> dict[str, Any]:
        """Game, map, settings and seed."""
        packed = packing.pack(
            {"map": packing.unpack(self._map), "settings": self.settings, "seed": self.seed},
            self._kinds,
        )
        return {
            "game": self.game.name,
            "version": self.game.version,
            "match": np.frombuffer(packed, dtype=np.uint8),
        }

    # What the page is told

    def controls(self, initial: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        """The sliders of the game."""
        sliders = sliders_of(self.game)
        if not sliders:
            return {}
        tuned: Mapping[str, float] = self.world.tuned(self.state)  # type: ignore[attr-defined]
        told = [
            {
                "name": each.name,
                "kind": "number",
                "low": each.low,
                "high": each.high,
                "log": each.log,
                "step": each.step,
            }
            | {"value": tuned[each.name], "about": each.text}
            for each in sliders
        ]
        return {self.game.name: {"controls": told, "curve": None}}

    def limits(self) -> dict[str, list[float]]:
        """The limits of colors that the game's fields have."""
        found = {}
        for name in self.maps:
            shown = self.world.scene(
                self.state, self._usual() if name == "field" else frozenset({name})
            ).field
            if shown is not None and shown.limits is not None and shown.limits[0] < shown.limits[1]:
                found[name] = [float(part) for part in shown.limits]
        return found

    def tables(self) -> dict[str, Any]:
        """The tables of colors of fields that stand for teams."""
        found = {}
        for name in self.maps:
            shown = self.world.scene(
                self.state, self._usual() if name == "field" else frozenset({name})
            ).field
            colors = None if shown is None else shown.colors
            if isinstance(colors, tuple):
                found[name] = between(*(rgb_of_tone(tone) for tone in colors))
            elif colors is not None:
                found[name] = tinted(rgb_of_tone(colors))
        return found

    def markers(self) -> dict[str, Any]:
        """Everything that stands somewhere: x, y, size, color."""
        rows: list[list[Any]] = []
        for marks in self.world.scene(self.state, self._usual()).marks:
            places = np.asarray(marks.positions, dtype=np.float64).reshape(-1, 2)[:_MOST_MARKS]
            sizes = np.broadcast_to(
                np.asarray(marks.size, dtype=np.float64), (len(marks.positions),)
            )
            colors = rgb_of_tones(marks.color, len(marks.positions))
            told = zip(places.round(3).tolist(), sizes.tolist(), colors.tolist(), strict=False)
            rows += [
                [*place, size, "#{:02x}{:02x}{:02x}".format(*color), marks.opacity]
                for place, size, color in told
            ]
        return {"units": {"marks": rows[:_MOST_MARKS]}}

    def markers_version(self) -> int:
        """The moment."""
        return self._moment

    def units_near(self, name: str, position: tuple[float, ...]) -> list[dict[str, Any]]:
        """Return the units that contribute most to a map at a position; with amount None the
        nearest units, if the map is not a sum over units.
        """
        marks = self.markers()["units"]["marks"]
        wanted = self._usual() if name == "field" else frozenset({name})
        shown = self.world.scene(self.state, wanted).field if name in self.maps else None
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
        """The match of an `origin`, at its beginning."""
        game = saved_game(origin["game"])
        if game.version != origin["version"]:
            raise BadSaveFile(
                f"This fieldcraft goes on with version {game.version} of {game.name}",
                got=f"version {origin['version']}",
                remedy="Use the fieldcraft that wrote it",
            )
        value = packing.unpack(
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
