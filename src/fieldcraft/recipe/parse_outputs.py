"""The outputs of a recipe, from their tables to plain parts."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.recipe.parts import OutputPart, RunPart
from fieldcraft.recipe.section import REQUIRED, Section
from fieldcraft.view.colors import parse_color

__all__ = ["FILMS", "MAX_FRAMES", "STILLS", "parse_output"]

STILLS = (".png",)
FILMS = (".gif", ".webp", ".mp4")
MAX_FRAMES = 20_000
FASTEST_GIF = 50


def parse_output(section: Section, layers: list[str], run: RunPart) -> OutputPart | None:
    """An output of the recipe; None if it has no usable file name, which is noted."""
    file = section.any("file", REQUIRED, _output_file)
    if file is None:
        return None
    suffix = PurePosixPath(file).suffix
    shown = section.names("layers", layers, "layer", tuple(layers))
    if suffix == ".csv":
        part = _table_output(section, file, shown)
    elif suffix in STILLS:
        at = section.number("at", run.seconds, checks.not_negative)
        if at > run.seconds:
            section.problems.add((*section.keys, "at"), f"The picture is taken within the run's {run.seconds:g} seconds. Got at={at:g}.")
        part = OutputPart(section.keys, file, "still", shown, start=at, look=_look(section, shown))
    else:
        start, until = section.span()
        part = OutputPart(section.keys, file, "film", shown, start=start, until=until, look=_look(section, shown))
        if suffix == ".gif" and run.fps > FASTEST_GIF:
            section.problems.add(
                ("run", "fps"),
                f"A GIF shows at most {FASTEST_GIF} frames per second. Got fps={run.fps:g}. Lower it, or write .mp4 or .webp.",
            )
        frames = (min(until or run.seconds, run.seconds) - start) / run.speed * run.fps
        if frames < 1:
            section.problems.add(section.keys, "A film has at least one frame. Let the run last longer, or let the film begin earlier.")
        elif frames > MAX_FRAMES:
            section.problems.add(
                section.keys,
                f"A film has at most {MAX_FRAMES:,} frames. Got {frames:,.0f}. Raise run.speed, or lower run.fps or run.seconds.",
            )
    section.finish()
    return part


def _output_file(value: Any) -> str:
    kinds = ", ".join((*STILLS, *FILMS, ".csv"))
    if not isinstance(value, str) or PurePosixPath(value).suffix not in (*STILLS, *FILMS, ".csv"):
        raise InvalidValue(f"An output is a file that ends in {kinds}", got=f"file={value!r}", remedy='Write file = "picture.png", say')
    path = PurePosixPath(value.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in value or "\0" in value:
        raise InvalidValue(
            "An output lies below the output folder", got=f"file={value!r}", remedy="Write a plain name, and choose the folder with --out"
        )
    return str(path)


def _table_output(section: Section, file: str, shown: tuple[str, ...]) -> OutputPart:
    points = section.mapping("points", {}, of=_point)
    every = section.number("every", None, checks.positive)
    look = {"threshold": section.number("threshold", 0.0, checks.not_negative)}
    return OutputPart(section.keys, file, "points" if points else "totals", shown, every=every, points=points, look=look)


def _point(name: str, value: object) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise InvalidValue("A point is [x, y]", got=f"{name}={value!r}", remedy="Write two numbers")
    return (checks.finite(name, value[0]), checks.finite(name, value[1]))


def _colors(value: Any, layers: tuple[str, ...]) -> list[str]:
    if not isinstance(value, list) or len(value) != len(layers):
        raise InvalidValue(
            f"colors has one colour for each layer shown: {', '.join(layers)}", got=repr(value), remedy='Write ["#3fa7f5"], say'
        )
    for color in value:
        parse_color(color)
    return value


def _look(section: Section, layers: tuple[str, ...]) -> dict[str, Any]:
    """The keys of pictures and films that say how they look; only those that are there."""
    look: dict[str, Any] = {}
    section.put(look, "title", section.text)
    section.put(look, "caption", section.text)
    section.put(look, "threshold", lambda key: section.number(key, check=checks.not_negative))
    section.put(look, "limits", lambda key: section.numbers(key, "[lowest, highest]", 2))
    section.put(look, "colors", lambda key: section.any(key, None, lambda value: _colors(value, layers)))
    section.put(look, "scale", lambda key: section.whole(key, minimum=1))
    section.put(look, "size", lambda key: section.whole(key, minimum=16))
    for key in ("crop", "sources", "together"):
        section.put(look, key, section.flag)
    return look
