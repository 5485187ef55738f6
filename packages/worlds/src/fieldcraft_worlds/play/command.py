"""`fieldcraft play`: a game in a window, or without one."""

from __future__ import annotations

import argparse
import re
import sys
import time
from contextlib import nullcontext
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fieldcraft.base.errors import InvalidValue

if TYPE_CHECKING:
    from fieldcraft_worlds.games.game import Game
    from fieldcraft_worlds.play.overlays import Overlays
    from fieldcraft_worlds.play.recording import Recording
    from fieldcraft_worlds.play.session import Session

_GENERATED = re.compile(r"([a-z]+)(?::(\d+)x(\d+))?(?::(\d+))?(?::([a-z]+))?")
_USUAL = (96, 64)

_OPTIONS: dict[str, dict[str, Any]] = {
    "--settings": {
        "type": Path,
        "metavar": "FILE",
        "help": "a TOML file with settings of the game, and inputs by action under [controls]",
    },
    "--set": {
        "action": "append",
        "default": [],
        "metavar": "KEY=VALUE",
        "help": "replace one setting, such as tower.range=12; repeatable",
    },
    "--by-hand": {"action": "store_true", "help": "place and lead your own side (towers)"},
    "--seed": {"type": int, "metavar": "N", "help": "of all random numbers (default: 0)"},
    "--steps": {
        "type": int,
        "metavar": "N",
        "help": "stop after this many steps; needed with --headless",
    },
    "--headless": {
        "action": "store_true",
        "help": "no window: as fast as possible, until the match ends",
    },
    "--record": {"type": Path, "metavar": "FILE", "help": "write a film: .mp4, .gif or .webp"},
    "--every": {
        "type": int,
        "metavar": "K",
        "help": "record every K-th step (default: at most 30 frames a second)",
    },
    "--size": {
        "metavar": "WxH",
        "help": "pixels of window, film and picture (default: by the map)",
    },
    "--load": {"type": Path, "metavar": "SAVE", "help": "continue a saved match"},
    "--replay": {
        "type": Path,
        "metavar": "SAVE",
        "help": "play a saved match again from its start, with its orders",
    },
    "--save-to": {
        "type": Path,
        "metavar": "SAVE",
        "help": "save the match at the end; also the file of F5 and F9",
    },
    "--overlay": {
        "action": "append",
        "metavar": "NAME",
        "help": "show this overlay in place of the default ones; repeatable",
    },
    "--shot": {"type": Path, "metavar": "PNG", "help": "write a picture of the end"},
    "--speed": {
        "type": float,
        "default": 1.0,
        "metavar": "X",
        "help": "speed of the window relative to normal (default: 1)",
    },
    "--mobility": {
        "default": "ground",
        "help": "what moves, for map files: ground, water and others (default: ground)",
    },
    "--device": {
        "metavar": "CARD",
        "help": "compute ants, flock and physarum on a graphics card: gpu, or part of its name; the"
        " results are the same bits. Velocity trails and birds by neighbors need the CPU",
    },
    "--quiet": {"action": "store_true", "help": "print nothing but the digest"},
}


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `play` to the commands of a parser."""
    from fieldcraft_worlds.library import GAMES

    parser = commands.add_parser(
        "play",
        help="play a game, watch it, or run it without a window",
        description="Plays a game in a window; H shows its keys. The last line on standard output"
        " is the digest of the final state.",
        epilog="Example: fieldcraft play towers --headless --steps 5000 --record towers.mp4",
    )
    parser.add_argument(
        "game",
        metavar="GAME",
        nargs="?",
        help=f"one of {', '.join(GAMES)}, or module:object for your own",
    )
    parser.add_argument(
        "map",
        metavar="MAP",
        nargs="?",
        help="a map file, or a kind to generate: open, cave, rooms, pillars, maze, cave:120x80,"
        " cave:120x80:5 with seed 5, maze:41x31:5:growing with that algorithm",
    )
    for flag, keywords in _OPTIONS.items():
        parser.add_argument(flag, **keywords)
    parser.set_defaults(act=_play)


def _check(chosen: argparse.Namespace) -> None:
    """Raise `InvalidValue` for arguments that exclude each other, before any work is done."""
    saved = chosen.load or chosen.replay
    if chosen.game is None and saved is None:
        from fieldcraft_worlds.library import GAMES

        raise InvalidValue(
            "play needs the name of a game",
            got="none",
            remedy=f"Pass one of {', '.join(GAMES)}, or --load SAVE",
        )
    if chosen.load is not None and chosen.replay is not None:
        raise InvalidValue(
            "A saved match continues, or is played again",
            got="--load and --replay",
            remedy="Pass one of the two",
        )
    given = {"MAP": chosen.map, "--seed": chosen.seed, "--by-hand": chosen.by_hand or None}
    for name, value in given.items():
        if saved is not None and value is not None:
            raise InvalidValue(
                "A saved match has its own map, settings and seed",
                got=f"{name} as well",
                remedy="Leave it out",
            )
    if chosen.steps is not None and chosen.steps < 0:
        raise InvalidValue("--steps is at least 0", got=str(chosen.steps), remedy="Pass 5000, say")
    if chosen.headless and chosen.steps is None and chosen.replay is None:
        raise InvalidValue(
            "--headless needs a number of steps", got="none", remedy="Add --steps 5000, say"
        )
    if chosen.every is not None and chosen.record is None:
        raise InvalidValue(
            "--every belongs to --record", got="--every alone", remedy="Add --record out.mp4, say"
        )
    for name in ("shot", "record", "save_to"):
        path = getattr(chosen, name)
        if path is not None and not path.absolute().parent.is_dir():
            raise InvalidValue(
                "The folder of a file must exist",
                got=f"--{name.replace('_', '-')} {path}",
                remedy="Create it first",
            )
    if chosen.shot is not None and chosen.shot.suffix.lower() != ".png":
        raise InvalidValue(
            "--shot writes a .png", got=str(chosen.shot), remedy="Use --record for films"
        )


def _play(chosen: argparse.Namespace) -> None:
    from fieldcraft_worlds.games.device import choose_device
    from fieldcraft_worlds.play.inputs import bindings_of
    from fieldcraft_worlds.play.overlays import Overlays
    from fieldcraft_worlds.play.recording import Recording, default_size, run
    from fieldcraft_worlds.view.panel import PANEL_WIDTH

    _check(chosen)
    choose_device(chosen.device)
    session, controls = _session(chosen)
    bindings_of(session.game, controls)  # raises for unknown inputs and actions
    space = session.world.space
    if chosen.size is None:
        size = default_size(space, PANEL_WIDTH)
    else:
        size = _size(chosen.size)
    overlays = Overlays(session.game, chosen.overlay)
    begun = time.perf_counter()
    first = session.steps
    recorded: Any = nullcontext()
    if chosen.record is not None:
        recorded = Recording(chosen.record, rate=session.world.rate, every=chosen.every, size=size)
    with recorded as recording:

        def watch(seen: Session) -> None:
            if recording is not None:
                recording.add(seen, overlays)

        progress = sys.stderr
        if chosen.quiet:
            progress = None
        if chosen.replay is not None:
            session = session.replayed(watch)
            first = 0
        elif chosen.headless:
            watch(session)
            run(session, chosen.steps, watch=watch, progress=progress)
        else:
            session = _in_window(chosen, session, size, controls, overlays, recording)
        if recording is not None:
            recording.add(session, overlays, is_last=True)
    if chosen.shot is not None and (chosen.headless or chosen.replay is not None):
        _shoot(session, overlays, size, chosen.shot)
    if chosen.save_to is not None:
        session.save(chosen.save_to)
    if not chosen.quiet:
        _report(chosen, session, session.steps - first, time.perf_counter() - begun)
    print(f"digest {session.digest()}")


def _session(chosen: argparse.Namespace) -> tuple[Session, dict[str, Any]]:
    """Return the match, and the inputs that replace those of the game."""
    from fieldcraft.base.settings import settings_from
    from fieldcraft_worlds.library import find_game, saved_game
    from fieldcraft_worlds.play.session import Session
    from fieldcraft_worlds.play.settings import read_table

    table = read_table(chosen.settings, chosen.set)
    saved = chosen.load or chosen.replay
    if saved is not None:
        if chosen.game is None:
            session = Session.load(saved, saved_game)
        else:
            session = Session.load(saved, find_game(chosen.game))
        controls = _controls(table, session.game)
        if table:
            raise InvalidValue(
                "A saved match has its own map, settings and seed",
                got=f"{', '.join(table)} as well",
                remedy="Leave out all but controls",
            )
        return session, controls
    game = find_game(chosen.game)
    controls = _controls(table, game)
    if chosen.by_hand:
        by_hand = getattr(game, "by_hand", {})
        if not by_hand:
            raise InvalidValue(
                "--by-hand is for games that have it",
                got=game.name,
                remedy="Leave it out; H shows what you can do",
            )
        table = {**by_hand, **table}
    settings: Any = settings_from(game.settings, table)
    space = map_of(chosen.map, game, chosen.mobility)
    return Session(game, space, settings, chosen.seed or 0), controls


def _controls(table: dict[str, Any], game: Game) -> dict[str, Any]:
    """Take the inputs out of a table of settings, unless the game has a setting of that name."""
    if "controls" in {field.name for field in fields(game.settings)}:
        return {}
    found: Any = table.pop("controls", {})
    if not isinstance(found, dict):
        raise InvalidValue(
            "controls is a table",
            got=repr(found)[:80],
            remedy='Write [controls] and below it begin = "key g"',
        )
    return found


def map_of(text: str | None, game: Game, mobility: str = "ground") -> Any:
    """Return the map of MAP on the command line: a file, a kind to generate, or the game's own."""
    from fieldcraft import generate_map
    from fieldcraft.formats.maps import KINDS
    from fieldcraft_worlds.games.walking import loaded_map

    if text is None:
        return game.default_map()
    found = _GENERATED.fullmatch(text)
    if found is None or found[1] not in KINDS or Path(text).exists():
        return loaded_map(text, 8, mobility=mobility)
    width, height = _USUAL
    if found[2]:
        width = int(found[2])
        height = int(found[3])
    seed = int(found[4] or 0)
    kind: Any
    algorithm: Any
    kind, algorithm = found.group(1, 5)
    return generate_map(kind, width, height, seed=seed, neighbors=8, algorithm=algorithm)


def _size(text: str) -> tuple[int, int]:
    """Return the width and height of a text."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text.lower())
    if match is None or not all(16 <= int(side) <= 8192 for side in match.groups()):
        raise InvalidValue(
            "--size is WIDTHxHEIGHT, 16 to 8192 pixels each",
            got=repr(text),
            remedy="Pass 1280x720, say",
        )
    return int(match[1]), int(match[2])


def _in_window(
    chosen: argparse.Namespace,
    session: Session,
    size: tuple[int, int],
    controls: dict[str, Any],
    overlays: Overlays,
    recording: Recording | None,
) -> Session:
    """Play a match in a window, and return the last one that was played there."""
    from fieldcraft_worlds.play.player import Player
    from fieldcraft_worlds.play.window import show

    watch = None
    if recording is not None:

        def watch(seen: Session) -> None:
            recording.add(seen, overlays)

    player = Player(
        session,
        size,
        overlays=overlays,
        controls=controls,
        speed=chosen.speed,
        save_to=chosen.save_to or chosen.load,
        stop_after=chosen.steps,
        watch=watch,
    )
    show(player, session.game.title)
    if chosen.shot is not None:
        from fieldcraft.view import save_png

        save_png(chosen.shot, player.picture())
    return player.session


def _shoot(session: Session, overlays: Overlays, size: tuple[int, int], path: Path) -> None:
    """Write a picture of a match."""
    from fieldcraft.view import save_png
    from fieldcraft_worlds.play.recording import panel_of
    from fieldcraft_worlds.view.viewport import Viewport

    scene = session.world.scene(session.state, overlays.shown)
    save_png(path, Viewport(*size).draw(scene, panel_of(session, overlays)))


def _report(chosen: argparse.Namespace, session: Session, steps: int, took: float) -> None:
    if chosen.headless and took > 0:
        pace = f" ({steps / took:,.0f} a second)"
    else:
        pace = ""
    print(
        f"{session.game.name}, seed {session.seed}: {steps:,} steps in {took:.1f} s{pace};"
        f" {session.result or 'not decided'}"
    )
    for path in (chosen.record, chosen.shot, chosen.save_to):
        if path is not None and path.is_file():
            print(f"wrote {path} ({max(1, round(path.stat().st_size / 1024)):,} KiB)")
