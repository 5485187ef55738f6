"""The same world under several values of one parameter, side by side."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.progress import Progress
from fieldcraft.base.staging import Staging
from fieldcraft.commands.recipe.outputs import Collector, FilmCollector, StillCollector, play
from fieldcraft.commands.recipe.pictures import Painter
from fieldcraft.commands.recipe.read import read_recipe
from fieldcraft.commands.recipe.read_acts import FILMS, STILLS
from fieldcraft.commands.recipe.recipe_parts import FilmPart, Picture, Recipe, Still
from fieldcraft.commands.recipe.world import World

MAX_VALUES = 16
_PAGE = 1280  # pixels across
_PANEL = (320, 640)  # the smallest and the largest side of a map, in pixels


@dataclass(frozen=True)
class Comparison:
    """The outcome of a comparison: `seconds` of the world, `took` seconds in fact."""

    titles: tuple[str, ...]
    seconds: float
    took: float
    files: tuple[Path, ...]


def compare(
    path: str | Path,
    parameter: str,
    values: Sequence[str],
    files: Iterable[str | Path],
    *,
    seconds: float | None = None,
    overrides: Iterable[str] = (),
    data: str | Path | None = None,
    text: str | None = None,
    progress: TextIO | None = None,
) -> Comparison:
    """Run a recipe once per value of a parameter and draw all runs side by side with the same
    colors, as in the recipe's first picture or film. The files are put in place when all are
    complete.

    Parameters
    ----------
    path, overrides, data, text
        As for `read_recipe`.
    parameter : str
        A dotted key such as "layers.threat.decay".
    values : sequence of str
        1 to 16 values as in the file.
    files : iterable of str or Path
        .png for the end of the run; .gif, .webp or .mp4 for the whole run.
    seconds : float, optional
        In place of the recipe's `run.seconds`.
    progress : text file, optional
        Where a progress bar is drawn if it is a terminal.

    Returns
    -------
    Comparison
        The compared values, and the files.

    Raises
    ------
    BadRecipe
        For a recipe with problems.
    InvalidValue
        For no values or more than 16, and for files of other kinds.
    """
    begun = time.perf_counter()
    if not 1 <= len(values) <= MAX_VALUES:
        raise InvalidValue(
            f"A comparison has 1 to {MAX_VALUES} values",
            got=f"{len(values)}",
            remedy="Pass --values 0.8,0.26, say",
        )
    targets = [Path(file) for file in files]
    for target in targets:
        if target.suffix.lower() not in (*STILLS, *FILMS):
            raise InvalidValue(
                f"A comparison is a file that ends in {', '.join((*STILLS, *FILMS))}",
                got=str(target),
                remedy="Pass --out compared.png, say",
            )
    if not targets:
        raise InvalidValue(
            "A comparison makes at least one file",
            got="none",
            remedy="Pass --out compared.png, say",
        )
    overrides = list(overrides)
    recipes = [
        read_recipe(path, [*overrides, f"{parameter}={value}"], data=data, text=text)
        for value in values
    ]
    if seconds is not None:
        lasting = checks.not_negative("seconds", seconds)
        recipes = [replace(each, run=replace(each.run, seconds=lasting)) for each in recipes]
    titles = tuple(f"{parameter.rpartition('.')[2]} {value.strip()}" for value in values)
    worlds = [World(recipe) for recipe in recipes]
    size = min(max(_PAGE // min(len(worlds), 4), _PANEL[0]), _PANEL[1])
    painter = Painter(worlds, _shown(recipes[0], parameter), size=size, names=titles)
    run = recipes[0].run
    everything = FilmPart((), "")
    with ExitStack() as cleanup:
        stagings = []
        collectors = list[Collector]()
        for target in targets:
            staging = cleanup.enter_context(Staging(target.parent, [target.name]))
            part = staging.part(target.name)
            if target.suffix.lower() in FILMS:
                collector: Collector = FilmCollector(painter, everything, run, part)
            else:
                collector = StillCollector(painter, run.seconds, part)
            cleanup.callback(collector.discard)
            stagings.append(staging)
            collectors.append(collector)
        play(worlds, collectors, cleanup.enter_context(Progress(progress, recipes[0].path.name)))
        for staging in stagings:
            staging.commit()
    return Comparison(titles, recipes[0].run.seconds, time.perf_counter() - begun, tuple(targets))


def _shown(recipe: Recipe, parameter: str) -> Picture:
    """Return what to draw: the recipe's first picture that shows the parameter's layer, its first
    picture, or all layers.
    """
    pictures = [output for output in recipe.outputs if isinstance(output, Picture)]
    names = parameter.split(".")
    shown = tuple(layer.name for layer in recipe.acting)
    if names[0] == "layers" and len(names) > 2:
        pictures = [each for each in pictures if names[1] in each.layers]
        shown = (names[1],)
    if pictures:
        return replace(pictures[0], size=None)
    return Still((), "", shown)
