"""Hunts of a search party during which walls are built: `python -m research.chase.walls`.

A target hides near the place where it was seen, in rooms of 40 x 28 cells; two searchers begin five
seconds later. Walls are built 1, 2, 4 and 8 seconds after that in 30 open cells each time, so that
the searchers still reach the target.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from research.shared.entry import exit_code

_SIGHT = 6.0
_SPEED = 3.0
_LEAD = 15  # moments of a third of a second
_LIMIT = 120  # seconds
_BUILT = (3, 6, 12, 24)  # moments
_CELLS = 30


def main() -> None:
    """Print the seconds of all hunts without and with walls."""
    parser = argparse.ArgumentParser(prog="python -m research.chase.walls", description=__doc__)
    parser.add_argument("--seeds", type=int, default=24)
    chosen = parser.parse_args()
    for walls in (False, True):
        took = np.array([hunt(seed, walls) for seed in range(chosen.seeds)])
        title = "walls are built" if walls else "no walls"
        found = int((took < _LIMIT).sum())
        print(f"{title}: found {found} of {len(took)}, {took.mean():.1f} s", flush=True)


def hunt(seed: int, walls: bool) -> float:
    """Return the seconds until the party sees the target, at most the limit."""
    rng = np.random.default_rng(seed)
    space = fc.generate_map("rooms", 40, 28, seed=seed, neighbors=8)
    free = np.flatnonzero(~space.walls.reshape(-1))
    start = int(free[len(free) // 2])
    away = fc.distance_map(space, space.position_of(start)).values.reshape(-1)
    near = free[(away[free] > 3) & (away[free] < 15)]
    target = hiding_place(space, start, near, rng)
    at = np.asarray(space.position_of(rng.choice(free[away[free] < 5], 2, replace=False)))
    party = fc.SearchParty(space, _SPEED, sight=_SIGHT)
    party.lost(space.position_of(start), (2.0, 0.0))
    party.advance(_LEAD / _SPEED)
    for moment in range(int(_LIMIT * _SPEED)):
        if walls and moment in _BUILT:
            build(space, target, at, rng)
        party.advance(1 / _SPEED)
        view = fc.visible(space, at, _SIGHT).reshape(-1)
        if view[target]:
            return moment / _SPEED
        party.observe(np.flatnonzero(view))
        maps = [fc.distance_map(space, aim) for aim in party.places(at, rng)]
        at = np.array([each.step(here).positions for each, here in zip(maps, at, strict=True)])
    return _LIMIT


def hiding_place(
    space: fc.Grid, start: int, cells: NDArray[np.int64], rng: np.random.Generator
) -> int:
    """Return that of twelve cells out of sight of the start from which fewest others are seen."""
    dark = cells[~fc.visible(space, space.position_of(start), _SIGHT).reshape(-1)[cells]]
    some = rng.choice(dark, 12)
    seen = [fc.visible(space, space.position_of(int(cell)), _SIGHT).sum() for cell in some]
    return int(some[np.argmin(seen)])


def build(space: fc.Grid, target: int, at: NDArray[np.float64], rng: np.random.Generator) -> None:
    """Build walls in some open cells, so that all searchers still reach the target."""
    here = space.cell_at(at)
    free = np.setdiff1d(np.flatnonzero(~space.walls.reshape(-1)), [target, *here])
    for _ in range(40):
        built = rng.choice(free, _CELLS, replace=False)
        space.set_walls(built)
        away = fc.distance_map(space, space.position_of(target)).values.reshape(-1)
        if np.isfinite(away[here]).all():
            return
        space.set_walls(built, False)
    raise RuntimeError("no walls leave a path to the target")


if __name__ == "__main__":
    sys.exit(exit_code("research.chase.walls", main))
