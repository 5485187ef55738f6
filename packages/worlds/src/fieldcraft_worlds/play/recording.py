"""The recording of a match for the eye: a film, or a folder of numbered pictures."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.view import Film, save_png
from fieldcraft.view.drawing import FASTEST_GIF, SUFFIXES
from fieldcraft_worlds.scene import Scene
from fieldcraft_worlds.view.extent import extent_of
from fieldcraft_worlds.view.panel import Panel
from fieldcraft_worlds.view.viewport import Viewport

__all__ = ["Recording", "default_size"]

RGBA = NDArray[np.uint8]

_SMOOTH = 30  # frames a second that a film has at most unless one asks for more
_QUALITY = 75
_HIGHEST, _WIDEST = 720, 1024


class _Reel(Protocol):
    def add(self, frame: RGBA) -> None: ...
    def close(self) -> None: ...
    def discard(self) -> None: ...


class Recording:
    """Draws every so many steps into a film (.mp4, .gif, .webp), or into a folder of PNG files
    where the path has no suffix.

    Use it as a context manager: what is recorded is put in place when the block ends well, and else
    nothing is written.

    Parameters
    ----------
    path : str or path
        The film, or the folder, which is new or empty.
    rate : int
        Steps a second; the film runs at the world's own speed.
    every : int, optional
        Steps from one frame to the next; by default so many that there are at most 30 frames a
        second.
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
        self.path = Path(path)
        self.every = (
            max(1, -(-rate // _SMOOTH))
            if every is None
            else checks.integer("every", every, minimum=1)
        )
        self._stage = Viewport(*size)
        suffix = self.path.suffix.lower()
        self._reel: _Reel
        if suffix == "" or self.path.is_dir():
            self._reel = _Pictures(self.path)
        elif suffix == ".png" or suffix not in SUFFIXES:
            raise InvalidValue(
                "A record is .mp4, .gif or .webp, or a folder of pictures",
                got=repr(self.path.name),
                remedy=(
                    "Give one of these suffixes, or none for a folder; --shot writes one picture"
                ),
            )
        else:
            speed = rate / self.every
            if suffix == ".gif" and speed > FASTEST_GIF:
                raise InvalidValue(
                    f"A GIF has at most {FASTEST_GIF} frames a second",
                    got=f"{speed:g}",
                    remedy=f"Pass --every {-(-rate // FASTEST_GIF)} or more, or write .mp4",
                )
            self._reel = Film(self.path, speed, quality=_QUALITY if suffix == ".mp4" else None)
        self.frames = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and self.frames:
            self._reel.close()
        else:
            self._reel.discard()

    def due(self, step: int) -> bool:
        """Whether the state after so many steps is recorded."""
        return step % self.every == 0

    def add(self, scene: Scene, panel: Panel | None = None) -> None:
        """Append a frame."""
        self._reel.add(self._stage.draw(scene, panel))
        self.frames += 1


class _Pictures:
    """Numbered PNG files in a folder that appears when it is complete."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            if folder.is_dir() and any(folder.iterdir()):
                raise InvalidValue(
                    "Pictures go into a folder that is new or empty",
                    got=str(folder),
                    remedy="Choose another, or empty it",
                )
            if not folder.absolute().parent.is_dir():
                raise InvalidValue(
                    "The folder around the pictures exists",
                    got=str(folder.absolute().parent),
                    remedy="Create it, or choose another",
                )
            self._part = folder.absolute().with_name(
                f".{folder.absolute().name}.{secrets.token_hex(4)}.part"
            )
            self._part.mkdir()
        except OSError as error:
            raise InvalidValue(
                "Pictures go where one can write",
                got=f"{folder}: {error.strerror}",
                remedy="Choose another folder",
            ) from error
        self._count = 0

    def add(self, frame: RGBA) -> None:
        save_png(self._part / f"{self._count:06d}.png", frame)
        self._count += 1

    def close(self) -> None:
        if self._folder.is_dir():
            self._folder.rmdir()
        self._part.rename(self._folder.absolute())

    def discard(self) -> None:
        shutil.rmtree(self._part, ignore_errors=True)


def default_size(space: Any, panel: int) -> tuple[int, int]:
    """(width, height) of a picture that shows a map well, with a panel so wide beside it; both
    even, as films like them.
    """
    across, down = extent_of(space)[1].tolist()
    scale = min(_WIDEST / across, _HIGHEST / down)
    width, height = (max(320, round(side * scale / 2) * 2) for side in (across, down))
    return width + panel, height
