"""`python -m fieldcraft_worlds.gallery [piece ...]`: record a film of every world and write their
page.

Films go to docs/gallery as looped WebP, the page to docs/gallery.md. They are the same on every
run, with or without a display.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.progress import Progress
from fieldcraft.base.settings import settings_from
from fieldcraft.view import Film
from fieldcraft_worlds.library import WORLDS, Piece, find_game
from fieldcraft_worlds.play.command import map_of
from fieldcraft_worlds.play.overlays import Overlays
from fieldcraft_worlds.play.recording import opening_of, run
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.play.settings import read_table
from fieldcraft_worlds.scene import Scene
from fieldcraft_worlds.view.extent import extent_of
from fieldcraft_worlds.view.scene import draw_scene

RGBA = NDArray[np.uint8]

PIECES = [(row.name, piece) for row in WORLDS for piece in row.pieces]
MOST_BYTES = 1_500_000
_HOLD = 1.5
HEAD = """# Games and gallery

At the end of this page you have seen every world that comes with fieldcraft. Nobody plays in these
films: all that moves decides from layers. The command below a film opens the same match in a
window, where you can take part: H shows the keys, M gives you a side, R plays it again. Rules,
settings, learning environments and how to write a game of your own are in
[fieldcraft-worlds](../packages/worlds/README.md). `make gallery` makes the films.
"""

_WIDEST = 80  # characters of a line of a command


def main() -> int:
    """Make the films named on the command line, or all, and the page."""
    parser = argparse.ArgumentParser(
        prog="python -m fieldcraft_worlds.gallery",
        description="Record a film of every world, and write the page that shows them.",
    )
    parser.add_argument(
        "pieces",
        nargs="*",
        metavar="piece",
        help=f"{', '.join(piece.name for _, piece in PIECES)} (default: all)",
    )
    parser.add_argument(
        "--docs",
        type=Path,
        default=Path("docs"),
        metavar="DIR",
        help="where gallery.md and gallery/ go (default: docs)",
    )
    parser.add_argument(
        "--short", action="store_true", help="two frames each: shows that everything runs"
    )
    chosen = parser.parse_args()
    named = {piece.name: (game, piece) for game, piece in PIECES}
    unknown = [name for name in chosen.pieces if name not in named]
    if unknown:
        parser.error(f"there is no piece {unknown[0]!r}; there are {', '.join(named)}")
    folder: Path = chosen.docs / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    large = []
    for game, piece in [named[name] for name in chosen.pieces] or PIECES:
        path = folder / f"{piece.name}.webp"
        digest = record(game, piece, path, short=chosen.short)
        size = path.stat().st_size
        print(f"wrote {path} ({max(1, round(size / 1024)):,} KiB), digest {digest[:12]}")
        if size > MOST_BYTES:
            large.append(path.name)
    page = chosen.docs / "gallery.md"
    page.write_text(page_of(PIECES), encoding="utf-8")
    print(f"wrote {page}")
    for name in large:
        print(
            f"{name} is larger than {MOST_BYTES / 1e6:g} MB: give it fewer frames, less width or"
            " less quality",
            file=sys.stderr,
        )
    return 1 if large else 0


def record(name: str, piece: Piece, path: Path, *, short: bool = False) -> str:
    """Film a part of a match; return the digest of its end."""
    game = find_game(name)
    sides = [piece.settings]
    if piece.beside is not None:
        sides.append(piece.beside)
    sessions = [
        Session(
            game,
            map_of(piece.place or None, game),
            settings_from(game.settings, read_table(None, list(settings))),
            piece.seed,
        )
        for settings in sides
    ]
    session = sessions[0]
    rate = session.world.rate
    overlays = Overlays(game, piece.overlays or None)
    across, down = extent_of(session.world.space)[1].tolist()
    size = (piece.width, round(piece.width * down / across / 2) * 2)
    if short:
        frames = 2
    else:
        frames = max(int(piece.seconds * rate / piece.every), 2)

    def drawn() -> RGBA:
        shown = [
            draw_scene(each.world.scene(each.state, overlays.shown), size) for each in sessions
        ]
        return np.concatenate(shown, axis=1)

    def go_on(steps: int) -> None:
        for each in sessions:
            run(each, steps)

    opening: list[Scene] = []
    if short:
        go_on(1)
    else:
        if piece.begin == 0:
            opening = opening_of(session)
        go_on(round(piece.begin * rate))
    with (
        Film(path, rate / piece.every, quality=piece.quality) as film,
        Progress(sys.stderr, piece.name) as bar,
    ):
        for scene in opening:
            film.add(draw_scene(scene, size))
        for number in range(frames):
            film.add(drawn())
            bar.show((number + 1) / frames)
            if session.result is not None:
                for _ in range(round(_HOLD * rate / piece.every)):  # the end stays for a moment
                    film.add(drawn())
                break
            go_on(piece.every)
    return session.digest()


def page_of(pieces: Sequence[tuple[str, Piece]]) -> str:
    """Return the page, with a chapter for each piece."""
    chapters = []
    for game, piece in pieces:
        film = f"![{piece.title}](gallery/{piece.name}.webp)"
        chapters.append(
            f"## {piece.title}\n\n{piece.summary}\n\n{film}\n\n*What to see: {piece.look}*"
            f" [How it works]({piece.guide})\n\n```bash\n{_folded(piece.command(game))}\n```\n"
        )
    return "\n".join([HEAD, *chapters])


def _folded(command: str) -> str:
    """Return a command in lines that fit on a page, broken before options."""
    lines: list[str] = []
    for part in command.replace(" --", "\n--").split("\n"):
        if lines and len(lines[-1]) + len(part) < _WIDEST:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return " \\\n    ".join(lines)


if __name__ == "__main__":
    sys.exit(main())
