"""Sources of influence: strengths with positions and lifetimes."""

from fieldcraft.sources.book import Sources
from fieldcraft.sources.source import Source

__all__ = ["Source", "Sources"]
