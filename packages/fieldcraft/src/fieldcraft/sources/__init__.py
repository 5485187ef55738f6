"""Sources of influence: strengths with positions and lifetimes."""

from fieldcraft.sources.source import Source
from fieldcraft.sources.sources import Sources

__all__ = ["Source", "Sources"]
