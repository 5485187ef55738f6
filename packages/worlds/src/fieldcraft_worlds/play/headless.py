"""Matches without a window: as fast as the machine makes steps."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from fieldcraft import checks
from fieldcraft.progress import Progress
from fieldcraft.view import save_png
from fieldcraft_worlds.play.overlays import Overlays
from fieldcraft_worlds.play.recording import Recording
from fieldcraft_worlds.play.session import Session
from fieldcraft_worlds.view.panel import Panel, PanelKey
from fieldcraft_worlds.view.viewport import Viewport

__all__ = ["panel_of", "picture_of", "run"]


def run(
    session: Session,
    steps: int,
    *,
    recording: Recording | None = None,
    overlays: Sequence[str] | None = None,
    progress: TextIO | None = None,
) -> int:
    """Make so many steps, or fewer where the match ends, and answer how many; the first and the
    last state are recorded too.
    """
    wanted = checks.integer("steps", steps)
    shown = Overlays(session.game, overlays)
    first = session.steps
    with Progress(progress, session.game.name) as bar:
        _record(session, recording, shown)
        while session.steps < first + wanted and session.result is None:
            session.step()
            if recording is not None and recording.due(session.steps):
                _record(session, recording, shown)
            bar.show((session.steps - first) / wanted)
        if recording is not None and session.steps > first and not recording.due(session.steps):
            _record(session, recording, shown)
    return session.steps - first


def picture_of(
    session: Session,
    size: tuple[int, int],
    path: str | os.PathLike[str],
    overlays: Sequence[str] | None = None,
) -> None:
    """Write a PNG of a match as it stands."""
    shown = Overlays(session.game, overlays)
    save_png(
        Path(path),
        Viewport(*size).draw(
            session.world.scene(session.state, shown.shown), panel_of(session, shown)
        ),
    )


def panel_of(session: Session, overlays: Overlays) -> Panel:
    """The panel of a film beside the map: the step, and the overlays that are shown."""
    keys = tuple(PanelKey("", key.text, True) for key in overlays.keys() if key.on)  # noqa: SIM118 - no dict
    game = session.game
    return Panel(
        keys, f"seed {session.seed}, step {session.steps:,}", (), (), game.title, game.goal
    )


def _record(session: Session, recording: Recording | None, overlays: Overlays) -> None:
    if recording is not None:
        recording.add(
            session.world.scene(session.state, overlays.shown), panel_of(session, overlays)
        )
