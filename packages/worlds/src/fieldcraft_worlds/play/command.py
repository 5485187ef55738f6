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

from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.play.arguments import check

if TYPE_CHECKING:
    from fieldcraft_worlds.games.game import Game
    from fieldcraft_worlds.play.pads import PadSettings
    from fieldcraft_worlds.play.recording import Recording
    from fieldcraft_worlds.play.session import Session

__all__ = ["add", "map_of"]

_GENERATED = re.compile(r"([a-z]+)(?::(\d+)x(\d+))?(?::(\d+))?(?::([a-z]+))?")
_USUAL = (96, 64)


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `play` to the commands of a parser."""
    from fieldcraft_worlds.library import GAMES

    parser = commands.add_parser(
        "play",
        help="play a game, watch it, or let it run without a window",
        description=(
            "Plays a game in a window; H shows its keys. The last line on standard output is the"
            " digest of the final state."
        ),
        epilog=(
            "Example: fieldcraft play towers --headless --seed 7 --steps 5000 --record towers.mp4"
        ),
    )
    take = parser.add_argument
    take(
        "game",
        metavar="GAME",
        nargs="?",
        help=f"one of {', '.join(GAMES)}, or module:object for a game of your own",
    )
    take(
        "map",
        metavar="MAP",
        nargs="?",
        help=(
            "a map file, or a kind to generate: open, cave, rooms, pillars, maze, cave:120x80,"
            " cave:120x80:5 with seed 5, maze:41x31:5:growing by that algorithm"
        ),
    )
    take(
        "--settings",
        type=Path,
        metavar="FILE",
        help=(
            "a TOML file with settings of the game, and inputs by action under [controls]; [pad]"
            " dead_zone = 0.2"
        ),
    )
    take(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="replace one setting, such as tower.range=12; may be given several times",
    )
    take(
        "--by-hand",
        action="store_true",
        help="lay things out and lead yourself, in games that have it: towers",
    )
    take(
        "--seed",
        type=int,
        metavar="N",
        help="the seed of all dice (default: 0); the same seed is the same match",
    )
    take(
        "--steps",
        type=int,
        metavar="N",
        help="make so many steps, then stop; needed with --headless",
    )
    take(
        "--headless",
        action="store_true",
        help="no window: as fast as it goes, stopping early where the match ends",
    )
    take(
        "--record",
        type=Path,
        metavar="FILE",
        help="a film (.mp4 .gif .webp), or a new folder for pictures",
    )
    take(
        "--every",
        type=int,
        metavar="K",
        help="record every K-th step (default: at most 30 frames a second)",
    )
    take(
        "--size",
        metavar="WxH",
        help="size of window, film and picture in pixels (default: what suits the map)",
    )
    take(
        "--load",
        type=Path,
        metavar="SAVE",
        help="go on with a saved match; it brings map, settings and seed",
    )
    take(
        "--replay",
        type=Path,
        metavar="SAVE",
        help="play a saved match again, from its start to where it was saved, with its orders",
    )
    take(
        "--save-to",
        type=Path,
        metavar="SAVE",
        help="save the match at the end; also what F5 writes and F9 reads",
    )
    take(
        "--overlay",
        action="append",
        metavar="NAME",
        help="show this overlay in place of the game's choice; may be given several times",
    )
    take("--shot", type=Path, metavar="PNG", help="write a picture of the end")
    take(
        "--speed",
        type=float,
        default=1.0,
        metavar="X",
        help="times normal speed, in a window (default: 1)",
    )
    take(
        "--mobility",
        default="ground",
        help="what moves, for map files: ground, water and others (default: ground)",
    )
    take(
        "--device",
        metavar="CARD",
        help=(
            "let ants, flock and physarum live on a graphics card: gpu, or part of its name"
            " (default: cpu); the match is the same, bit for bit. Ants with velocity trails and"
            " birds that fly by neighbors need the CPU"
        ),
    )
    take(
        "--quiet",
        action="store_true",
        help="no progress bar, and nothing but the digest at the end",
    )
    parser.set_defaults(act=_play)


def _play(chosen: argparse.Namespace) -> None:
    from fieldcraft_worlds.games import carrying
    from fieldcraft_worlds.play.bindings import bindings_of
    from fieldcraft_worlds.play.recording import Recording, default_size
    from fieldcraft_worlds.view.panel import PANEL_WIDTH

    check(chosen)
    carrying.choose(chosen.device)
    session, controls, pads = _session(chosen)
    bindings_of(
        session.game, controls
    )  # refuses inputs and actions that are none, with a window or without
    size = (
        default_size(session.world.space, PANEL_WIDTH)
        if chosen.size is None
        else _size(chosen.size)
    )
    begun, first = time.perf_counter(), session.steps
    recorded: Any = nullcontext()
    if chosen.record is not None:
        recorded = Recording(chosen.record, rate=session.world.rate, every=chosen.every, size=size)
    with recorded as recording:
        if chosen.replay is not None:
            session = _replay(chosen, session, recording)
            first = 0
        elif chosen.headless:
            from fieldcraft_worlds.play.headless import run

            run(
                session,
                chosen.steps,
                recording=recording,
                overlays=chosen.overlay,
                progress=None if chosen.quiet else sys.stderr,
            )
        else:
            session = _in_window(chosen, session, size, controls, pads, recording)
    if chosen.headless or chosen.replay is not None:
        _picture(chosen, session, size)
    if chosen.save_to is not None:
        session.save(chosen.save_to)
    if not chosen.quiet:
        _report(chosen, session, session.steps - first, time.perf_counter() - begun)
    print(f"digest {session.digest()}")


def _session(chosen: argparse.Namespace) -> tuple[Session, dict[str, Any], PadSettings]:
    from fieldcraft_worlds.library import find_game, saved_game
    from fieldcraft_worlds.play.pads import PadSettings
    from fieldcraft_worlds.play.session import Session
    from fieldcraft_worlds.play.settings import read_table, settings_from

    table = read_table(chosen.settings, chosen.set)
    saved = chosen.load or chosen.replay
    if saved is not None:
        game_of = saved_game if chosen.game is None else find_game(chosen.game)
        session = Session.load(saved, game_of)
        controls, pads = (_taken(table, session.game, name) for name in ("controls", "pad"))
        if table:
            raise InvalidValue(
                "A saved match brings its map, settings and seed",
                got=f"{', '.join(table)} as well",
                remedy="Leave all but controls and pad out",
            )
        return session, controls, settings_from(PadSettings, pads)
    game = find_game(chosen.game)
    controls, pads = (_taken(table, game, name) for name in ("controls", "pad"))
    if chosen.by_hand:
        if not hasattr(game, "by_hand"):
            raise InvalidValue(
                "--by-hand is for games that have it",
                got=game.name,
                remedy="Leave it out; H shows what you can do",
            )
        table = {**game.by_hand, **table}
    settings = settings_from(game.settings, table)
    session = Session(
        game,
        map_of(chosen.map, game, chosen.mobility),
        settings,
        0 if chosen.seed is None else chosen.seed,
    )
    return session, controls, settings_from(PadSettings, pads)


def _taken(table: dict[str, Any], game: Game, name: str) -> dict[str, Any]:
    """A part of the settings that is the frame's, unless the game has one of that name itself."""
    if name in {field.name for field in fields(game.settings)}:
        return {}
    found: Any = table.pop(name, {})
    if not isinstance(found, dict):
        example = (
            '[controls] and below it begin = "key g"'
            if name == "controls"
            else "[pad] and below it dead_zone = 0.2"
        )
        raise InvalidValue(f"{name} is a table", got=repr(found)[:80], remedy=f"Write {example}")
    return found


def map_of(text: str | None, game: Game, mobility: str = "ground") -> Any:
    """The map that MAP on the command line stands for: a file, a kind to generate, or the game's
    own where there is none.
    """
    from fieldcraft import generate_map
    from fieldcraft.maps import KINDS
    from fieldcraft_worlds.games.walking import loaded_map

    if text is None:
        return game.default_map()
    generated = _GENERATED.fullmatch(text)
    if generated is not None and generated[1] in KINDS and not Path(text).exists():
        width, height = (int(generated[2]), int(generated[3])) if generated[2] else _USUAL
        return generate_map(
            generated[1],
            width,
            height,
            seed=int(generated[4] or 0),
            neighbors=8,
            algorithm=generated[5],
        )
    return loaded_map(text, 8, mobility=mobility)


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text.lower())
    if match is None or not all(16 <= int(side) <= 8192 for side in match.groups()):
        raise InvalidValue(
            "--size is WIDTHxHEIGHT, 16 to 8192 pixels each",
            got=repr(text),
            remedy="Pass 1280x720, say",
        )
    return int(match[1]), int(match[2])


def _replay(chosen: argparse.Namespace, session: Session, recording: Recording | None) -> Session:
    from fieldcraft.progress import Progress
    from fieldcraft_worlds.play.headless import panel_of
    from fieldcraft_worlds.play.overlays import Overlays

    shown = Overlays(session.game, chosen.overlay)
    with Progress(None if chosen.quiet else sys.stderr, f"{session.game.name} again") as bar:

        def watch(again: Session) -> None:
            if recording is not None and (
                recording.due(again.steps) or again.steps == session.steps
            ):
                recording.add(again.world.scene(again.state, shown.shown), panel_of(again, shown))
            bar.show(again.steps / max(session.steps, 1))

        return session.replayed(watch)


def _in_window(
    chosen: argparse.Namespace,
    session: Session,
    size: tuple[int, int],
    controls: dict[str, Any],
    pads: PadSettings,
    recording: Recording | None,
) -> Session:
    from fieldcraft_worlds.play.headless import panel_of
    from fieldcraft_worlds.play.player import Player
    from fieldcraft_worlds.play.window import show

    def watch(seen: Session) -> None:
        if recording is not None and recording.due(seen.steps):
            recording.add(
                seen.world.scene(seen.state, player.overlays.shown), panel_of(seen, player.overlays)
            )

    player = Player(
        session,
        size,
        overlays=chosen.overlay,
        controls=controls,
        pads=pads,
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


def _picture(chosen: argparse.Namespace, session: Session, size: tuple[int, int]) -> None:
    if chosen.shot is not None:
        from fieldcraft_worlds.play.headless import picture_of

        picture_of(session, size, chosen.shot, chosen.overlay)


def _report(chosen: argparse.Namespace, session: Session, steps: int, took: float) -> None:
    pace = f" ({steps / took:,.0f} a second)" if chosen.headless and took > 0 else ""
    print(
        f"{session.game.name}, seed {session.seed}: {steps:,} steps in {took:.1f} s{pace};"
        f" {session.result or 'not decided'}"
    )
    for path in (chosen.record, chosen.shot, chosen.save_to):
        if path is not None and path.is_file():
            print(f"wrote {path} ({max(1, round(path.stat().st_size / 1024)):,} KiB)")
        elif path is not None and path.is_dir():
            print(f"wrote {path} ({sum(1 for _ in path.iterdir()):,} pictures)")
