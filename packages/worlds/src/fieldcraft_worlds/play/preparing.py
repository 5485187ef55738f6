"""Kernels compiled behind a window, before its match begins: the work in a thread, and a picture
with a bar.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldcraft.readiness import prepare
from fieldcraft.view.drawing import lettered
from fieldcraft_worlds.view.tones import rgb_of_tone

__all__ = ["Preparation", "bar_picture"]

_BAR_WIDTH = 0.6  # of the picture
_BAR_HEIGHT = 14
_PATIENCE = 3.0


class Preparation:
    """Kernels being compiled in a thread, as a context: leaving it ends the work, whether it is
    done or not.

    `done` of `total` kernels are ready.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.done, self.total = 0, len(names)
        self._names = names
        self._stopped = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="fieldcraft preparing", daemon=True)

    def __enter__(self) -> Preparation:
        self._thread.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._stopped.set()
        self._thread.join(_PATIENCE)
        if self._error is not None and reason[0] is None:
            raise self._error

    @property
    def is_over(self) -> bool:
        """Whether nothing goes on any more."""
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            prepare(self._names, self._tell, stopped=self._stopped)
        except BaseException as error:  # raised again where somebody sees it
            self._error = error

    def _tell(self, done: int, total: int) -> None:
        self.done, self.total = done, total


def bar_picture(width: int, height: int, done: int, total: int) -> NDArray[np.uint8]:
    """The picture of a window whose match is being prepared, RGBA of shape (height, width, 4)."""
    picture = np.empty((height, width, 4), dtype=np.uint8)
    picture[:] = (*rgb_of_tone("dark"), 255)
    wide = int(width * _BAR_WIDTH)
    left, top = (width - wide) // 2, height // 2
    picture[top : top + _BAR_HEIGHT, left : left + wide, :3] = np.array(rgb_of_tone("muted")) // 3
    picture[top : top + _BAR_HEIGHT, left : left + wide * min(done, total) // max(total, 1), :3] = (
        rgb_of_tone("goal")
    )
    _write(picture, f"Preparing: {done} of {total}", left, top - 22, "ink", 1.25)
    _write(
        picture, "Once on this machine; the next start is at once.", left, top + 46, "muted", 1.0
    )
    return picture


def _write(
    picture: NDArray[np.uint8], text: str, left: int, top: int, tone: str, scale: float
) -> None:
    mask, x, y = lettered(text, scale)
    left, top = left + x, top + y
    high, wide = (
        min(mask.shape[0], picture.shape[0] - top),
        min(mask.shape[1], picture.shape[1] - left),
    )
    if top < 0 or left < 0 or high <= 0 or wide <= 0:
        return  # a window too small for words
    ground = picture[top : top + high, left : left + wide, :3]
    share = mask[:high, :wide, None] / 255
    ground[:] = np.rint(ground * (1 - share) + np.array(rgb_of_tone(tone)) * share)
