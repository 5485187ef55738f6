"""The parts of a recipe, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fieldcraft.falloff import Falloff
from fieldcraft.propagation import Propagation, Stamp
from fieldcraft.recipe.document import Document
from fieldcraft.recipe.lines import Keys

__all__ = [
    "DepositPart",
    "FormulaPart",
    "LayerPart",
    "MapPart",
    "Mark",
    "OutputPart",
    "Recipe",
    "RunPart",
    "SourcePart",
    "Stamping",
    "TeamsPart",
    "TimelinePart",
    "acting",
]


@dataclass(frozen=True)
class MapPart:
    """The map: a file, or a kind to generate; `options` go to the loader or the generator."""

    file: Path | None
    generate: str | None
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Mark:
    """How a layer is marked: the ground around each place, by a metric."""

    radius: float | None
    falloff: Falloff
    metric: str


@dataclass(frozen=True)
class Stamping:
    """How a layer is stamped: with what, if a source has no stamp of its own."""

    stamp: Stamp | None
    how: str
    blend: str


@dataclass(frozen=True)
class LayerPart:
    """A layer, with its propagation; `kind` is the recipe's word for that. `walls=False` ignores
    the map's walls.

    `mark` is how it is marked, of a layer that remembers; `stamping` what is stamped on it, of a
    trail or of stamps.
    """

    keys: Keys
    name: str
    kind: str
    propagation: Propagation
    mark: Mark | None
    stamping: Stamping | None
    every: float
    cell_size: float | None
    walls: bool

    @property
    def is_live(self) -> bool:
        """Whether what acts on it are its live sources."""
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
        return bool(self.propagation.settings().get("vector", False))


@dataclass(frozen=True)
class TeamsPart:
    """The teams: what all their layers share, and how the maps that follow from them are made."""

    layer: LayerPart
    names: tuple[str, ...]
    colors: tuple[str, ...]
    owner_by: str
    margin: float
    stake: float
    hostile: Mapping[str, tuple[str, ...]] | None


@dataclass(frozen=True)
class FormulaPart:
    """A map of `[maps]`: its name and its formula over the maps before it."""

    keys: Keys
    name: str
    text: str


@dataclass(frozen=True)
class SourcePart:
    """A source: in place between two moments, at one position or along a path of (seconds, x, y),
    or (seconds, x, y, z).

    `rotation` is in degrees, or "heading". `direction` is what a standing source leaves on a trail
    of vectors.
    """

    keys: Keys
    layer: str
    path: tuple[tuple[float, ...], ...]
    repeat: bool
    strength: float
    start: float
    until: float | None
    on_wall: str
    outside: str
    radius: float | None = None
    falloff: Any = None
    stamp: Stamp | None = None
    rotation: float | str = 0.0
    scale: float = 1.0
    direction: tuple[float, float] | None = None


@dataclass(frozen=True)
class TimelinePart:
    """A recording; `layers` maps its groups to layers."""

    keys: Keys
    file: Path
    format: str
    options: Mapping[str, Any]
    layers: Mapping[str, str]
    start: float
    strength: float
    faint: float
    on_wall: str
    outside: str


@dataclass(frozen=True)
class DepositPart:
    """An amount, (x, y) on a trail of vectors, put down at a moment, and again every `every`
    seconds.
    """

    keys: Keys
    layer: str
    position: tuple[float, ...]
    amount: Any
    at: float
    every: float | None
    on_wall: str
    outside: str


@dataclass(frozen=True)
class RunPart:
    """How long, and how world time becomes film time. `step` is the clock of sources: by default
    the shortest `every`.
    """

    seconds: float
    speed: float
    fps: float
    step: float | None
    settle: bool


@dataclass(frozen=True)
class OutputPart:
    """A file to make: `kind` is "still", "film", "totals", "points", "plot" or "holdings".

    `over_time` says what the last two are about: "share" or "owned".
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
    look: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Recipe:
    """A whole recipe; made by `read_recipe`."""

    document: Document
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
        return self.document.path

    @property
    def acting(self) -> tuple[LayerPart, ...]:
        """The layers, those of the teams included, in the order in which they are added."""
        return acting(self.layers, self.teams)

    @property
    def step(self) -> float:
        """Seconds between two looks at paths and recordings."""
        return self.run.step or min(layer.every for layer in self.acting)


def acting(layers: tuple[LayerPart, ...], teams: TeamsPart | None) -> tuple[LayerPart, ...]:
    """The layers, and one for each team."""
    return (
        layers
        if teams is None
        else (*layers, *(replace(teams.layer, name=name) for name in teams.names))
    )
