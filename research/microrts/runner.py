"""Matches in parallel processes, and the table that they are written to."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import astuple, dataclass, fields
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from research.microrts.agent import Agent
from research.microrts.board import Settings

if TYPE_CHECKING:
    from research.microrts.bridge import Arena

VARIANTS = {"full": Settings(), "blank": Settings(blank=True)}


@dataclass(frozen=True, order=True)
class Match:
    """The players and the map; `bot` may be another variant of the agent. The seed is that of the
    agent and of the bot's random numbers.
    """

    variant: str
    bot: str
    map: str
    corner: int
    seed: int


@dataclass(frozen=True)
class Row(Match):
    """A match and its outcome; see `bridge.Outcome`."""

    points: float
    cycles: int
    mean_ms: float
    max_ms: float
    bot_ms: float
    bot_errors: int

    def match(self) -> Match:
        """Return the match without its outcome."""
        return Match(self.variant, self.bot, self.map, self.corner, self.seed)


_TYPES = {
    field.name: {"str": str, "int": int, "float": float}[str(field.type)] for field in fields(Row)
}


def matches(
    variants: Sequence[str], bots: Sequence[str], maps: Sequence[str], seeds: int
) -> list[Match]:
    """Return all matches from both corners.

    Those of the first seed come first, and the variants take turns, so a study that stops early
    has played them equally often.
    """
    pairs = [(b, m, c) for b in bots for m in maps for c in (0, 1)]
    return [
        Match(variant, *pair, seed)
        for seed in range(seeds)
        for pair in pairs
        for variant in variants
    ]


def read_rows(path: Path) -> list[Row]:
    """Return the matches in a table as far as there is one."""
    if not path.exists():
        return []
    with path.open() as file:
        return [Row(*(_TYPES[k](v) for k, v in row.items())) for row in csv.DictReader(file)]


def play_all(games: list[Match], folder: Path, path: Path, processes: int) -> Iterator[Row]:
    """Play the matches that are not in the table yet, and append each to it as it ends."""
    done = {row.match() for row in read_rows(path)}
    missing = [game for game in games if game not in done]
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    with (
        path.open("a") as file,
        ProcessPoolExecutor(processes, get_context("spawn"), _start, (folder,)) as pool,
    ):
        out = csv.writer(file)
        if new:
            out.writerow(_TYPES)
        for future in as_completed([pool.submit(_play, game) for game in missing]):
            row = future.result()
            out.writerow(astuple(row))
            file.flush()
            yield row


_arena: Arena | None = None


def _start(folder: Path) -> None:
    global _arena
    from research.microrts.bridge import Arena

    _arena = Arena(folder / "game")


def _play(match: Match) -> Row:
    assert _arena is not None
    agent = Agent(VARIANTS[match.variant], match.seed)
    rival: str | Agent = match.bot
    if match.bot in VARIANTS:
        rival = Agent(VARIANTS[match.bot], match.seed + 1)
    outcome = _arena.play(agent, rival, match.map, match.corner, match.seed)
    return Row(*astuple(match), *astuple(outcome))
