"""From the tables of a recipe file to plain parts, with every problem of the file noted at once."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.maps import FORMATS, MapOptions
from fieldcraft.maps.generate import KINDS as GENERATED
from fieldcraft.maps.mazes import ALGORITHMS
from fieldcraft.recipe.document import Document
from fieldcraft.recipe.parse_acts import parse_deposit, parse_source, parse_timeline
from fieldcraft.recipe.parse_layers import (
    Names,
    maps_of_teams,
    parse_formulas,
    parse_layers,
    parse_teams,
)
from fieldcraft.recipe.parse_outputs import parse_output
from fieldcraft.recipe.parts import MapPart, Recipe, RunPart, acting
from fieldcraft.recipe.section import REQUIRED, Problems, Section
from fieldcraft.space.hex_grid import ORIENTATIONS

__all__ = ["MAX_STEPS", "read_recipe"]

MAX_STEPS = 5_000_000
_GENERATED = (*GENERATED, "empty", "pitch")
_MAP_KEYS = (
    "width",
    "height",
    "length",
    "margin",
    "center",
    "cell_size",
    "seed",
    "y_up",
    "origin",
    "walls",
    "algorithm",
    "loops",
    "corridor",
)


def read_recipe(
    path: str | Path,
    overrides: Iterable[str] = (),
    *,
    data: str | Path | None = None,
    text: str | None = None,
) -> Recipe:
    """Reads and checks a recipe file.

    `overrides` are texts "KEY=VALUE" that replace values of the file, such as
    "layers.threat.decay=0.5". `data` is the folder that `${FIELDCRAFT_DATA}` stands for in the
    recipe's paths, by default the environment variable of that name. `text` is read in place of the
    file, whose folder is still the one that paths are relative to.

    Raises `BadRecipe` that lists every problem, each with its line and what to do.
    """
    path = checks.path("path", path)
    data = None if data is None else checks.path("data", data)
    text = None if text is None else checks.text("text", text)
    document = Document(path, overrides, data=data, text=text)
    problems = Problems(document)
    root = Section(problems, (), document.table)
    title = root.text("title", Path(path).stem)
    run = _run(_table(root, "run", problems), root.has("run"))
    map_part = _map(_table(root, "map", problems), root.has("map"))
    layers = parse_layers(root, problems)
    teams = parse_teams(root, problems, layers)
    parts = acting(layers, teams)
    team_names = teams.names if teams else ()
    of_teams = maps_of_teams(team_names)
    for name in (*of_teams, "owner", "share") if teams else ():
        if any(part.name == name for part in parts):
            problems.add(
                ("layers", name),
                f"A recipe with teams has a map {name!r} already. Give the layer another name.",
            )
    formulas = parse_formulas(root, problems, parts, of_teams)
    named = {part.name: part for part in parts}
    names = Names(
        named,
        team_names,
        of_teams,
        tuple(root.any("maps", {}, lambda value: value if isinstance(value, dict) else {})),
    )
    sources = tuple(parse_source(section, named) for section in _tables(root, "sources", problems))
    timelines = tuple(
        parse_timeline(section, named) for section in _tables(root, "timelines", problems)
    )
    deposits = tuple(
        parse_deposit(section, named) for section in _tables(root, "deposits", problems)
    )
    outputs = tuple(
        part
        for section in _tables(root, "outputs", problems)
        if (part := parse_output(section, names, run))
    )
    root.finish()
    if not (sources or timelines or deposits):
        problems.add(
            (),
            "A recipe has at least one of [[sources]], [[timelines]] and [[deposits]]. Without them"
            " every layer stays 0. Add one.",
        )
    files = [output.file for output in outputs]
    for output in outputs:
        if files.count(output.file) > 1:
            problems.add(
                (*output.keys, "file"),
                f"Every output has a file of its own. Got {output.file!r} twice. Rename one.",
            )
    step = run.step or min((part.every for part in parts), default=1.0)
    if run.seconds > step * MAX_STEPS:
        problems.add(
            ("run", "seconds"),
            f"A run has at most {MAX_STEPS:,} steps. Got {run.seconds:g} seconds in steps of"
            f" {step:g}. Shorten the run or raise run.step.",
        )
    problems.raise_all()
    return Recipe(
        document,
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


def _table(root: Section, key: str, problems: Problems) -> Section:
    if not root.has(key):
        problems.add((), f"A recipe has a table [{key}]. Add it.")
    return Section(problems, (key,), root.any(key, {}, lambda value: value))


def _tables(root: Section, key: str, problems: Problems) -> list[Section]:
    items = root.any(key, [], lambda value: value)
    if not isinstance(items, list):
        problems.add(
            (key,), f"{key} is a list of tables. Write each as [[{key}]], in two brackets."
        )
        return []
    return [Section(problems, (key, index), item) for index, item in enumerate(items)]


def _run(section: Section, there: bool) -> RunPart:
    seconds = section.number("seconds", REQUIRED if there else None, checks.not_negative)
    part = RunPart(
        seconds=math.nan if seconds is None else seconds,
        speed=section.number("speed", 1.0, checks.positive),
        fps=section.number("fps", 20.0, checks.positive),
        step=section.number("step", None, checks.positive),
        settle=section.flag("settle", False),
    )
    section.finish()
    return part


def _map(section: Section, there: bool) -> MapPart:
    if section.has("kind"):
        return _hexes(section)
    file = section.path("file", None)
    generate = section.choice("generate", _GENERATED, None)
    options: dict[str, Any] = {}
    if there and section.has("file") == section.has("generate"):
        got = "both" if section.has("file") else "neither"
        kinds = ", ".join(_GENERATED)
        section.problems.add(
            section.keys,
            f'A map has either a file or generate. Got {got}. Write file = "..." or generate = one'
            f' of {kinds}, or kind = "hex".',
        )
    section.put(options, "neighbors", lambda key: section.any(key, 4, _neighbors))
    if section.has("file"):
        section.put(options, "mobility", section.text)
        taken = {name for format_ in FORMATS for name in format_.options}
        for key in MapOptions.__annotations__:
            if key in taken:
                section.put(options, key)
    elif section.has("generate") and generate is None:
        for key in _MAP_KEYS:
            section.put({}, key)
    elif generate == "pitch":
        for key in ("length", "width", "cell_size"):
            section.put(options, key, lambda key: section.number(key, check=checks.positive))
        section.put(options, "margin", lambda key: section.number(key, check=checks.not_negative))
        section.put(options, "center", lambda key: section.numbers(key, "[x, y]", 2))
    elif generate is not None:
        options["width"] = section.whole("width", minimum=1)
        options["height"] = section.whole("height", minimum=1)
        section.put(options, "cell_size", lambda key: section.number(key, check=checks.positive))
        if generate == "empty":
            section.put(options, "origin", lambda key: section.numbers(key, "[x, y]", 2))
            section.put(
                options,
                "walls",
                lambda key: section.rows(key, "[x, y, x, y], two opposite corners", 4, 4),
            )
        else:
            section.put(options, "seed", section.whole)
        if generate == "maze":
            section.put(options, "algorithm", lambda key: section.choice(key, ALGORITHMS))
            section.put(options, "loops", lambda key: section.number(key, check=checks.fraction))
            section.put(options, "corridor", lambda key: section.whole(key, minimum=1))
    if generate is not None:
        section.put(options, "y_up", section.flag)
    section.finish()
    return MapPart(file, generate, options)


def _hexes(section: Section) -> MapPart:
    section.choice("kind", ("hex",))
    options: dict[str, Any] = {name: section.whole(name, minimum=1) for name in ("columns", "rows")}
    section.put(options, "orientation", lambda key: section.choice(key, ORIENTATIONS))
    section.put(options, "size", lambda key: section.number(key, check=checks.positive))
    section.put(options, "origin", lambda key: section.numbers(key, "[x, y]", 2))
    section.put(
        options, "walls", lambda key: section.rows(key, "[x, y, x, y], two opposite corners", 4, 4)
    )
    for name in ("wrap", "y_up"):
        section.put(options, name, section.flag)
    section.finish()
    return MapPart(None, "hex", options)


def _neighbors(value: Any) -> Any:
    if (
        isinstance(value, list)
        and value
        and all(isinstance(step, list) and len(step) == 2 for step in value)
    ):
        return [
            [checks.whole("A step of neighbors", part, minimum=-64) for part in step]
            for step in value
        ]
    if isinstance(value, bool) or value not in (4, 8):
        raise InvalidValue(
            "neighbors is 4, 8, or a list of [dx, dy] steps",
            got=f"neighbors={value!r}",
            remedy="Write neighbors = 8, say",
        )
    return int(value)
