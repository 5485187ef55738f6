"""A thin bridge to microRTS: one Java machine, the bots of the competition, matches in Python.

Only this file imports JPype. State and orders cross as JSON, in one call each a cycle.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import jpype

from research.microrts.game import Kind, Order, State, orders_text, read_kinds, read_state

BOTS = {
    "workerRush": "ai.abstraction.WorkerRush",
    "lightRush": "ai.abstraction.LightRush",
    "heavyRush": "ai.abstraction.HeavyRush",
    "randomBiased": "ai.RandomBiasedAI",
    "coac": "ai.coac.CoacAI",
    "rojo": "ai.competition.rojobot.Rojo",
    "guidedRojo": "ai.competition.GRojoA3N.GuidedRojoA3N",
    "tiamat": "ai.competition.tiamat.Tiamat",
    "droplet": "GNS.Droplet",
    "izanagi": "ai.competition.IzanagiBot.Izanagi",
    "mixed": "ai.JZ.MixedBot",
    "naiveMCTS": "ai.mcts.naivemcts.NaiveMCTS",
}
_LONGEST = {8: 3000, 16: 4000, 24: 5000, 32: 6000, 64: 8000, 256: 12000}
_FINETUNED = 2  # the competition's table of unit types


class Player(Protocol):
    """What decides for one side: `orders` is called in every cycle in which a unit is free."""

    def orders(self, state: State) -> list[Order]:
        """Return orders for free units; the others wait."""


@dataclass(frozen=True)
class Outcome:
    """Points for the player (1, 0.5 or 0), cycles played, milliseconds a cycle of the player with
    the bridge (mean and largest), and of the bot, and the number of cycles in which the bot did
    nothing because it raised an exception.
    """

    points: float
    cycles: int
    mean_ms: float
    max_ms: float
    bot_ms: float
    bot_errors: int


class Arena:
    """A Java machine with the game and its bots; there is one in a process."""

    def __init__(self, folder: Path) -> None:
        """Start Java on the folder that `python -m research.microrts setup` filled."""
        jars = [folder / "microrts.jar", *sorted(folder.glob("*.jar")), *folder.glob("lib/*.jar")]
        if not jars[0].exists():
            raise FileNotFoundError(f"There is no {jars[0]}. Run the set-up first.")
        options = ("-Xmx800m", "-XX:+UseSerialGC", "-Djava.awt.headless=true")
        jpype.startJVM(*options, classpath=[str(jar) for jar in jars])
        self._folder = folder
        self._types = jpype.JClass("rts.units.UnitTypeTable")(_FINETUNED)
        self._state = jpype.JClass("rts.GameState")
        self._ground = jpype.JClass("rts.PhysicalGameState")
        self._action = jpype.JClass("rts.PlayerAction")
        self._exception = jpype.JClass("java.lang.Exception")
        self._writer = jpype.JClass("java.io.StringWriter")
        self.kinds: dict[str, Kind] = read_kinds(self._written(self._types))

    def play(
        self,
        player: Player,
        rival: str | Player,
        map_name: str,
        corner: int,
        seed: int,
        watch: Callable[[State], None] | None = None,
    ) -> Outcome:
        """Play one match against a bot, or against another player.

        `corner` is the number of the player's side. A bot that raises an exception does nothing in
        that cycle. Raises ValueError for an unknown map or bot, and RuntimeError where Java raises
        any other exception, which cannot be sent between processes.
        """
        path = self._folder / "maps" / map_name
        if not path.is_file():
            raise ValueError(
                f"There is no map {map_name!r} in {self._folder / 'maps'}. "
                "Map names look like '16x16/basesWorkers16x16A.xml'."
            )
        if isinstance(rival, str) and rival not in BOTS:
            raise ValueError(f"There is no bot {rival!r}. Bots are {', '.join(BOTS)}.")
        try:
            return self._match(player, rival, path, corner, seed, watch)
        except jpype.JException as error:
            where = f"{rival} on {map_name}, corner {corner}, seed {seed}"
            raise RuntimeError(f"Java raised an exception in the match {where}: {error}") from None

    def _match(
        self,
        player: Player,
        rival: str | Player,
        path: Path,
        corner: int,
        seed: int,
        watch: Callable[[State], None] | None,
    ) -> Outcome:
        ground = self._ground.load(str(path), self._types)
        game = self._state(ground, self._types)
        bot: Any = self._bot(rival, seed) if isinstance(rival, str) else None
        extent = max(int(ground.getWidth()), int(ground.getHeight()))
        most = next(cycles for size, cycles in _LONGEST.items() if extent <= size)
        over = False
        spent = 0.0
        slowest = 0.0
        rival_spent = 0.0
        errors = 0
        while not over and game.getTime() < most:
            begin = time.perf_counter()
            action = self._decision(player, game, corner, watch)
            middle = time.perf_counter()
            if isinstance(rival, str):
                try:
                    other = bot.getAction(1 - corner, game)
                except self._exception:
                    other = self._action()
                    errors += 1
            else:
                other = self._decision(rival, game, 1 - corner, None)
            rival_spent += time.perf_counter() - middle
            spent = spent + middle - begin
            slowest = max(slowest, middle - begin)
            for each in (action, other) if corner == 0 else (other, action):
                game.issueSafe(each)
            over = game.cycle()
        cycles = int(game.getTime())
        winner = int(game.winner())
        if winner < 0:
            points = 0.5
        else:
            points = float(winner == corner)
        each = 1000 / cycles
        return Outcome(points, cycles, spent * each, 1000 * slowest, rival_spent * each, errors)

    def _decision(
        self, player: Player, game: Any, corner: int, watch: Callable[[State], None] | None
    ) -> Any:
        """Return a player's action in this cycle, as Java takes it."""
        if not game.canExecuteAnyAction(corner):
            return self._action()
        state = read_state(self._written(game), self.kinds, corner)
        if watch is not None:
            watch(state)
        return self._action.fromJSON(orders_text(player.orders(state)), game, self._types)

    def _written(self, item: Any) -> str:
        writer = self._writer()
        item.toJSON(writer)
        return str(writer)

    def _bot(self, name: str, seed: int) -> Any:
        """Make a bot whose random numbers start from a seed.

        Bots that search until their time is over still differ from run to run.
        """
        bot = jpype.JClass(BOTS[name])(self._types)
        bot.reset()
        random = jpype.JClass("java.util.Random")
        sampler = jpype.JClass("util.Sampler")
        for holder, item in ((bot.getClass(), bot), (sampler.class_, None)):
            for field in holder.getDeclaredFields():
                if field.getType() == random.class_:
                    field.setAccessible(True)
                    field.get(item).setSeed(seed)
        return bot
