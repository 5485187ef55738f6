"""Checks of the arguments of `fieldcraft play`."""

from __future__ import annotations

import argparse

from fieldcraft.errors import InvalidValue

__all__ = ["check"]


def check(chosen: argparse.Namespace) -> None:
    """Raise `InvalidValue` for arguments that exclude each other, before any work is done."""
    saved = chosen.load or chosen.replay
    if chosen.game is None and saved is None:
        from fieldcraft_worlds.library import GAMES

        raise InvalidValue(
            "play names a game",
            got="none",
            remedy=f"Pass one of {', '.join(GAMES)}, or --load SAVE",
        )
    if chosen.load is not None and chosen.replay is not None:
        raise InvalidValue(
            "A match goes on or is played again",
            got="--load and --replay",
            remedy="Pass one of the two",
        )
    if saved is not None:
        brought = {"MAP": chosen.map, "--seed": chosen.seed, "--by-hand": chosen.by_hand or None}
        for name, value in brought.items():
            if value is not None:
                raise InvalidValue(
                    "A saved match brings its map, settings and seed",
                    got=f"{name} as well",
                    remedy="Leave it out",
                )
    if chosen.steps is not None and chosen.steps < 0:
        raise InvalidValue("--steps is at least 0", got=str(chosen.steps), remedy="Pass 5000, say")
    if chosen.headless and chosen.steps is None and chosen.replay is None:
        raise InvalidValue(
            "Without a window one says for how long",
            got="--headless alone",
            remedy="Add --steps 5000, say",
        )
    if chosen.every is not None and chosen.record is None:
        raise InvalidValue(
            "--every belongs to --record", got="--every alone", remedy="Add --record out.mp4, say"
        )
    for name in ("shot", "record", "save_to"):
        path = getattr(chosen, name)
        if path is not None and not path.absolute().parent.is_dir():
            raise InvalidValue(
                "The folder of what is written exists",
                got=f"--{name.replace('_', '-')} {path}",
                remedy="Create it first",
            )
    if chosen.shot is not None and chosen.shot.suffix.lower() != ".png":
        raise InvalidValue(
            "--shot writes a .png", got=str(chosen.shot), remedy="Use --record for films"
        )
