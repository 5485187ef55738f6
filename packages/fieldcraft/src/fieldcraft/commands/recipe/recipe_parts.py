"""The parts of a recipe as plain data. Their fields are the keys of the recipe's tables."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from fieldcraft.base import checks
from fieldcraft.base.errors import BadRecipe, InvalidValue
from fieldcraft.base.settings.dataclasses import (
    Fraction,
    NotNegative,
    Positive,
    SettingsFile,
    Size,
    Text,
    one_of,
)
from fieldcraft.base.settings.toml import Keys
from fieldcraft.base.words import Between, IfOnWall, IfOutside, IfSourceOnWall
from fieldcraft.commands.recipe import values
from fieldcraft.layers.propagation import PROPAGATIONS, Propagation, Stamp
from fieldcraft.layers.propagation.accumulator import BLENDS
from fieldcraft.layers.propagation.array import ArrayValues
from fieldcraft.layers.propagation.radial.radial import METRICS
from fieldcraft.layers.propagation.settings import curve
from fieldcraft.layers.sources.falloff import Falloff

_VARIABLE = re.compile(r"\$\{(\w+)\}")
DATA = "FIELDCRAFT_DATA"


class RecipeFile(SettingsFile):
    """The file of a recipe; `data` is the folder that replaces `${FIELDCRAFT_DATA}` in paths.

    By default that is the environment variable of this name, else the first folder `shared/data`
    beside the recipe's folder or above it.
    """

    def __init__(
        self,
        path: Path,
        overrides: Iterable[str] = (),
        *,
        data: Path | None = None,
        text: str | None = None,
    ) -> None:
        self.file = path
        self.data = data
        super().__init__(path, overrides, text=text, error=BadRecipe)

    def resolve(self, name: str, text: str) -> Path:
        """Return a path of the recipe; relative paths begin at the recipe's folder.

        Raises
        ------
        InvalidValue
            For an unknown variable.
        """
        filled = _VARIABLE.sub(self._variable, checks.text(name, text))
        if not filled.strip() or "\0" in filled:
            raise InvalidValue(f"{name} is a path", got=repr(text), remedy="Write it in quotes")
        return self.file.parent / filled

    def _variable(self, match: re.Match[str]) -> str:
        name = match[1]
        if name == DATA and self.data is not None:
            return str(self.data)
        if name in os.environ:
            return os.environ[name]
        remedy = "Set that environment variable, or write the path out"
        if name == DATA:
            found = data_beside(self.file)
            if found is not None:
                return str(found)
            remedy = f"Pass --data DIR, or set the environment variable {DATA}"
        raise InvalidValue("A variable in a path is set", got=f"${{{name}}}", remedy=remedy)


def data_beside(path: Path) -> Path | None:
    """Return the first folder `shared/data` beside a file or above it, if there is one."""
    try:
        folders = checks.path("path", path).resolve().parents
    except (ValueError, OSError) as error:
        raise InvalidValue(
            "path is the path of a file", got=repr(path)[:60], remedy=f"Correct it: {error}"
        ) from None
    found = (folder / "shared" / "data" for folder in folders)
    return next((folder for folder in found if folder.is_dir()), None)


_EVERYWHERE = Falloff.of("constant")
Position = Annotated[tuple[float, ...], values.position]
Names = Annotated[tuple[str, ...], values.names]
Pixels = Annotated[int, partial(checks.integer, minimum=16)]


@dataclass(frozen=True)
class MapPart:
    """The map: a file, or a kind to generate; `options` go to the loader or the generator."""

    file: Path | None
    generate: str | None
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Mark:
    """The marks of a layer that remembers: the cells around each position, by a metric."""

    radius: Positive | None = None
    falloff: Annotated[Falloff, curve] = _EVERYWHERE
    metric: Annotated[str, one_of(METRICS)] = "connected"


@dataclass(frozen=True)
class Stamping:
    """The stamp of each source of a layer, and how it is laid down."""

    stamp: Annotated[Stamp, values.stamp_of]
    how: Between = "nearest"
    blend: Annotated[str, one_of(BLENDS)] = "add"


@dataclass(frozen=True)
class LayerPart:
    """A layer with its propagation; `kind` is the word for that in a recipe.

    `mark` is for layers that remember, `stamping` for stamps. `walls=False` ignores the map's
    walls.
    """

    keys: Keys
    name: str
    kind: str
    propagation: Propagation
    mark: Mark | None
    stamping: Stamping | None
    every: Positive = 0.1
    cell_size: Positive | None = None
    walls: bool = True

    @property
    def is_live(self) -> bool:
        """Whether live sources act on it."""
        return self.propagation._takes_sources

    @property
    def is_cleared(self) -> bool:
        """Whether it contains only the current stamps."""
        return self.propagation.layer_kind == "array"

    @property
    def gathers(self) -> bool:
        """Whether agents leave a trail on it."""
        return self.propagation.layer_kind == "trail"

    @property
    def vector(self) -> bool:
        """Whether it holds vectors."""
        return bool(getattr(self.propagation, "vector", False))


@dataclass(frozen=True)
class TeamsPart:
    """The teams, the layer that all of them have, and the settings of the maps that follow."""

    layer: LayerPart
    names: Names
    colors: Annotated[tuple[str, ...], values.colors] = ()
    margin: NotNegative = 0.0
    hostile: Mapping[str, tuple[str, ...]] | None = None


@dataclass(frozen=True)
class FormulaPart:
    """A map of `[maps]`: its name and its formula over the maps before it."""

    keys: Keys
    name: str
    text: str


@dataclass(frozen=True)
class SourcePart:
    """A source between two moments, at one position or along a path of (seconds, x, y[, z]).

    `rotation` is that of its layer's stamp, in degrees, or "heading".
    """

    keys: Keys
    layer: str
    on_wall: IfSourceOnWall
    name: Text | None = None
    position: Position | None = None
    path: Annotated[tuple[tuple[float, ...], ...], values.path] = ()
    repeat: bool = False
    strength: float = 1.0
    start: NotNegative = field(default=0.0, metadata={"key": "from"})
    until: NotNegative | None = None
    outside: IfOutside = "refuse"
    radius: Positive | None = None
    falloff: Annotated[Falloff, curve] | None = None
    rotation: Annotated[float | str, values.rotation] = 0.0


@dataclass(frozen=True)
class TimelinePart:
    """A recording; `layers` maps its groups to layers."""

    keys: Keys
    file: Path
    layers: Mapping[str, str]
    half_life: Positive | None = None
    start: NotNegative = field(default=0.0, metadata={"key": "from"})
    strength: float = 1.0
    faint: Fraction = 0.05
    on_wall: IfSourceOnWall = "nearest"
    outside: IfOutside = "clamp"


@dataclass(frozen=True)
class DepositPart:
    """An amount at a moment; (x, y) on a trail of vectors."""

    keys: Keys
    layer: str
    position: Position
    name: Text | None = None
    amount: tuple[float, float] | float = 1.0
    at: NotNegative = 0.0
    on_wall: IfOnWall = "refuse"
    outside: IfOutside = "refuse"


@dataclass(frozen=True)
class RunPart:
    """The length of the run, and how world time becomes film time.

    `step` is the clock of sources: by default the shortest `every`.
    """

    seconds: NotNegative
    speed: Positive = 1.0
    fps: Positive = 20.0
    step: Positive | None = None


@dataclass(frozen=True)
class Output:
    """A file to make."""

    keys: Keys
    file: str


@dataclass(frozen=True)
class Picture(Output):
    """Some maps of one world, drawn. `titles` are those of the maps, by default their names.

    `together` draws several layers in one hue each, or side by side; by default together where
    none may be negative.
    """

    layers: Names = ()
    titles: Names = ()
    title: Text | None = None
    caption: Text = ""
    threshold: NotNegative = 0.0
    limits: Annotated[Any, values.limits] = None
    colors: Annotated[tuple[str, ...], values.colors] = ()
    together: bool | None = None
    columns: Size | None = None
    size: Pixels | None = None
    crop: bool = False
    floors: Annotated[int | list[float], values.floors] | None = None
    front_lines: bool = False
    sources: bool = True


@dataclass(frozen=True)
class Still(Picture):
    """A picture of one moment, by default the end."""

    at: NotNegative | None = None


@dataclass(frozen=True)
class FilmPart(Picture):
    """A film of a part of the run."""

    start: NotNegative = field(default=0.0, metadata={"key": "from"})
    until: NotNegative | None = None


@dataclass(frozen=True)
class TotalsTable(Output):
    """A table of the sum, the strongest value and the covered cells of maps over time."""

    layers: Names = ()
    every: Positive = 1.0
    threshold: NotNegative = 0.0


@dataclass(frozen=True)
class HoldingsTable(Output):
    """A table of the ground that each team holds over time."""

    over_time: Literal["share", "owned"]
    every: Positive = 1.0


@dataclass(frozen=True)
class HoldingsPlot(Output):
    """The same as a plot, by default of at most 400 moments."""

    over_time: Literal["share", "owned"]
    every: Positive | None = None
    title: Text | None = None
    caption: Text = ""
    limits: Annotated[Any, values.limits] = None
    size: Pixels | None = None


@dataclass(frozen=True)
class Recipe:
    """A whole recipe; made by `read_recipe`."""

    document: RecipeFile
    title: str
    map: MapPart
    layers: tuple[LayerPart, ...]
    teams: TeamsPart | None
    formulas: tuple[FormulaPart, ...]
    sources: tuple[SourcePart, ...]
    timelines: tuple[TimelinePart, ...]
    deposits: tuple[DepositPart, ...]
    run: RunPart
    outputs: tuple[Output, ...]

    @property
    def path(self) -> Path:
        """The recipe's file."""
        return self.document.file

    @property
    def acting(self) -> tuple[LayerPart, ...]:
        """All layers, including the layers of teams, in the order of their addition."""
        return acting(self.layers, self.teams)

    @property
    def step(self) -> float:
        """Seconds between two updates of sources and recordings."""
        return self.run.step or min(layer.every for layer in self.acting)


def acting(layers: tuple[LayerPart, ...], teams: TeamsPart | None) -> tuple[LayerPart, ...]:
    """Return the layers, and one for each team."""
    if teams is None:
        return layers
    return (*layers, *(replace(teams.layer, name=name) for name in teams.names))


def maps_of_teams(teams: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the maps that follow from teams."""
    if not teams:
        return ()
    alone = ("tension", "contested", *(("vulnerability",) if len(teams) == 2 else ()))
    kinds = ("influence", "share", "vulnerability")
    return (*alone, *(f"{kind} {team}" for team in teams for kind in kinds))


def propagations() -> dict[str, type[Propagation]]:
    """Return the propagations by the words of a recipe."""
    return {**PROPAGATIONS, "stamps": ArrayValues}
