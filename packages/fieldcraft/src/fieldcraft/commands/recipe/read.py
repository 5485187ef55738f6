"""From the tables of a recipe file to plain parts, with every problem of the file at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.settings.dataclasses import (
    Table,
    Text,
    needed_by,
    one_of,
)
from fieldcraft.commands.recipe.loading import read_map
from fieldcraft.commands.recipe.read_acts import (
    MAX_STEPS,
    MapNames,
    read_deposit,
    read_output,
    read_source,
    read_timeline,
)
from fieldcraft.commands.recipe.recipe_parts import (
    FormulaPart,
    LayerPart,
    Mark,
    Recipe,
    RecipeFile,
    RunPart,
    Stamping,
    TeamsPart,
    acting,
    maps_of_teams,
    propagations,
)
from fieldcraft.layers.propagation import Propagation
from fieldcraft.view.palettes import team_colors

T = TypeVar("T")

MAX_TEAMS = 64
_NAME = re.compile(r"[^\W\d][\w -]*")


def read_recipe(
    path: str | Path,
    overrides: Iterable[str] = (),
    *,
    data: str | Path | None = None,
    text: str | None = None,
) -> Recipe:
    """Read and check a recipe file.

    Parameters
    ----------
    path : str or Path
        The TOML file.
    overrides : iterable of str
        Texts "KEY=VALUE" that replace values of the file, such as "layers.threat.decay=0.5".
    data : str or Path, optional
        The folder that replaces `${FIELDCRAFT_DATA}` in the recipe's paths; by default the
        environment variable of that name.
    text : str, optional
        Read in place of the file. Paths are still relative to the folder of `path`.

    Returns
    -------
    Recipe
        The parts of the recipe. `fieldcraft.commands.recipe.played` runs it.

    Raises
    ------
    BadRecipe
        If the file has problems. The message lists all of them, each with its line and a remedy.

    Examples
    --------
    >>> from fieldcraft.commands.recipe import read_recipe
    >>> recipe = read_recipe("camp.toml", text='''
    ... [map]
    ... generate = "empty"
    ... width = 12
    ... height = 7
    ... [layers.threat]
    ... decay = 0.5
    ... [[sources]]
    ... layer = "threat"
    ... position = [2, 3]
    ... [run]
    ... seconds = 1
    ... ''')
    >>> recipe.layers[0].propagation.decay
    0.5
    """
    path = checks.path("path", path)
    file = RecipeFile(
        path,
        overrides,
        data=checks.optional(checks.path)("data", data),
        text=checks.optional(checks.text)("text", text),
    )
    root = Table(file, (), file.table)
    for key in ("run", "map"):
        if key not in root:
            root.report("", f"A recipe has a table [{key}]. Add it.")
    title = root.get("title", Text, path.stem)
    if "run" in root:
        run = root.table("run").make_all(RunPart)
    else:
        run = None
    if "map" in root:
        map_part = read_map(root.table("map"), file)
    else:
        map_part = None
    layers = _read_layers(root)
    if "teams" in root:
        teams = _read_teams(root.table("teams"))
    else:
        teams = None
    parts = acting(layers, teams)
    named = {part.name: part for part in parts}
    if teams is None:
        team_names: tuple[str, ...] = ()
    else:
        team_names = teams.names
    formulas = tuple(
        FormulaPart(("maps", name), name, text)
        for name, text in root.get("maps", dict[str, Any], {}).items()
    )
    _check_names(file, [*parts, *formulas], team_names)
    names = MapNames(
        named, team_names, maps_of_teams(team_names), tuple(formula.name for formula in formulas)
    )
    sources = _found(read_source(table, named) for table in root.tables("sources"))
    timelines = _found(read_timeline(table, named, file) for table in root.tables("timelines"))
    deposits = _found(read_deposit(table, named) for table in root.tables("deposits"))
    outputs = _found(read_output(table, names, run) for table in root.tables("outputs"))
    root.finish()
    for at, output in enumerate(outputs):
        if any(output.file == other.file for other in outputs[:at]):
            file.report(
                (*output.keys, "file"),
                f"Every output has a file of its own. Got {output.file!r} twice. Rename one.",
            )
    if run is not None and run.step is not None:
        step = run.step
    else:
        step = min((part.every for part in parts), default=1.0)
    if run is not None and run.seconds > step * MAX_STEPS:
        file.report(
            ("run", "seconds"),
            f"A run has at most {MAX_STEPS:,} steps. Got {run.seconds:g} seconds in steps of"
            f" {step:g}. Shorten the run or raise run.step.",
        )
    file.raise_all()
    assert run is not None
    assert map_part is not None
    return Recipe(
        file,
        title,
        map_part,
        layers,
        teams,
        formulas,
        sources,
        timelines,
        deposits,
        run,
        outputs,
    )


def _found(parts: Iterable[T | None]) -> tuple[T, ...]:
    """Return the parts that could be read."""
    return tuple(part for part in parts if part is not None)


def _read_layers(root: Table) -> tuple[LayerPart, ...]:
    """Return the layers; a recipe with teams needs none."""
    tables = root.get("layers", Any, {})
    if not isinstance(tables, dict) or (not tables and "teams" not in root):
        root.report(
            "layers",
            "A recipe has at least one layer, or teams. Write [layers.threat] with its keys below,"
            " say.",
        )
        return ()
    parts = []
    for name, given in tables.items():
        table = Table(root.file, ("layers", name), given)
        parts.append(_read_layer(table, name, propagations()))
        table.finish()
    return tuple(parts)


def _read_layer(table: Table, name: str, kinds: Mapping[str, type[Propagation]]) -> LayerPart:
    """Return a layer; an invalid one has a placeholder, so that the rest can be read."""
    word = table.get("propagation", Annotated[str, one_of([*kinds])], next(iter(kinds)))
    kind = kinds[word]
    propagation = _read_propagation(table, kind)
    layer = table.make(
        LayerPart,
        keys=table.keys,
        name=name,
        kind=word,
        propagation=propagation,
        mark=table.make(Mark) if kind.layer_kind == "memory" else None,
        stamping=table.make(Stamping) if kind.layer_kind == "array" else None,
    )
    assert layer is not None
    return layer


def _read_propagation(table: Table, kind: type[Propagation]) -> Propagation:
    """Return the propagation of a layer, or some other of its kind where it is refused."""
    for one, others in kind.replaces.items():
        if one in table and any(other in table for other in others):
            table.report(
                one,
                f"A layer that {kind._verb} does so by {' and '.join(others)}, or by {one}. Got"
                " both. Leave one of them out.",
            )
    made = table.make(kind)
    return made or kind(**dict.fromkeys(needed_by(kind), 1.0))


def _read_teams(table: Table) -> TeamsPart | None:
    """Return the teams."""
    kinds = propagations()
    layer = _read_layer(table, "", {word: kinds[word] for word in ("radial", "spread")})
    part = table.make_all(TeamsPart, layer=layer)
    if part is None:
        return None
    names = part.names
    if len(names) > MAX_TEAMS:
        table.report(
            "names", f"A recipe has at most {MAX_TEAMS} teams. Got {len(names)}. Join some."
        )
    if part.colors and len(part.colors) != len(names):
        table.report(
            "colors", f"colors has one color for each team: {', '.join(names)}. Write as many."
        )
    colors = part.colors
    if not colors:
        try:
            usual = team_colors(names, [None] * len(names))
        except InvalidValue as error:
            table.report("names", f"{error.rule}. Got {error.got}. Write colors = [...].")
            usual = []
        colors = tuple("#{:02x}{:02x}{:02x}".format(*color) for color in usual)
    return replace(part, colors=colors, names=names[:MAX_TEAMS])


def _check_names(
    file: RecipeFile, parts: Iterable[LayerPart | FormulaPart], teams: tuple[str, ...]
) -> None:
    """Report layers, teams and maps whose names can't be used or come twice."""
    taken = {*maps_of_teams(teams), "owner"}
    for part in parts:
        if not _NAME.fullmatch(part.name):
            file.report(
                part.keys,
                "The name of a layer, a team or a map begins with a letter and has letters, digits,"
                f" _, - and spaces. Got {part.name!r}. Rename it.",
            )
        if part.name in taken:
            file.report(
                part.keys,
                "Teams, layers and maps have different names."
                f" Got {part.name!r} for two of them. Rename one.",
            )
        taken.add(part.name)
