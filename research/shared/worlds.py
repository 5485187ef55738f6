"""The worlds of an experiment: generated maps, one for each seed, and map files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from fieldcraft import Graph, Grid, generate_map
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.maps import KINDS
from fieldcraft.formats.maps.generate import HALLS
from fieldcraft_worlds.games.walking import loaded_map, require_grid
from research.shared.study import Job, Row, integer

ALL_MAPS = "all maps"
MOST_SEEDS = 100_000


def seeds_of(seeds: int, first_seed: int) -> range:
    """Return the seeds of a study; raises `InvalidValue` for none and for over `MOST_SEEDS`."""
    count = checks.integer("seeds", seeds, minimum=1, maximum=MOST_SEEDS)
    first = checks.integer("first_seed", first_seed)
    return range(first, first + count)


def _size_of(size: str) -> tuple[int, int]:
    """Return the width and height of "80x56" in cells."""
    parts = str(size).lower().split("x")
    if len(parts) != 2 or not all(
        part.isascii() and part.isdigit() and len(part) <= 6 for part in parts
    ):
        raise InvalidValue(
            "The size of generated maps is WIDTHxHEIGHT in cells",
            got=repr(size)[:80],
            remedy="Pass 80x56, say",
        )
    return int(parts[0]), int(parts[1])


def worlds_of(
    kinds: Iterable[str] | None,
    files: Iterable[str | os.PathLike[str]],
    size: str,
    *,
    neighbors: int = 4,
) -> tuple[list[Row], dict[str, str]]:
    """Return the worlds of --maps, --map and --size as arguments of jobs: `map`, `width` and
    `height`; and digests of the files.

    The default kinds are rooms, cave and open, or none if there are files. The width and height of
    a graph are its number of vertices and 1. `neighbors` applies to grids. Raises `InvalidValue`
    for an unknown kind or size, and `BadMapFile` for a file that is no map.
    """
    maps = list(dict.fromkeys(Path(file) for file in files))
    if kinds is None:
        if not maps:
            names = list(HALLS)
        else:
            names = []
    else:
        names = [checks.choice("kind", kind, KINDS) for kind in kinds]
    width, height = _size_of(size)
    worlds: list[Row] = []
    digests: dict[str, str] = {}
    name: Any
    for name in dict.fromkeys(names):
        generate_map(name, width, height)
        worlds.append({"map": name, "width": width, "height": height})
    for file in maps:
        space = _loaded(str(file), neighbors)
        if len(space.shape) > 1:
            down, across = space.shape
        else:
            down = 1
            across = len(space)
        worlds.append({"map": str(file), "width": across, "height": down})
        digests[f"sha256 of {file}"] = hashlib.sha256(file.read_bytes()).hexdigest()
    return worlds, digests


def world_of(job: Job, *, neighbors: int = 4) -> Grid | Graph:
    """Return the map of a job that has `map`, `width`, `height` and `seed`. A file is read once in
    each process: do not change its walls.
    """
    name: Any = str(job["map"])
    if name not in KINDS:
        return _loaded(name, neighbors)
    width, height, seed = (integer(job, key) for key in ("width", "height", "seed"))
    return generate_map(name, width, height, seed=seed, neighbors=neighbors)


def grid_of(job: Job, game: str, *, neighbors: int = 4) -> Grid:
    """Return `world_of` for a game that needs a grid, such as "The duel is fought"; raises
    `InvalidValue` for anything else.
    """
    return require_grid(world_of(job, neighbors=neighbors), f"{game} on")


def label_of(row: Mapping[str, object]) -> str:
    """Return the label of a world in a table: "cave 80 x 56", or a file's name and its size."""
    name = str(row["map"])
    if name in KINDS:
        called = name
    else:
        called = Path(name).name
    if row["height"] == 1 and name not in KINDS:
        return f"{called} {row['width']} vertices"
    return f"{called} {row['width']} x {row['height']}"


def by_map(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of each map by its label, and of several maps together as "all maps"."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(label_of(row), []).append(row)
    return {**groups, **({ALL_MAPS: list(rows)} if len(groups) > 1 else {})}


@lru_cache(maxsize=8)
def _loaded(name: str, neighbors: int) -> Grid | Graph:
    return loaded_map(name, neighbors)
