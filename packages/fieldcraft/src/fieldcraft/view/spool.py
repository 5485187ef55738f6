"""Frames kept compressed in a temporary file, so that memory does not grow with their number."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["Spool"]


class Spool:
    """A list of equal-sized uint8 arrays of `shape` that lives on disk until it is closed."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the spool
        self._ends = [0]

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, index: int) -> NDArray[np.uint8]:
        self._file.seek(self._ends[index])
        squeezed = self._file.read(self._ends[index + 1] - self._ends[index])
        return np.frombuffer(zlib.decompress(squeezed), dtype=np.uint8).reshape(self._shape)

    def __iter__(self) -> Iterator[NDArray[np.uint8]]:
        return (self[index] for index in range(len(self)))

    def add(self, frame: NDArray[np.uint8]) -> None:
        """Append a frame."""
        self._file.seek(self._ends[-1])
        self._ends.append(self._ends[-1] + self._file.write(zlib.compress(frame.tobytes(), 1)))

    def close(self) -> None:
        """Forget all frames."""
        self._file.close()
