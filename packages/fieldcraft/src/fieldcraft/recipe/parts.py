"""The parts of a recipe as plain data. Their fields say which keys the tables of a recipe have."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from fieldcraft import checks
from fieldcraft.falloff import Falloff
from fieldcraft.propagation import PROPAGATIONS, Propagation, Stamp
from fieldcraft.propagation.canvas import BLENDS
from fieldcraft.propagation.carried import Carried
from fieldcraft.propagation.radial import METRICS
from fieldcraft.propagation.settings import curve
from fieldcraft.recipe.document import RecipeFile
from fieldcraft.recipe.shapes import stamp_of
from fieldcraft.settings import (
    Fraction,
    Keys,
    NotNegative,
    Pair,
    Positive,
    Size,
    Text,
    one_of,
    refused,
)
from fieldcraft.view.colors import parse_color

__all__ = [
    "DepositPart",
    "FilmKeys",
    "FormulaPart",
    "LayerPart",
    "Look",
    "MapPart",
    "Mark",
    "OutputPart",
    "OverTimeKeys",
    "PlotLook",
    "Recipe",
    "RunPart",
    "SourcePart",
    "Stamping",
    "StillKeys",
    "TableKeys",
    "TeamsPart",
    "TimelinePart",
    "acting",
    "maps_of_teams",
    "propagations",
]


def _position(name: str, value: object) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) not in (2, 3):
        raise refused(f"{name} is [x, y], or [x, y, z] on 3D maps", value, "Write the numbers")
    return tuple(checks.finite(name, number) for number in value)


def _path(name: str, value: object) -> tuple[tuple[float, ...], ...]:
    rows = value if isinstance(value, list) else []
    if not rows or any(not isinstance(row, list) or len(row) not in (3, 4) for row in rows):
        raise refused(f"{name} is a list of [seconds, x, y]", value)
    path = tuple(tuple(checks.finite(name, number) for number in row) for row in rows)
    if len({len(row) for row in path}) > 1:
        raise refused(f"All points of {name} have as many numbers", value)
    if any(later[0] <= earlier[0] for earlier, later in itertools.pairwise(path)):
        raise refused(f"The seconds of a {name} rise from point to point", value, "Sort the points")
    return path


def _names(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise refused(f"{name} is a list of names", value, 'Write ["one", "two"]')
    if len(set(value)) != len(value):
        raise refused(f"The names in {name} differ", value)
    return tuple(value)


def _rotation(name: str, value: object) -> float | str:
    if isinstance(value, str) and value != "heading":
        raise refused('rotation is degrees, or "heading"', value, "Write rotation = 90")
    return "heading" if isinstance(value, str) else checks.finite(name, value)


def _range(name: str, value: object) -> tuple[float, float]:
    if isinstance(value, list) and len(value) == 2:
        low, high = (checks.finite(name, number) for number in value)
        if low < high:
            return low, high
    raise refused(f"{name} is [lowest, highest], with lowest below highest", value)


def _limits(name: str, value: object) -> Any:
    if isinstance(value, dict):
        return {key: _range(f"limits of {key}", pair) for key, pair in value.items()}
    return _range(name, value)


def _colors(name: str, value: object) -> Any:
    """Colors by name or in a list; each one color, or a pair for the two signs."""
    if not isinstance(value, (list, dict)):
        raise refused(f"{name} has one color for each map shown", value, 'Write ["#3fa7f5"], say')
    for color in value.values() if isinstance(value, dict) else value:
        for part in color if isinstance(color, list) and len(color) == 2 else [color]:
            parse_color(part)
    return value


def _team_colors(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or any(isinstance(each, (list, dict)) for each in value):
        raise refused(f"{name} has one color for each team", value, 'Write ["#3fa7f5"], say')
    return tuple(_colors(name, value))


def _floors(name: str, value: object) -> int | list[float]:
    if not isinstance(value, list):
        return checks.whole(name, value, minimum=1)
    heights = [checks.finite(name, each) for each in value]
    if len(heights) < 2 or any(after <= before for before, after in itertools.pairwise(heights)):
        raise refused("floors are heights, ascending", value, "Write [0, 4, 8], say, or how many")
    return heights


_EVERYWHERE = Falloff.of("constant")
Position = Annotated[tuple[float, ...], _position]
Names = Annotated[tuple[str, ...], _names]
Outside = Literal["refuse", "clamp"]


@dataclass(frozen=True)
class MapPart:
    """The map: a file, or a kind to generate; `options` go to the loader or the generator."""

    file: Path | None
    generate: str | None
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Mark:
    """How a layer is marked: the cells around each position, by a metric."""

    radius: Positive | None = None
    falloff: Annotated[Falloff, curve] = _EVERYWHERE
    metric: Annotated[str, one_of(METRICS)] = "connected"


@dataclass(frozen=True)
class Stamping:
    """How a layer is stamped: with what, if a source has no stamp of its own."""

    stamp: Annotated[Stamp, stamp_of] | None = None
    how: Literal["nearest", "bilinear"] = "nearest"
    blend: Annotated[str, one_of(BLENDS)] = "add"


@dataclass(frozen=True)
class LayerPart:
    """A layer with its propagation; `kind` is the word for that in a recipe.

    `mark` is for layers that remember; `stamping` for trails and stamps. `walls=False` ignores the
    map's walls.
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
        return self.propagation.takes_sources

    @property
    def is_cleared(self) -> bool:
        """Whether it holds nothing but the stamps of what is there now."""
        return self.propagation.layer == "array"

    @property
    def gathers(self) -> bool:
        """Whether agents leave a trail on it."""
        return self.propagation.layer == "trail"

    @property
    def vector(self) -> bool:
        """Whether it holds vectors."""
        return bool(getattr(self.propagation, "vector", False))

    @property
    def stamp(self) -> Stamp | None:
        """The stamp of sources that have none of their own."""
        return None if self.stamping is None else self.stamping.stamp


@dataclass(frozen=True)
class TeamsPart:
    """The teams: what all their layers share, and how the maps that follow from them are made."""

    layer: LayerPart
    names: Names
    colors: Annotated[tuple[str, ...], _team_colors] = ()
    owner_by: Literal["total", "source"] = "total"
    margin: NotNegative = 0.0
    stake: NotNegative = 0.0
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

    `rotation` is in degrees, or "heading". `direction` is what a standing source leaves on a trail
    of vectors.
    """

    keys: Keys
    layer: str
    on_wall: Literal["refuse", "nearest", "through"]
    name: Text | None = None
    position: Position | None = None
    path: Annotated[tuple[tuple[float, ...], ...], _path] = ()
    repeat: bool = False
    strength: float = 1.0
    start: NotNegative = field(default=0.0, metadata={"key": "from"})
    until: NotNegative | None = None
    outside: Outside = "refuse"
    radius: Positive | None = None
    falloff: Annotated[Falloff, curve] | None = None
    stamp: Annotated[Stamp, stamp_of] | None = None
    rotation: Annotated[float | str, _rotation] = 0.0
    scale: Positive = 1.0
    direction: Pair | None = None


@dataclass(frozen=True)
class TimelinePart:
    """A recording; `layers` maps its groups to layers."""

    keys: Keys
    file: Path
    format: str
    options: Mapping[str, Any]
    layers: Mapping[str, str]
    start: NotNegative = field(default=0.0, metadata={"key": "from"})
    strength: float = 1.0
    faint: Fraction = 0.05
    on_wall: Literal["refuse", "nearest", "through"] = "nearest"
    outside: Outside = "clamp"


@dataclass(frozen=True)
class DepositPart:
    """An amount, (x, y) on a trail of vectors, at a moment, and again every `every` seconds."""

    keys: Keys
    layer: str
    position: Position
    name: Text | None = None
    amount: tuple[float, float] | float = 1.0
    at: NotNegative = 0.0
    every: Positive | None = None
    on_wall: Literal["refuse", "nearest"] = "refuse"
    outside: Outside = "refuse"


@dataclass(frozen=True)
class RunPart:
    """How long, and how world time becomes film time.

    `step` is the clock of sources: by default the shortest `every`.
    """

    seconds: NotNegative
    speed: Positive = 1.0
    fps: Positive = 20.0
    step: Positive | None = None
    settle: bool = False


@dataclass(frozen=True)
class PlotLook:
    """How a plot looks."""

    title: Text | None = None
    caption: Text = ""
    limits: Annotated[Any, _limits] = None
    size: Annotated[int, partial(checks.whole, minimum=16)] | None = None


@dataclass(frozen=True)
class Look(PlotLook):
    """How a picture or a film looks."""

    threshold: NotNegative = 0.0
    colors: Annotated[Any, _colors] = field(default_factory=dict)
    scale: Positive | None = None
    columns: Size | None = None
    floors: Annotated[int | list[float], _floors] | None = None
    crop: bool = False
    sources: bool = True
    together: bool | None = None
    front_lines: bool = False
    arrows: bool = True


@dataclass(frozen=True)
class StillKeys:
    """The keys of a picture of one moment, beside those of `Look`."""

    layers: Names = ()
    start: NotNegative | None = field(default=None, metadata={"key": "at"})


@dataclass(frozen=True)
class FilmKeys:
    """The keys of a film, beside those of `Look`."""

    layers: Names = ()
    start: NotNegative = field(default=0.0, metadata={"key": "from"})
    until: NotNegative | None = None


@dataclass(frozen=True)
class TableKeys:
    """The keys of a table."""

    layers: Names = ()
    every: Positive | None = None
    points: Mapping[str, Annotated[tuple[float, ...], _position]] = field(default_factory=dict)
    threshold: NotNegative = 0.0


@dataclass(frozen=True)
class OverTimeKeys:
    """The keys of a table or plot of what the teams hold."""

    over_time: Literal["share", "owned"]
    every: Positive | None = None


@dataclass(frozen=True)
class OutputPart:
    """A file to make: `kind` is "still", "film", "totals", "points", "plot" or "holdings".

    `over_time` says what the last two show: "share" or "owned".
    """

    keys: Keys
    file: str
    kind: str
    layers: tuple[str, ...]
    start: float = 0.0
    until: float | None = None
    every: float | None = None
    points: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    over_time: str = ""
    look: Look = Look()


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
    outputs: tuple[OutputPart, ...]

    @property
    def path(self) -> Path:
        """The recipe's file."""
        return self.document.file

    @property
    def acting(self) -> tuple[LayerPart, ...]:
        """The layers, those of the teams included, in the order in which they are added."""
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
    return {**PROPAGATIONS, "stamps": Carried}
