"""A film of an episode: the layer of traffic, and a square for each agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from research.pogema.player import Variant, play

_SCALE = 9  # pixels of a cell
_AGENT = (245, 245, 245)


def film(instance: dict[str, Any], variant: Variant, path: Path) -> None:
    """Play an instance and write a film of it, ten steps a second."""
    frames: list[NDArray[np.uint8]] = []

    def record(traffic: fc.Layer, cells: NDArray[np.int64]) -> None:
        frame = fc.view.frame(traffic, scale=_SCALE, limits=(0, 0.6))
        corners = np.stack(np.divmod(cells, traffic.space.shape[1]), axis=-1) * _SCALE
        for y, x in (corners + _SCALE // 4).tolist():
            frame[y : y + _SCALE // 2, x : x + _SCALE // 2, :3] = _AGENT
        frames.append(frame)

    episode = play(instance, variant, watch=record)
    fc.view.save_film(path, frames, fps=10)
    print(f"{path}: {episode.throughput:.2f} goals a step")
