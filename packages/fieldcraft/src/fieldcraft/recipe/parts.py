"""The parts of a recipe as plain data. Their fields say which keys the tables of a recipe have."""

from __future__ import annotations

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
from fieldcraft.recipe import values
from fieldcraft.recipe.document import RecipeFile
from fieldcraft.recipe.values import stamp_of
from fieldcraft.settings import Fraction, NotNegative, Pair, Positive, Size, Text, one_of
from fieldcraft.settings_file import Keys

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


_EVERYWHERE = Falloff.of("constant")
Position = Annotated[tuple[float, ...], values.position]
Names = Annotated[tuple[str, ...], values.names]
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
        return self.propagation._takes_sources

    @property
    def is_cleared(self) -> bool:
        """Whether it holds nothing but the stamps of what is there now."""
        return self.propagation._layer_kind == "array"

    @property
    def gathers(self) -> bool:
        """Whether agents leave a trail on it."""
        return self.propagation._layer_kind == "trail"

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
    colors: Annotated[tuple[str, ...], values.team_colors] = ()
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
    path: Annotated[tuple[tuple[float, ...], ...], values.path] = ()
    repeat: bool = False
    strength: float = 1.0
    start: NotNegative = field(default=0.0, metadata={"key": "from"})
    until: NotNegative | None = None
    outside: Outside = "refuse"
    radius: Positive | None = None
    falloff: Annotated[Falloff, curve] | None = None
    stamp: Annotated[Stamp, stamp_of] | None = None
    rotation: Annotated[float | str, values.rotation] = 0.0
    scale: Positive = 1.0
    direction: Pair | None = None


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
    limits: Annotated[Any, values.limits] = None
    size: Annotated[int, partial(checks.integer, minimum=16)] | None = None


@dataclass(frozen=True)
class Look(PlotLook):
    """How a picture or a film looks."""

    threshold: NotNegative = 0.0
    colors: Annotated[Any, values.colors] = field(default_factory=dict)
    scale: Positive | None = None
    columns: Size | None = None
    floors: Annotated[int | list[float], values.floors] | None = None
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
    points: Mapping[str, Position] = field(default_factory=dict)
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
