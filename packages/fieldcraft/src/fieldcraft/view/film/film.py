"""Frames as files: PNG, GIF and animated WebP through Pillow, MP4 through PyAV. No display is
needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from fractions import Fraction
from types import TracebackType
from typing import IO, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.files import target_of
from fieldcraft.base.staging import Staging
from fieldcraft.view.film.writers import FASTEST_GIF, SLOWEST_GIF, WRITERS, Writer, need

RGBA = NDArray[np.uint8]

SUFFIXES = tuple(WRITERS)
_LONGEST = 16383


def save_png(path: str | os.PathLike[str], frame: ArrayLike) -> None:
    """Write one frame as a PNG file.

    The file is written beside `path` and renamed, so that `path` is either the old file or the
    whole new one.

    Parameters
    ----------
    path : str or Path
        Ends in .png; its folder is made if there is none.
    frame : array_like
        uint8 of shape (H, W, 4) or (H, W, 3).

    Raises
    ------
    InvalidValue
        For other arrays, another suffix, and a path that can't be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import fieldcraft as fc
    >>> path = Path(tempfile.mkdtemp()) / "fire.png"
    >>> fc.view.save_png(path, fc.view.frame([[0.0, 1.0, 2.0]], scale=20))
    >>> path.read_bytes()[1:4]
    b'PNG'
    """
    if target_of("path", path).suffix.lower() != ".png":
        raise InvalidValue(
            "A PNG file ends in .png", got=str(path), remedy="Use save_film for GIF, WebP and MP4"
        )
    save_film(path, [frame], fps=1)


def save_film(
    path: str | os.PathLike[str],
    frames: Iterable[ArrayLike],
    fps: float = 30.0,
    *,
    quality: int | None = None,
) -> None:
    """Write all frames to a film file.

    Parameters
    ----------
    path, fps, quality
        As for `Film`.
    frames : iterable of array_like
        uint8 of shape (H, W, 4) or (H, W, 3), all of one size; a generator is read frame by frame.

    Raises
    ------
    InvalidValue, MissingLibrary
        Where `Film` does.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import fieldcraft as fc
    >>> path = Path(tempfile.mkdtemp()) / "fire.gif"
    >>> frames = (fc.view.frame([[0.0, k, 2.0]], limits=(0, 2), scale=20) for k in range(3))
    >>> fc.view.save_film(path, frames, fps=10)
    >>> path.read_bytes()[:6]
    b'GIF89a'
    """
    checks.instance(
        frames, Iterable, "frames are many frames", "Pass a list of them, or a generator"
    )
    with Film(path, fps, quality=quality) as film:
        for frame in frames:
            film.add(frame)


class Film:
    """A film file, written frame by frame; the suffix of `path` decides its kind.

    `.gif`: a frame of at most 256 colors keeps them exactly; richer ones share one palette of 256.
    `.webp`: every color exact, or smaller files with a `quality`.
    `.mp4`: H.264 in yuv420p, which every player shows; sides are padded to even numbers by
    repeating the last pixels. `.png`: one frame.

    Use it as a context manager. The file is written beside `path` and moved there when the film is
    closed, so that an error or a kill never leaves half a film there. Frames are encoded as they
    come or kept compressed on disk, so that memory does not grow with their number.

    Parameters
    ----------
    path : str or path
        The file to write; its folder is made with the first frame if there is none.
    fps : float, optional
        Frames per second, 0.001 to 1000; for a GIF 0.002 to 50, since it counts a frame in at most
        65,535 hundredths of a second, and players slow faster ones down.
    quality : int, optional
        1 to 100, for `.webp` (exact if absent) and `.mp4` (90 if absent).

    Raises
    ------
    InvalidValue
        For bad arguments.
    MissingLibrary
        Without Pillow, or PyAV for `.mp4`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import fieldcraft as fc
    >>> path = Path(tempfile.mkdtemp()) / "fire.gif"
    >>> with fc.view.Film(path, fps=10) as film:
    ...     for k in range(3):
    ...         film.add(fc.view.frame([[0.0, k, 2.0]], limits=(0, 2), scale=20))
    >>> film.frames
    3
    """

    def __init__(
        self, path: str | os.PathLike[str], fps: float = 30.0, *, quality: int | None = None
    ) -> None:
        self.path = target_of("path", path)
        self.fps = Fraction(checks.positive("fps", fps)).limit_denominator(1001)
        self.frames = 0
        suffix = self.path.suffix.lower()
        if suffix not in WRITERS:
            raise InvalidValue(
                f"A film ends in one of {', '.join(SUFFIXES)}",
                got=repr(self.path.name),
                remedy="Give the file one of these suffixes",
            )
        least = Fraction(1, 1000)
        most = 1000
        if suffix == ".gif":
            least = SLOWEST_GIF
            most = FASTEST_GIF
        if not least <= self.fps <= most:
            raise InvalidValue(
                f"A {suffix[1:].upper()} runs at {float(least):.2g} to {most} frames per second",
                got=f"fps={fps!r}",
                remedy="Pass 30, say, or write .mp4 or .webp",
            )
        if quality is not None and (
            checks.integer("quality", quality, minimum=1) > 100 or suffix not in (".webp", ".mp4")
        ):
            raise InvalidValue(
                "quality is 1 to 100, for .webp and .mp4",
                got=f"quality={quality!r} for {suffix}",
                remedy="Leave it out",
            )
        need(suffix)
        self._make = WRITERS[suffix]
        self._quality = quality
        self._shape: tuple[int, ...] | None = None
        self._cleanup = ExitStack()
        self._open: tuple[Staging, IO[bytes], Writer] | None = None
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    @contextmanager
    def _discarded_on_error(self) -> Iterator[None]:
        """Discard the film where the block fails."""
        try:
            yield
        except BaseException as error:
            self.discard()
            if isinstance(error, OSError):
                raise InvalidValue(
                    "A picture or film goes to a path that can be written",
                    got=f"{self.path}: {error.strerror or error}; the previous file is unchanged",
                    remedy="Make room, or choose another path",
                ) from error
            raise

    def add(self, frame: ArrayLike) -> None:
        """Append a frame, uint8 of shape (H, W, 4) or (H, W, 3), of the size of the first."""
        if self._closed:
            raise InvalidValue(
                "A film takes frames until it is closed",
                got="a frame for a closed film",
                remedy="Start another Film",
            )
        picture = checked_frame(frame)
        if self._shape is None:
            self._shape = picture.shape
        if picture.shape != self._shape:
            raise InvalidValue(
                "All frames of a film have one shape",
                got=f"shape {picture.shape} after {self._shape}",
                remedy="Draw them at one scale, with captions of as many lines",
            )
        with self._discarded_on_error():
            if self._open is None:
                target = Staging(self.path.parent, [self.path.name])
                staging = self._cleanup.enter_context(target)
                file = self._cleanup.enter_context(staging.part(self.path.name).open("xb+"))
                writer = self._make(file, self.fps, self._quality, picture)
                self._open = (staging, file, writer)
            self._open[2].add(picture)
        self.frames += 1

    def close(self) -> None:
        """Finish the file and put it in place; a film without frames is refused."""
        if self._closed:
            return
        self._closed = True
        if self._open is None:
            raise InvalidValue(
                "A film has at least one frame", got="none", remedy="Add a frame before closing"
            )
        staging, file, writer = self._open
        with self._discarded_on_error():
            writer.finish()
            file.flush()
            os.fsync(file.fileno())
            file.close()
            staging.commit()
            self._cleanup.close()

    def discard(self) -> None:
        """Stop without writing anything; the previous file at `path` stays."""
        self._closed = True
        opened = self._open
        self._open = None
        with suppress(OSError), self._cleanup:
            if opened is not None:
                with suppress(Exception):  # a broken writer may fail once more
                    opened[2].drop()


def checked_frame(frame: ArrayLike, channels: tuple[int, ...] = (3, 4)) -> RGBA:
    """Return a frame, uint8 of shape (H, W, C) with one of some numbers of channels."""
    picture = checks.array("A frame", frame)
    is_frame = picture.dtype == np.uint8 and picture.ndim == 3 and picture.size > 0
    if not is_frame or picture.shape[2] not in channels or max(picture.shape) > _LONGEST:
        shapes = " or ".join(f"(H, W, {count})" for count in reversed(channels))
        raise InvalidValue(
            f"A frame is uint8 of shape {shapes}, at most {_LONGEST:,} pixels along a side",
            got=f"shape {picture.shape}, dtype {picture.dtype}",
            remedy="Pass what fieldcraft.view.frame(layer) returns",
        )
    return picture
