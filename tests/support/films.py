"""Films to write and read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

av = pytest.importorskip("av")
Image = pytest.importorskip("PIL.Image")


def flat_frames(
    count: int, colors: int, *, height: int = 37, width: int = 53, seed: int = 0
) -> list[np.ndarray]:
    """Frames of blocks that change here and there, of at most `colors` colors all together."""
    random = np.random.default_rng(seed)
    palette = random.integers(0, 256, (colors, 3), dtype=np.uint8)
    cells = random.integers(0, colors, (height, width))
    frames = []
    for _ in range(count):
        row, column = random.integers(0, height - 5), random.integers(0, width - 7)
        cells[row : row + 5, column : column + 7] = random.integers(0, colors, (5, 7))
        frames.append(np.dstack([palette[cells], np.full((height, width), 255, np.uint8)]))
    return frames


def left_over(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


GREY = np.full((4, 6, 4), 255, np.uint8)
