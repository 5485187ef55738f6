"""What a recipe says, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fieldcraft.recipe.document import Document
from fieldcraft.recipe.lines import Keys

__all__ = ["DepositPart", "LayerPart", "MapPart", "OutputPart", "Recipe", "RunPart", "SourcePart", "TimelinePart"]


@dataclass(frozen=True)
class MapPart:
    """The map: a file, or a kind to generate; `options` go to the loader or the generator."""

    file: Path | None
    generate: str | None
    options: Mapping[str, Any]


@dataclass(frozen=True)
class LayerPart:
    """A layer of spreading influence. `spread` are the arguments of `Spread`; `walls=False` ignores the map's walls."""

    keys: Keys
    name: str
    spread: Mapping[str, Any]
    every: float
    cell_size: float | None
    walls: bool


@dataclass(frozen=True)
class SourcePart:
    """A source: in place between two moments, at one position or along a path of (seconds, x, y)."""

    keys: Keys
    layer: str
    path: tuple[tuple[float, float, float], ...]
    repeat: bool
    strength: float
    start: float
    until: float | None
    on_wall: str
    outside: str


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
    """An amount put down at a moment, and again every `every` seconds."""

    keys: Keys
    layer: str
    position: tuple[float, float]
    amount: float
    at: float
    every: float | None
    on_wall: str
    outside: str


@dataclass(frozen=True)
class RunPart:
    """How long, and how world time becomes film time. `step` is the clock of sources: by default the shortest `every`."""

    seconds: float
    speed: float
    fps: float
    step: float | None
    settle: bool


@dataclass(frozen=True)
class OutputPart:
    """A file to make: `kind` is "still", "film", "totals" or "points"."""

    keys: Keys
    file: str
    kind: str
    layers: tuple[str, ...]
    start: float = 0.0
    until: float | None = None
    every: float | None = None
    points: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    look: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Recipe:
    """A whole recipe; made by `read_recipe`."""

    document: Document
    title: str
    map: MapPart
    layers: tuple[LayerPart, ...]
    sources: tuple[SourcePart, ...]
    timelines: tuple[TimelinePart, ...]
    deposits: tuple[DepositPart, ...]
    run: RunPart
    outputs: tuple[OutputPart, ...]

    @property
    def path(self) -> Path:
        """The recipe's file."""
        return self.document.path
