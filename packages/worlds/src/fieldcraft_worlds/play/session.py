"""Matches: a world, its state, its random numbers, and its orders."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from fieldcraft import Space
from fieldcraft.base import checks
from fieldcraft.base.errors import BadSaveFile, FieldcraftError, InvalidValue
from fieldcraft.base.interruption import atomic
from fieldcraft.space import encoding
from fieldcraft_worlds.games.game import Game
from fieldcraft_worlds.play import saving
from fieldcraft_worlds.play.settings import kinds_of

_SAVED: dict[str, Any] = {"seed": int, "steps": int, "dice": np.random.Generator, "journal": tuple}
_KEYS: encoding.Keys = dict.fromkeys((*_SAVED, "map", "settings", "state"))


class Session:
    """A match of a game on a map, from a seed; the same seed and orders make the same match, bit
    for bit.

    `state` is the present state, `steps` the number of steps. Raises the errors of the game.

    Parameters
    ----------
    game : Game
        The game.
    space : object, optional
        The map; the game's own default if None.
    settings : object, optional
        Of the type `game.settings`; the defaults if None.
    seed : int, optional
        At least 0.
    """

    def __init__(self, game: Game, space: Any = None, settings: Any = None, seed: int = 0) -> None:
        self._open(game, space, settings, seed)
        self.restart()

    def _open(self, game: Game, space: Any, settings: Any, seed: int) -> None:
        """Open the world of a match."""
        self.game = game
        if settings is None:
            self.settings = game.settings()
        else:
            self.settings = settings
        if not isinstance(self.settings, game.settings):
            raise InvalidValue(
                f"The settings of {game.name} are {game.settings.__name__}",
                got=type(self.settings).__name__,
                remedy="Pass those, or none",
            )
        self.seed = checks.integer("seed", seed)
        if space is None:
            space = game.default_map()
        self.world = game.open(space, self.settings)
        self._kinds = tuple(dict.fromkeys((*game.kinds, *kinds_of(self.settings))))
        self._map = encoding.to_bytes(self.world.space)

    @atomic
    def restart(self) -> None:
        """Return to the first state, with the same seed."""
        self._rng = np.random.default_rng(self.seed)
        self.state = self.world.start(self._rng)
        self.steps = 0
        self._journal: list[tuple[int, tuple[Any, ...]]] = []

    @property
    def journal(self) -> tuple[tuple[int, tuple[Any, ...]], ...]:
        """The orders: (steps before, orders), for the steps with orders."""
        return tuple(self._journal)

    @property
    def result(self) -> str | None:
        """How it ended, None before the end."""
        return self.world.result(self.state)

    @atomic
    def step(self, orders: Sequence[Any] = ()) -> None:
        """Make a step with some orders; after an error of the game the match is unchanged."""
        given = tuple(orders)
        if not given:
            self.state = self.world.step(self.state, given, self._rng)
        else:
            rng = copy.deepcopy(self._rng)  # a step that fails may have drawn from it
            self.state = self.world.step(self.state, given, rng)
            self._rng = rng
            self._journal.append((self.steps, given))
        self.steps += 1

    @atomic
    def step_if(self, orders: Sequence[Any]) -> list[str]:
        """Make a step with the possible ones of some orders; return why the others are not."""
        try:
            self.step(orders)
        except FieldcraftError as error:
            if not orders:
                raise
            if len(orders) == 1:
                self.step(())
                return [str(error)]
            refusals = []
            good = list[Any]()
            for order in orders:
                try:
                    self.world.step(self.state, (*good, order), copy.deepcopy(self._rng))
                    good.append(order)
                except FieldcraftError as refusal:
                    refusals.append(str(refusal))
            self.step(good)
            return refusals or [str(error)]
        return []

    def digest(self) -> str:
        """Return the SHA-256 of game, map, settings, state and random numbers, in hexadecimal."""
        content = {
            "game": (self.game.name, self.game.version),
            "map": self._space(),
            "settings": self.settings,
            "steps": self.steps,
            "state": self.state,
            "dice": self._rng,
        }
        return encoding.digest(content, self._kinds)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the match with all its orders to a file, in place of an old one; see `load`."""
        header = {"game": self.game.name, "version": self.game.version, "kind": "match"}
        value = {
            "map": self._space(),
            "settings": self.settings,
            "seed": self.seed,
            "steps": self.steps,
            "state": self.state,
            "dice": self._rng,
            "journal": self.journal,
        }
        saving.write(path, header, value, self._kinds)

    @classmethod
    def load(cls, path: str | os.PathLike[str], find: Game | Callable[[str], Game]) -> Self:
        """Return the match of a file; it continues bit for bit like the saved one.

        `find` is the game, or returns the game of a name. Raises `BadSaveFile` for a file that is
        missing, damaged, or of another game or version.
        """
        contents = saving.read(path)
        name = contents.header.get("game")
        version = contents.header.get("version")
        if contents.header.get("kind") != "match" or not isinstance(name, str):
            raise BadSaveFile(
                "A save holds a match",
                got=f"{contents.header.get('kind')!r}: {path}",
                remedy="Use another file",
            )
        if callable(find):
            game = find(name)
        else:
            game = find
        if game.name != name:
            raise BadSaveFile(
                f"A save of {name} is not one of {game.name}",
                got=str(path),
                remedy=f"Play {name}",
            )
        if game.version != version:
            raise BadSaveFile(
                f"This fieldcraft plays version {game.version} of {name}",
                got=f"version {version}: {path}",
                remedy="Use the fieldcraft that wrote it",
            )
        kinds = dict.fromkeys((*game.kinds, *kinds_of(game.settings())))
        value = contents.value(kinds, _KEYS)
        if (
            not isinstance(value, dict)
            or any(type(value.get(key)) is not kind for key, kind in _SAVED.items())
            or not isinstance(value.get("map"), Space)
            or type(value.get("settings")) is not game.settings
            or type(value.get("state")) not in game.kinds
        ):
            raise BadSaveFile(
                "A save holds a whole match",
                got=f"something else: {path}",
                remedy="Use another copy of it",
            )
        try:
            session = cls.__new__(cls)
            session._open(game, value["map"], value["settings"], value["seed"])
        except FieldcraftError as error:
            raise BadSaveFile(
                "The map and settings of a save must be possible",
                got=f"{error}: {path}",
                remedy="Use another one",
            ) from error
        session.state = value["state"]
        session.steps = value["steps"]
        session._rng = value["dice"]
        session._journal = list(value["journal"])
        session._check(path)
        return session

    def _check(self, path: str | os.PathLike[str]) -> None:
        """Raise `BadSaveFile` for a state that the world cannot continue from, and for an
        impossible journal.
        """
        try:
            checks.integer("steps", self.steps)
            before = -1
            for moment, orders in self._journal:
                if (
                    type(moment) is not int
                    or not before < moment < self.steps
                    or type(orders) is not tuple
                    or not orders
                ):
                    raise InvalidValue(
                        "The journal of a save is in order",
                        got=f"{orders!r} at {moment!r}"[:80],
                        remedy="Use another copy",
                    )
                before = moment
            if hasattr(self.world, "check"):
                self.world.check(self.state)
            self.world.step(self.state, (), copy.deepcopy(self._rng))
        except (
            FieldcraftError,
            ArithmeticError,
            AttributeError,
            LookupError,
            MemoryError,
            TypeError,
            ValueError,
        ) as error:
            raise BadSaveFile(
                "A match must be able to continue from a save",
                got=f"{error}: {path}",
                remedy="Use another copy of it",
            ) from error

    def replayed(self, watch: Callable[[Session], object] = lambda session: None) -> Session:
        """Return the match played again from its seed and its orders, up to the present step;
        `watch` is called after each step.
        """
        again = Session(self.game, self._space(), self.settings, self.seed)
        orders = dict(self._journal)
        while again.steps < self.steps:
            again.step(orders.get(again.steps, ()))
            watch(again)
        return again

    def _space(self) -> Any:
        """Return the map at the start of the match."""
        return encoding.from_bytes(self._map)


def play_out(
    game: Game,
    space: Any = None,
    settings: Any = None,
    seed: int = 0,
    *,
    most_steps: int | None = None,
    watch: Callable[[Session], object] | None = None,
) -> Session:
    """Play a match without a player and without a window.

    Parameters
    ----------
    game, space, settings, seed
        As `Session` takes them.
    most_steps : int, optional
        The number of steps after which it stops; a game without an end needs it.
    watch : Callable[[Session], object], optional
        Called before the first step and after each step.

    Returns
    -------
    Session
        The match at its end.
    """
    session = Session(game, space, settings, seed)
    if most_steps is None:
        most = None
    else:
        most = checks.integer("most_steps", most_steps, minimum=1)
    while True:
        if watch is not None:
            watch(session)
        if session.result is not None or session.steps == most:
            return session
        session.step()
