"""What emits: sources with strength, place and lifetime, and timelines of recorded worlds."""

from fieldcraft.sources.book import Source, Sources
from fieldcraft.sources.timeline import Timeline

__all__ = ["Source", "Sources", "Timeline"]
