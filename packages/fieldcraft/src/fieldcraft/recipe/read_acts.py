"""The tables of a recipe about what acts on its layers and what comes out of it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Annotated, Any

from fieldcraft.recipe.document import RecipeFile
from fieldcraft.recipe.parts import (
    DepositPart,
    FilmKeys,
    LayerPart,
    Look,
    OutputPart,
    OverTimeKeys,
    PlotLook,
    RunPart,
    SourcePart,
    StillKeys,
    TableKeys,
    TimelinePart,
    propagations,
)
from fieldcraft.settings import Table, refused

__all__ = [
    "FILMS",
    "MAX_FRAMES",
    "STILLS",
    "MapNames",
    "read_deposit",
    "read_output",
    "read_source",
    "read_timeline",
]

STILLS = (".png",)
FILMS = (".gif", ".webp", ".mp4")
MAX_FRAMES = 20_000
FASTEST_GIF = 50
_SHORTEST = 0.001
_SOURCE_KEYS: dict[str, tuple[str, ...]] = {
    "spread": (),
    "radial": ("radius", "falloff"),
    "memory": ("radius", "falloff"),
    "trail": ("stamp", "rotation", "scale", "direction"),
    "array": ("stamp", "rotation", "scale"),
}
"""The keys of their own that sources may have, by the kind of their layer."""
_NEEDED = 'Write stamp = { shape = "disc", radius = 3 } there, say.'


@dataclass(frozen=True)
class MapNames:
    """The names in a recipe: `acting` are layers and teams, `of_teams` the maps of teams."""

    acting: Mapping[str, LayerPart]
    teams: tuple[str, ...]
    of_teams: tuple[str, ...]
    formulas: tuple[str, ...]

    @property
    def maps(self) -> list[str]:
        """All maps of numbers."""
        return [*self.acting, *self.of_teams, *self.formulas]

    @property
    def pictures(self) -> list[str]:
        """All that can be drawn."""
        return [*self.maps, *(("owner", "share") if self.teams else ())]


def read_source(table: Table, layers: Mapping[str, LayerPart]) -> SourcePart | None:
    """Return a source of the recipe."""
    layer = _layer_of(table, layers)
    on_wall = "through" if layer and layer.is_cleared else "refuse"
    more: dict[str, Any] = {} if "on_wall" in table else {"on_wall": on_wall}
    part = table.make(SourcePart, None, keys=table.keys, **more)
    table.finish()
    if ("position" in table) == ("path" in table):
        table.add(
            "",
            "A source has either a position or a path. Write position = [x, y] or path = [[seconds,"
            " x, y], ...].",
        )
    if part is None:
        return None
    _check_span(table, part.start, part.until)
    if layer is None:
        return None
    if part.repeat and len(part.path) < 2:
        table.add(
            "repeat",
            "Only a path of at least two points repeats. Write path = [[0, x, y], [10, x, y]].",
        )
    _check_on_wall(table, part.on_wall, layer)
    if "strength" not in table:
        part = replace(part, strength=layer.propagation._default_strength)
    _check_strength(table, "strength", part.strength, layer)
    if part.position is not None:
        part = replace(part, path=((0.0, *part.position),))
    for key in table.given:
        kinds = [kind for kind, keys in _SOURCE_KEYS.items() if key in keys]
        if kinds and layer.propagation._layer_kind not in kinds:
            takers = [word for word, made in propagations().items() if made._layer_kind in kinds]
            table.add(
                key,
                f"{key} is for sources of {' and '.join(takers)} layers. Layer {layer.name!r}"
                f" {layer.propagation._verb}. Leave it out, or change the propagation there.",
            )
    _check_stamp(table, part, layer)
    return part


def _check_stamp(table: Table, part: SourcePart, layer: LayerPart) -> None:
    """Report a source that would leave nothing."""
    has_stamp = part.stamp is not None or layer.stamp is not None
    if layer.is_cleared and not has_stamp:
        table.add("", f"A source of stamps has a stamp, its own or its layer's. {_NEEDED}")
    for key in ("rotation", "scale"):
        if layer.gathers and not has_stamp and key in table:
            table.add(
                key, f"{key} is for a stamp, and neither the source nor its layer has one. Add it."
            )
    if layer.vector and part.position is not None and part.direction is None:
        table.add(
            "",
            "A source on a trail of vectors leaves the direction of its path. It stands still."
            " Write a path, or direction = [x, y].",
        )
    if layer.gathers and not layer.vector and part.direction is not None:
        table.add(
            "direction",
            f"direction is for trails of vectors. Layer {layer.name!r} holds numbers. Write vector"
            " = true there.",
        )


def read_timeline(
    table: Table, layers: Mapping[str, LayerPart], file: RecipeFile
) -> TimelinePart | None:
    """Return a recording of the recipe."""
    path = table.take("file", Annotated[Any, file.resolve])
    if "file" not in table:
        table.add("", "A recording has a file. Add the key 'file'.")
    part = table.make(TimelinePart, file=path, keys=table.keys)
    table.finish()
    if part is None:
        return None
    if not part.layers:
        table.add(
            "layers",
            'layers says which group goes to which layer. Write layers = { "group" = "layer" }.',
        )
    for name in dict.fromkeys(part.layers.values()):
        _check_known(table, "layers", name, layers, "layer")
        layer = layers.get(name)
        if layer is not None:
            _check_on_wall(table, part.on_wall, layer)
            if layer.is_cleared and layer.stamp is None:
                table.add(
                    "layers",
                    f"A recording puts the stamps of its layer. Layer {name!r} has none. {_NEEDED}",
                )
    return part


def read_deposit(table: Table, layers: Mapping[str, LayerPart]) -> DepositPart | None:
    """Return a deposit of the recipe."""
    layer = _layer_of(table, layers)
    part = table.make(DepositPart, keys=table.keys)
    table.finish()
    if part is None or layer is None:
        return None
    if layer.propagation._layer_kind == "radial":
        table.add(
            "layer",
            f"Deposits fade, and on a radial layer nothing does. Got layer {layer.name!r}. Write a"
            " source with from and until.",
        )
    if layer.is_cleared and layer.stamp is None:
        table.add(
            "",
            f"A deposit on stamps is the stamp of its layer. Layer {layer.name!r} has none."
            f" {_NEEDED}",
        )
    if part.every is not None and part.every < _SHORTEST:
        table.add(
            "every",
            f"A deposit comes at most every {_SHORTEST} seconds. Got {part.every:g}. Deposit more"
            " at once.",
        )
    if layer.gathers and layer.vector:
        if not isinstance(part.amount, tuple):
            table.add("amount", "amount is [x, y] on a trail of vectors. Write two numbers.")
    elif isinstance(part.amount, tuple):
        table.add("amount", "amount is a number, but on a trail of vectors. Write one number.")
    else:
        amount = part.amount if "amount" in table else layer.propagation._default_strength
        _check_strength(table, "amount", amount, layer)
        part = replace(part, amount=amount)
    return part


def read_output(table: Table, names: MapNames, run: RunPart | None) -> OutputPart | None:
    """Return an output of the recipe."""
    file = table.take("file", Annotated[str, _output_file])
    if "file" not in table:
        table.add("", "An output has a file. Add the key 'file'.")
    if file is None:
        return None
    suffix = PurePosixPath(file).suffix
    if "over_time" in table and suffix not in FILMS:
        part = _read_over_time(table, file, suffix, names)
    elif suffix == ".csv":
        values = table.values(TableKeys)
        look = Look(threshold=values.pop("threshold", 0.0))
        kind = "points" if "points" in values else "totals"
        part = OutputPart(
            table.keys, file, kind, **_shown(table, values, names.maps, names), look=look
        )
    else:
        keys = StillKeys if suffix in STILLS else FilmKeys
        values = _shown(table, table.values(keys), names.pictures, names)
        look = table.make(Look) or Look()
        _check_look(table, look, values["layers"], names)
        part = OutputPart(table.keys, file, "film", **values, look=look)
        if run is not None:
            part = _check_time(table, part, suffix, run)
    table.finish()
    return part


def _shown(
    table: Table, values: dict[str, Any], known: list[str], names: MapNames
) -> dict[str, Any]:
    """Return the values of an output with the layers that it shows, by default all."""
    for name in values.get("layers", ()):
        _check_known(table, "layers", name, known, "layer or map")
    return {"layers": tuple(names.acting), **values}


def _check_time(table: Table, part: OutputPart, suffix: str, run: RunPart) -> OutputPart:
    """Return a picture or film with its times, and report those that don't fit the run."""
    if suffix in STILLS:
        at = part.start if "at" in table else run.seconds
        if at > run.seconds:
            table.add(
                "at",
                f"The picture is taken within the run's {run.seconds:g} seconds. Got at={at:g}.",
            )
        return replace(part, kind="still", start=at)
    _check_span(table, part.start, part.until)
    if suffix == ".gif" and run.fps > FASTEST_GIF:
        table.file.add(
            ("run", "fps"),
            f"A GIF shows at most {FASTEST_GIF} frames per second. Got fps={run.fps:g}. Lower it,"
            " or write .mp4 or .webp.",
        )
    frames = (min(part.until or run.seconds, run.seconds) - part.start) / run.speed * run.fps
    if not 1 <= frames <= MAX_FRAMES:
        table.add(
            "",
            f"A film has at least one frame and at most {MAX_FRAMES:,} frames. Got {frames:,.0f}."
            " Change run.seconds, run.speed or run.fps.",
        )
    return part


def _read_over_time(table: Table, file: str, suffix: str, names: MapNames) -> OutputPart:
    """Return a table or plot of what the teams hold."""
    if not names.teams:
        table.add(
            "over_time",
            "over_time is about teams. The recipe has none. Write [teams], or leave it out.",
        )
    is_table = suffix == ".csv"
    values = {"over_time": "share", **table.values(OverTimeKeys)}
    look = Look(**({} if is_table else table.values(PlotLook)))
    kind = "holdings" if is_table else "plot"
    return OutputPart(table.keys, file, kind, names.teams, **values, look=look)


def _output_file(name: str, value: object) -> str:
    suffixes = (*STILLS, *FILMS, ".csv")
    if not isinstance(value, str) or PurePosixPath(value).suffix not in suffixes:
        raise refused(
            f"An output is a file that ends in {', '.join(suffixes)}",
            value,
            'Write file = "picture.png", say',
        )
    path = PurePosixPath(value.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in value or "\0" in value:
        raise refused(
            "An output lies below the output folder",
            value,
            "Write a plain name, and choose the folder with --out",
        )
    return str(path)


def _check_look(table: Table, look: Look, shown: tuple[str, ...], names: MapNames) -> None:
    """Report names of maps that are not shown, and maps that need limits."""
    colors, limits = look.colors, look.limits
    if isinstance(colors, list) and len(colors) != len(shown):
        table.add("colors", f"colors has one color for each layer shown: {', '.join(shown)}.")
    for key, named in (("colors", colors), ("limits", limits)):
        for name in named if isinstance(named, dict) else ():
            _check_known(table, key, name, set(shown) & set(names.maps), "map shown")
            if isinstance(named[name], list) and name in names.acting:
                table.add(
                    key, f"A pair of colors is for a map with both signs. Got layer {name!r}."
                )
    for name in shown if limits is None or isinstance(limits, dict) else ():
        is_trail = name in names.acting and names.acting[name].gathers
        if name not in (limits or {}) and (is_trail or name in names.formulas):
            table.add(
                "",
                f"A picture of {'a trail' if is_trail else 'a formula'} has limits, so that its"
                f' colors keep their meaning. {name!r} has none. Write limits = {{ "{name}" ='
                " [0, 1] }, say.",
            )
    if look.front_lines and not names.teams:
        table.add(
            "front_lines", "Front lines lie between teams. The recipe has none. Write [teams]."
        )
    if look.together and len(shown) > 1 and not set(shown) <= set(names.maps):
        table.add("together", "owner and share are pictures of their own. Write together = false.")


def _layer_of(table: Table, layers: Mapping[str, LayerPart]) -> LayerPart | None:
    """Return the layer that a table names."""
    name = table.given.get("layer")
    if not isinstance(name, str):
        return None
    _check_known(table, "layer", name, layers, "layer")
    return layers.get(name)


def _check_known(table: Table, key: str, name: str, known: Iterable[str], what: str) -> None:
    """Report a name that the recipe does not have."""
    names = sorted(known)
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        remedy = f"Perhaps {near[0]!r} is meant" if near else f"Known: {', '.join(names) or 'none'}"
        table.add(key, f"{key} names a {what} of this recipe. Got {name!r}. {remedy}.")


def _check_span(table: Table, start: float, until: float | None) -> None:
    if until is not None and until <= start:
        table.add(
            "until",
            f"until comes after from, which is {start:g}. Got {until:g}. Write a later second.",
        )


def _check_on_wall(table: Table, on_wall: str, layer: LayerPart) -> None:
    if on_wall == "through" and (layer.mark is not None or layer.gathers):
        table.add(
            "on_wall",
            f"Walls hold nothing on a layer that {layer.propagation._verb}."
            ' Got on_wall = "through". Write "nearest".',
        )


def _check_strength(table: Table, key: str, strength: float, layer: LayerPart) -> None:
    """Report a strength that a layer can't take."""
    kind = layer.propagation
    if not kind._smallest <= strength <= kind._largest:
        too_much = strength > kind._largest
        bound = f"at most {kind._largest:,.0f}" if too_much else f"at least {kind._smallest:,.0f}"
        remedy = "Marks fade by themselves." if kind._smallest == 0 else "Count in larger units."
        table.add(
            key,
            f"{key} on a layer that {kind._verb} is {bound}. Got {strength:g}. {remedy}",
        )
