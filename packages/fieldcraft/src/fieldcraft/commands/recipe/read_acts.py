"""The tables of a recipe about what acts on its layers and what comes out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Annotated, Any

from fieldcraft.base.settings.dataclasses import Table, refused
from fieldcraft.base.settings.toml import nearest
from fieldcraft.base.words import IfSourceOnWall
from fieldcraft.commands.recipe.recipe_parts import (
    DepositPart,
    FilmPart,
    HoldingsPlot,
    HoldingsTable,
    LayerPart,
    Output,
    Picture,
    RecipeFile,
    RunPart,
    SourcePart,
    Still,
    TimelinePart,
    TotalsTable,
    propagations,
)

STILLS = (".png",)
FILMS = (".gif", ".webp", ".mp4")
MAX_STEPS = 5_000_000
MAX_FRAMES = 20_000
FASTEST_GIF = 50
_SOURCE_KEYS: dict[str, tuple[str, ...]] = {
    "radial": ("radius", "falloff"),
    "array": ("rotation",),
}
"""The keys of their own that sources may have, by the kind of their layer."""


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


def read_source(table: Table, layers: Mapping[str, LayerPart]) -> SourcePart | None:
    """Return a source of the recipe."""
    layer = _layer_of(table, layers)
    defaults = {}
    if "on_wall" not in table:
        if layer and layer.is_cleared:
            defaults["on_wall"] = "through"
        else:
            defaults["on_wall"] = "refuse"
    part = table.make_all(SourcePart, keys=table.keys, **defaults)
    if ("position" in table) == ("path" in table):
        table.report(
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
        table.report(
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
        if kinds and layer.propagation.layer_kind not in kinds:
            takers = [word for word, made in propagations().items() if made.layer_kind in kinds]
            table.report(
                key,
                f"{key} is for sources of {' and '.join(takers)} layers. Layer {layer.name!r}"
                f" {layer.propagation._verb}. Leave it out, or change the propagation there.",
            )
    if layer.vector and part.position is not None:
        table.report(
            "",
            "A source on a trail of vectors leaves the direction of its path. It stands still."
            " Write a path.",
        )
    return part


def read_timeline(
    table: Table, layers: Mapping[str, LayerPart], file: RecipeFile
) -> TimelinePart | None:
    """Return a recording of the recipe."""
    path = table.get("file", Annotated[Any, file.resolve])
    if "file" not in table:
        table.report("", "A recording has a file. Add the key 'file'.")
    part = table.make_all(TimelinePart, file=path, keys=table.keys)
    if part is None:
        return None
    if not part.layers:
        table.report(
            "layers",
            'layers says which group goes to which layer. Write layers = { "group" = "layer" }.',
        )
    for name in dict.fromkeys(part.layers.values()):
        _check_known(table, "layers", name, layers, "layer")
        if name in layers:
            _check_on_wall(table, part.on_wall, layers[name])
    return part


def read_deposit(table: Table, layers: Mapping[str, LayerPart]) -> DepositPart | None:
    """Return a deposit of the recipe."""
    layer = _layer_of(table, layers)
    part = table.make_all(DepositPart, keys=table.keys)
    if part is None or layer is None:
        return None
    if layer.propagation.layer_kind in ("radial", "array"):
        table.report(
            "layer",
            f"Deposits fade, and on a layer that {layer.propagation._verb} nothing does. Got layer"
            f" {layer.name!r}. Write a source with from and until.",
        )
    if layer.gathers and layer.vector:
        if not isinstance(part.amount, tuple):
            table.report("amount", "amount is [x, y] on a trail of vectors. Write two numbers.")
    elif isinstance(part.amount, tuple):
        table.report("amount", "amount is one number, except on a trail of vectors. Write one.")
    else:
        if "amount" in table:
            amount = part.amount
        else:
            amount = layer.propagation._default_strength
        _check_strength(table, "amount", amount, layer)
        part = replace(part, amount=amount)
    return part


def read_output(table: Table, names: MapNames, run: RunPart | None) -> Output | None:
    """Return an output of the recipe."""
    file = table.get("file", Annotated[str, _output_file])
    if "file" not in table:
        table.report("", "An output has a file. Add the key 'file'.")
    if file is None:
        return None
    suffix = PurePosixPath(file).suffix
    kind = _kind_of(suffix, "over_time" in table)
    if kind in (HoldingsTable, HoldingsPlot) and not names.teams:
        table.report(
            "over_time",
            "over_time is about teams. The recipe has none. Write [teams], or leave it out.",
        )
    part = table.make_all(kind, keys=table.keys, file=file)
    if isinstance(part, (Picture, TotalsTable)):
        known = names.maps
        if isinstance(part, Picture) and names.teams:
            known = [*known, "owner"]
        for name in part.layers:
            _check_known(table, "layers", name, known, "layer or map")
        part = replace(part, layers=part.layers or tuple(names.acting))
    if isinstance(part, Picture):
        _check_picture(table, part, names)
    if run is not None and isinstance(part, (TotalsTable, HoldingsTable, HoldingsPlot)):
        _check_rows(table, part.every, run)
    if run is not None and isinstance(part, Still):
        if part.at is None:
            return replace(part, at=run.seconds)
        at = part.at
        if at > run.seconds:
            table.report(
                "at",
                f"The picture is taken within the run's {run.seconds:g} seconds. Got at={at:g}.",
            )
    if run is not None and isinstance(part, FilmPart):
        _check_film(table, part, suffix, run)
    return part


def _kind_of(suffix: str, over_time: bool) -> type[Output]:
    """Return the kind of an output by the suffix of its file, and by whether it is over time."""
    if suffix == ".csv":
        if over_time:
            return HoldingsTable
        return TotalsTable
    if suffix in STILLS:
        if over_time:
            return HoldingsPlot
        return Still
    return FilmPart


def _check_rows(table: Table, every: float | None, run: RunPart) -> None:
    """Report more rows of a table, or moments of a plot, than a run has steps."""
    if every is not None and run.seconds > every * MAX_STEPS:
        table.report(
            "every",
            f"An output over time has at most {MAX_STEPS:,} rows. Got {run.seconds:g} seconds in"
            f" rows of {every:g}. Raise every.",
        )


def _check_film(table: Table, part: FilmPart, suffix: str, run: RunPart) -> None:
    """Report times of a film that don't fit the run."""
    _check_span(table, part.start, part.until)
    if suffix == ".gif" and run.fps > FASTEST_GIF:
        table.file.report(
            ("run", "fps"),
            f"A GIF shows at most {FASTEST_GIF} frames per second. Got fps={run.fps:g}. Lower it,"
            " or write .mp4 or .webp.",
        )
    frames = (min(part.until or run.seconds, run.seconds) - part.start) / run.speed * run.fps
    if not 1 <= frames <= MAX_FRAMES:
        table.report(
            "",
            f"A film has at least one frame and at most {MAX_FRAMES:,} frames. Got {frames:,.0f}."
            " Change run.seconds, run.speed or run.fps.",
        )


def _output_file(name: str, value: object) -> str:
    """Return the path of an output, below the folder of outputs."""
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


def _check_picture(table: Table, part: Picture, names: MapNames) -> None:
    """Report names of maps that are not shown, and maps that need limits."""
    shown = part.layers
    limits = part.limits
    if part.colors and len(part.colors) != len(shown):
        table.report("colors", f"colors has one color for each layer shown: {', '.join(shown)}.")
    if part.titles and len(part.titles) != len(shown):
        table.report("titles", f"titles has one title for each layer shown: {', '.join(shown)}.")
    if isinstance(limits, dict):
        for name in limits:
            _check_known(table, "limits", name, set(shown) & set(names.maps), "map shown")
        without_limits = [name for name in shown if name not in limits]
    elif limits is None:
        without_limits = list(shown)
    else:
        without_limits = []
    for name in without_limits:
        layer = names.acting.get(name)
        if name in names.formulas or (layer and (layer.gathers or layer.is_cleared)):
            table.report(
                "",
                "A picture of a trail, of stamps or of a formula has limits, so that its colors"
                f' keep their meaning. {name!r} has none. Write limits = {{ "{name}" = [0, 1] }},'
                " say.",
            )
    if part.front_lines and not names.teams:
        table.report(
            "front_lines", "Front lines lie between teams. The recipe has none. Write [teams]."
        )
    if part.together and len(shown) > 1 and not set(shown) <= set(names.maps):
        table.report("together", "owner is a picture of its own. Write together = false.")


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
        problem = f"{key} names a {what} of this recipe. Got {name!r}. {nearest(name, names)}."
        table.report(key, problem)


def _check_span(table: Table, start: float, until: float | None) -> None:
    """Report an end that is not after the beginning."""
    if until is not None and until <= start:
        table.report(
            "until",
            f"until comes after from, which is {start:g}. Got {until:g}. Write a later second.",
        )


def _check_on_wall(table: Table, on_wall: IfSourceOnWall, layer: LayerPart) -> None:
    """Report positions in walls on a layer whose walls hold nothing."""
    if on_wall == "through" and (layer.mark is not None or layer.gathers):
        table.report(
            "on_wall",
            f"Walls hold nothing on a layer that {layer.propagation._verb}."
            ' Got on_wall = "through".'
            ' Write "nearest".',
        )


def _check_strength(table: Table, key: str, strength: float, layer: LayerPart) -> None:
    """Report a strength that a layer can't take."""
    kind = layer.propagation
    if not kind._smallest <= strength <= kind._largest:
        if strength > kind._largest:
            bound = f"at most {kind._largest:,.0f}"
        else:
            bound = f"at least {kind._smallest:,.0f}"
        if kind._smallest == 0:
            remedy = "Marks fade by themselves."
        else:
            remedy = "Count in larger units."
        table.report(
            key,
            f"{key} on a layer that {kind._verb} is {bound}. Got {strength:g}. {remedy}",
        )
