"""Radial fields on random worlds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.layers.propagation.radial.footprints import Shape
from fieldcraft.layers.propagation.radial.radial import METRICS, Radial
from fieldcraft.layers.propagation.radial.radial_sources import Emitters
from fieldcraft.layers.propagation.radial.radial_updates import GridRadialUpdates, RadialUpdates
from fieldcraft.layers.sources.falloff import Falloff, Ring
from support.worlds import KNIGHT_AND_CORNER, WRAPS, GridWorld


def follow(field: RadialUpdates, slots: NDArray[np.int64], new: Emitters) -> None:
    """Begin to replace what a field holds of the sources in these rows."""
    rows = max(len(field.applied), int(slots.max(initial=-1)) + 1)
    alive, changed = np.ones(rows, bool), np.zeros(rows, bool)
    cells, strengths, numbers = np.zeros(rows, int), np.zeros(rows, np.float32), np.zeros(rows, int)
    changed[slots] = True
    cells[slots], strengths[slots], numbers[slots] = new.columns
    field.follow(numbers, alive, cells, strengths, changed)


def filled(field: RadialUpdates, sources: Emitters) -> RadialUpdates:
    follow(field, np.arange(len(sources)), sources)
    field.catch_up()
    return field


FALLOFFS = [
    Falloff.of(f)
    for f in (
        "constant",
        "linear",
        "parabolic",
        "cubic",
        "exponential",
        "gaussian",
        "smoothstep",
        Ring(0.2, 0.9),
        [1, 0.5, -0.7, 0],
    )
]
RADII = [0.5, 1.0, 2.5, 7.0, 12.0]


@dataclass(frozen=True)
class World(GridWorld):
    """A map, a propagation, and the seed of all that happens."""

    metric: str
    blend: str
    thickness: float
    seed: int

    def field(self, space: fc.Grid) -> RadialUpdates:
        """A field that knows all shapes: number `i * len(RADII) + j` is falloff `i` with radius
        `j`.
        """
        field = GridRadialUpdates(
            Radial(3, metric=self.metric, blend=self.blend, thickness=self.thickness), space
        )
        for falloff in FALLOFFS:
            for radius in RADII:
                field.footprints.number(Shape(falloff, radius), field.walks)
        return field


WORLDS = st.builds(
    World,
    width=st.integers(1, 60),
    height=st.integers(1, 50),
    neighbors=st.sampled_from([4, 8, KNIGHT_AND_CORNER]),
    wrap=st.sampled_from(WRAPS),
    walls=st.sampled_from([0.0, 0.03, 0.3]),
    has_terrain=st.sampled_from([False, False, True]),
    metric=st.sampled_from(METRICS),
    blend=st.sampled_from(["sum", "max"]),
    thickness=st.sampled_from([0.0, 0.0, 1.0, 2.5]),
    seed=st.integers(0, 2**16),
)


def emission(rng: np.random.Generator, count: int, cells: int) -> Emitters:
    """Random sources, a third of them gone."""
    strengths = rng.choice([rng.uniform(-5, 10), 1.0, -1.0, 2.0**20, 1e-7], count) * (
        rng.random(count) < 0.7
    )
    return Emitters(
        rng.integers(0, cells, count),
        strengths.astype(np.float32).astype(float),
        rng.integers(0, len(FALLOFFS) * len(RADII), count),
    )
