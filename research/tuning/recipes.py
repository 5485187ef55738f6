"""Recipes as something to tune: a world from each seed, and what its layers hold at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.recipe import Recipe, played, read_recipe
from research.experiments.study import Job, Row, whole
from research.tuning.tunable import Tunable, asked

__all__ = ["LEAST", "of_recipe"]

LEAST = "least "
"""The word before an objective of a recipe of which less is better."""

_TABLES = ("layers", "teams", "sources", "deposits")

Floats = NDArray[np.float64]


def of_recipe(path: str) -> Tunable:
    """A recipe as something to tune: the numbers and words of its layers, teams, sources and
    deposits.

    Sought is what is there when it ends, over open ground: the "mean" and the "peak" of a layer,
    the share of ground that a team has "held"; with "least" before it, less is better. A seed of a
    search is the seed of its map.

    Raises
    ------
    BadRecipe
        If it fails.
    InvalidValue
        For a recipe whose map does not come from a seed: then there are no worlds that a search has
        not seen.
    """
    recipe = read_recipe(path)
    if recipe.map.generate is None or "seed" not in _seeded(recipe):
        raise InvalidValue(
            "A recipe that is tuned makes its map from a seed",
            got=f"{path}, whose map is always the same",
            remedy='Give [map] a generate = "cave", say, and a seed',
        )
    names = [name for part in recipe.acting for name in (f"mean {part.name}", f"peak {part.name}")]
    names += [f"held {name}" for name in (recipe.teams.names if recipe.teams else ())]
    objectives = dict.fromkeys(names, 1) | {LEAST + name: -1 for name in names}
    settings = dict(
        item for table in _TABLES for item in _leaves(recipe.document.table.get(table, {}), table)
    )
    return Tunable(
        f"recipe-{Path(path).stem}",
        f"the recipe {recipe.title!r}",
        settings,
        objectives,
        partial(_play, path),
        lambda values: read_recipe(path, _overrides(values)),
        own_worlds=True,
    )


def _seeded(recipe: Recipe) -> Mapping[str, Any]:
    found: Mapping[str, Any] = recipe.document.table.get("map", {})
    return found


def _leaves(value: Any, name: str) -> Iterator[tuple[str, float | int | str]]:
    """The numbers and words below a value, by dotted name; entries of lists are counted."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, f"{name}.{key}")
    elif isinstance(value, list):
        for number, part in enumerate(value):
            if isinstance(part, dict):
                yield from _leaves(part, f"{name}.{number}")
    elif isinstance(value, (int, float, str)) and not isinstance(value, bool):
        yield name, value


def _overrides(values: Mapping[str, Any]) -> list[str]:
    return [
        f"{name}={value!r}" if not isinstance(value, str) else f'{name}="{value}"'
        for name, value in values.items()
    ]


def _play(path: str, job: Job) -> Row:
    """The recipe with the settings of a job, on the map of its seed: what its layers hold at the
    end.
    """
    recipe = read_recipe(path, [f"map.seed={whole(job, 'seed')}", *_overrides(asked(job))])
    imap = played(recipe)
    found: dict[str, float] = {}
    for part in recipe.acting:
        values = _open(imap[part.name])
        found |= {
            f"mean {part.name}": float(values.mean()),
            f"peak {part.name}": float(values.max()),
        }
    teams = recipe.teams.names if recipe.teams else ()
    for name in teams:
        others = np.max([_open(imap[other]) for other in teams if other != name], axis=0)
        found[f"held {name}"] = float((_open(imap[name]) > others).mean())
    return found | {LEAST + name: value for name, value in found.items()}


def _open(layer: Any) -> Floats:
    """The values of a layer on open ground; of vectors their lengths."""
    values = np.asarray(layer.values, dtype=np.float64).reshape(len(layer.space), -1)
    sizes = values[:, 0] if values.shape[1] == 1 else np.hypot(*values.T)
    return np.asarray(sizes[~layer.space.walls.reshape(-1)])
