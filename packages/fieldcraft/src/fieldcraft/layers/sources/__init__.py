"""Sources of influence: strengths with positions and lifetimes."""

from fieldcraft.layers.sources.source import Source
from fieldcraft.layers.sources.sources import Sources

__all__ = ["Source", "Sources"]
