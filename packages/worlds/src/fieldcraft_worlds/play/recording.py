"""Matches without a window, and films of matches."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.progress import Progress
from fieldcraft.view import Film
from fieldcraft.view.picture_parts import FASTEST_GIF
from fieldcraft_worlds.play.overlays import Overlays
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.scene import Scene
from fieldcraft_worlds.view.extent import extent_of
from fieldcraft_worlds.view.panel import Panel, PanelKey
from fieldcraft_worlds.view.viewport import Viewport

_SMOOTH = 30  # frames a second that a film has at most by default
_OPENING = 60  # frames of scenes before the first step
_QUALITY = 75
_HIGHEST = 720
_WIDEST = 1024


class Recording:
    """A film of a match: .mp4, .gif or .webp.

    Use it as a context manager: the file is written when the block ends without an error.

    Parameters
    ----------
    path : str or path
        The file.
    rate : int
        Steps a second; the film runs at the game's own speed.
    every : int, optional
        Steps from one frame to the next; by default a film has at most 30 frames a second.
    size : tuple[int, int], optional
        (width, height) in pixels.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        rate: int,
        every: int | None = None,
        size: tuple[int, int] = (960, 720),
    ) -> None:
        usual = max(1, -(-rate // _SMOOTH))
        if every is None:
            self.every = usual
        else:
            self.every = checks.integer("every", every, minimum=1)
        suffix = Path(path).suffix.lower()
        speed = rate / self.every
        if suffix == ".png":
            raise InvalidValue(
                "--record writes a film", got=str(path), remedy="Use --shot for a picture"
            )
        if suffix == ".gif" and speed > FASTEST_GIF:
            raise InvalidValue(
                f"A GIF has at most {FASTEST_GIF} frames a second",
                got=f"{speed:g}",
                remedy=f"Pass --every {-(-rate // FASTEST_GIF)} or more, or write .mp4",
            )
        quality = None
        if suffix == ".mp4":
            quality = _QUALITY
        self._film = Film(path, speed, quality=quality)
        self._stage = Viewport(*size)
        self._last: tuple[Session, int] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and self._last is not None:
            self._film.close()
        else:
            self._film.discard()

    def add(self, session: Session, overlays: Overlays, *, is_last: bool = False) -> None:
        """Append the frame of a match if it is due: the first, one in `every` steps, the last."""
        here = (session, session.steps)
        is_due = is_last or self._last is None or session.steps % self.every == 0
        if here == self._last or not is_due:
            return
        if self._last is None and session.steps == 0:
            for scene in opening_of(session):
                self._film.add(self._stage.draw(scene, panel_of(session, overlays)))
        scene = session.world.scene(session.state, overlays.shown)
        self._film.add(self._stage.draw(scene, panel_of(session, overlays)))
        self._last = here


def opening_of(session: Session) -> list[Scene]:
    """Return the scenes of a world before its first step, such as the growth of a maze."""
    opening: Callable[[int], list[Scene]] = getattr(session.world, "opening", lambda frames: [])
    return opening(_OPENING)


def run(
    session: Session,
    steps: int,
    *,
    watch: Callable[[Session], object] = lambda session: None,
    progress: TextIO | None = None,
) -> None:
    """Make some steps, or fewer if the match ends; `watch` is called after each."""
    last = session.steps + checks.integer("steps", steps)
    first = session.steps
    with Progress(progress, session.game.name) as bar:
        while session.steps < last and session.result is None:
            session.step()
            watch(session)
            bar.show((session.steps - first) / steps)


def panel_of(session: Session, overlays: Overlays) -> Panel:
    """Return the panel of a film: the step, and the overlays that are shown."""
    keys = tuple(PanelKey("", key.text, True) for key in overlays.keys() if key.on)  # noqa: SIM118
    game = session.game
    status = f"seed {session.seed}, step {session.steps:,}"
    return Panel(keys, status, (), (), game.title, game.goal)


def default_size(space: Any, panel: int) -> tuple[int, int]:
    """Return the (width, height) of a picture that shows a map well, with a panel beside it; both
    are even, for films.
    """
    across, down = extent_of(space)[1].tolist()
    scale = min(_WIDEST / across, _HIGHEST / down)
    width = max(320, round(across * scale / 2) * 2)
    height = max(320, round(down * scale / 2) * 2)
    return width + panel, height
