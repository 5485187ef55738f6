"""The outputs of a recipe, from their tables to plain parts."""

from __future__ import annotations

import itertools
from pathlib import PurePosixPath
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.recipe.parse_layers import Names
from fieldcraft.recipe.parts import OutputPart, RunPart
from fieldcraft.recipe.section import REQUIRED, Section
from fieldcraft.view.colors import parse_color

__all__ = ["FILMS", "MAX_FRAMES", "STILLS", "parse_output"]

STILLS = (".png",)
FILMS = (".gif", ".webp", ".mp4")
MAX_FRAMES = 20_000
FASTEST_GIF = 50


def parse_output(section: Section, names: Names, run: RunPart) -> OutputPart | None:
    """An output of the recipe; None if it has no usable file name, which is noted."""
    file = section.any("file", REQUIRED, _output_file)
    if file is None:
        return None
    suffix = PurePosixPath(file).suffix
    if section.has("over_time") and suffix in (*STILLS, ".csv"):
        part = _over_time_output(section, file, names, suffix)
    elif suffix == ".csv":
        section.put({}, "over_time")
        part = _table_output(section, file, _shown(section, names, names.maps))
    elif suffix in STILLS:
        section.put({}, "over_time")
        shown = _shown(section, names, names.pictures)
        at = section.number("at", run.seconds, checks.not_negative)
        if at > run.seconds:
            section.problems.add(
                (*section.keys, "at"),
                f"The picture is taken within the run's {run.seconds:g} seconds. Got at={at:g}.",
            )
        part = OutputPart(
            section.keys, file, "still", shown, start=at, look=_look(section, shown, names)
        )
    else:
        part = _film_output(section, file, names, run, suffix)
    section.finish()
    return part


def _shown(section: Section, names: Names, known: list[str]) -> tuple[str, ...]:
    shown: tuple[str, ...] = section.names("layers", known, "layer or map", tuple(names.acting))
    return shown


def _film_output(
    section: Section, file: str, names: Names, run: RunPart, suffix: str
) -> OutputPart:
    shown = _shown(section, names, names.pictures)
    start, until = section.span()
    if suffix == ".gif" and run.fps > FASTEST_GIF:
        section.problems.add(
            ("run", "fps"),
            f"A GIF shows at most {FASTEST_GIF} frames per second. Got fps={run.fps:g}. Lower it,"
            " or write .mp4 or .webp.",
        )
    frames = (min(until or run.seconds, run.seconds) - start) / run.speed * run.fps
    if frames < 1:
        section.problems.add(
            section.keys,
            "A film has at least one frame. Let the run last longer, or let the film begin"
            " earlier.",
        )
    elif frames > MAX_FRAMES:
        section.problems.add(
            section.keys,
            f"A film has at most {MAX_FRAMES:,} frames. Got {frames:,.0f}. Raise run.speed, or"
            " lower run.fps or run.seconds.",
        )
    return OutputPart(
        section.keys,
        file,
        "film",
        shown,
        start=start,
        until=until,
        look=_look(section, shown, names),
    )


def _over_time_output(section: Section, file: str, names: Names, suffix: str) -> OutputPart:
    over_time = section.choice("over_time", ("share", "owned"))
    if not names.teams:
        section.problems.add(
            (*section.keys, "over_time"),
            "over_time is about teams. The recipe has none. Write [teams], or leave it out.",
        )
    every = section.number("every", None, checks.positive)
    look: dict[str, Any] = {}
    if suffix != ".csv":
        section.put(look, "title", section.text)
        section.put(look, "caption", section.text)
        section.put(
            look, "limits", lambda key: section.any(key, None, lambda value: _pair(key, value))
        )
        section.put(look, "size", lambda key: section.whole(key, minimum=240))
    kind = "holdings" if suffix == ".csv" else "plot"
    return OutputPart(
        section.keys,
        file,
        kind,
        names.teams,
        every=every,
        over_time=over_time or "share",
        look=look,
    )


def _output_file(value: Any) -> str:
    kinds = ", ".join((*STILLS, *FILMS, ".csv"))
    if not isinstance(value, str) or PurePosixPath(value).suffix not in (*STILLS, *FILMS, ".csv"):
        raise InvalidValue(
            f"An output is a file that ends in {kinds}",
            got=f"file={value!r}",
            remedy='Write file = "picture.png", say',
        )
    path = PurePosixPath(value.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in value or "\0" in value:
        raise InvalidValue(
            "An output lies below the output folder",
            got=f"file={value!r}",
            remedy="Write a plain name, and choose the folder with --out",
        )
    return str(path)


def _table_output(section: Section, file: str, shown: tuple[str, ...]) -> OutputPart:
    points = section.mapping("points", {}, of=_point)
    every = section.number("every", None, checks.positive)
    look = {"threshold": section.number("threshold", 0.0, checks.not_negative)}
    return OutputPart(
        section.keys,
        file,
        "points" if points else "totals",
        shown,
        every=every,
        points=points,
        look=look,
    )


def _point(name: str, value: object) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) not in (2, 3):
        raise InvalidValue(
            "A point is [x, y], or [x, y, z] on 3D maps",
            got=f"{name}={value!r}",
            remedy="Write the numbers in brackets",
        )
    return tuple(checks.finite(name, number) for number in value)


def _floors(value: Any) -> int | list[float]:
    if isinstance(value, list):
        heights = [checks.finite("Each height of floors", each) for each in value]
        if len(heights) < 2 or any(
            later <= earlier for earlier, later in itertools.pairwise(heights)
        ):
            raise InvalidValue(
                "floors are heights, ascending",
                got=repr(value)[:60],
                remedy="Write [0, 4, 8], say, or how many",
            )
        return heights
    return checks.whole("floors", value, minimum=1)


def _colors(value: Any, shown: tuple[str, ...], names: Names) -> dict[str, Any]:
    """A colour, or a pair for the two signs, by the name of a map; written as a list for all or as
    a table for some.
    """
    if isinstance(value, list) and len(value) == len(shown):
        value = dict(zip(shown, value, strict=True))
    elif not isinstance(value, dict):
        raise InvalidValue(
            f"colors has one colour for each layer shown: {', '.join(shown)}",
            got=repr(value),
            remedy='Write ["#3fa7f5"], say',
        )
    for name, color in value.items():
        if name not in shown or name not in names.maps:
            numbers = ", ".join(each for each in shown if each in names.maps)
            raise InvalidValue(
                "colors has names of layers and maps shown",
                got=repr(name),
                remedy=f"Shown here: {numbers}",
            )
        is_pair = isinstance(color, list) and len(color) == 2
        if is_pair and name in names.acting:
            raise InvalidValue(
                "A pair of colours is for a map with both signs",
                got=f"layer {name!r}",
                remedy="Write one colour",
            )
        for part in color if is_pair else [color]:
            parse_color(part)
    table: dict[str, Any] = value
    return table


def _pair(key: str, value: Any) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise InvalidValue(
            f"{key} is [lowest, highest]", got=repr(value)[:60], remedy="Write two numbers"
        )
    low, high = (checks.finite(key, number) for number in value)
    if not low < high:
        raise InvalidValue(
            f"{key} is [lowest, highest] with lowest below highest",
            got=f"[{low:g}, {high:g}]",
            remedy="Mend the numbers",
        )
    return low, high


def _limits(value: Any, shown: tuple[str, ...]) -> Any:
    """One pair for all that is shown, or a table of them by name."""
    if not isinstance(value, dict):
        return _pair("limits", value)
    for name in value:
        if name not in shown:
            raise InvalidValue(
                "limits has names of what is shown",
                got=repr(name),
                remedy=f"Shown here: {', '.join(shown)}",
            )
    return {name: _pair(f"limits of {name}", pair) for name, pair in value.items()}


def _look(section: Section, shown: tuple[str, ...], names: Names) -> dict[str, Any]:
    """The keys of pictures and films that say how they look; only those that are there."""
    look: dict[str, Any] = {}
    section.put(look, "title", section.text)
    section.put(look, "caption", section.text)
    section.put(look, "threshold", lambda key: section.number(key, check=checks.not_negative))
    section.put(
        look, "limits", lambda key: section.any(key, None, lambda value: _limits(value, shown))
    )
    section.put(
        look,
        "colors",
        lambda key: section.any(key, None, lambda value: _colors(value, shown, names)),
    )
    section.put(look, "scale", lambda key: section.whole(key, minimum=1))
    section.put(look, "size", lambda key: section.whole(key, minimum=16))
    section.put(look, "columns", lambda key: section.whole(key, minimum=1))
    section.put(look, "floors", lambda key: section.any(key, None, _floors))
    for key in ("crop", "sources", "together", "front_lines", "arrows"):
        section.put(look, key, section.flag)
    limits = look.get("limits", () if section.has("limits") else {})
    for name in shown if isinstance(limits, dict) else ():
        is_trail = name in names.acting and names.acting[name].gathers
        if name not in limits and (
            is_trail or (name in names.formulas and name not in names.acting)
        ):
            what = "a trail" if is_trail else "a formula"
            section.problems.add(
                section.keys,
                f"A picture of {what} has limits, so that its colours keep their meaning. {name!r}"
                " has none. "
                f'Write limits = {{ "{name}" = [0, 1] }}, say.',
            )
    if look.get("front_lines") and not names.teams:
        section.problems.add(
            (*section.keys, "front_lines"),
            "Front lines lie between teams. The recipe has none. Write [teams].",
        )
    if look.get("together") and any(name not in names.maps for name in shown) and len(shown) > 1:
        section.problems.add(
            (*section.keys, "together"),
            "owner and share are pictures of their own. Write together = false.",
        )
    return look
