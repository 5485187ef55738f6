"""Threads, and kernels compiled before the first frame."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue, UnknownName
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.kernels import pool, warming

__all__ = [
    "set_threads",
    "warm_up",
]

# What only layers of one propagation ask; all else may be asked of any map.
_LAYERS = {"spread", "radial", "fade", "trail"}


def set_threads(count: int) -> int:
    """Let fieldcraft use `count` threads, the calling one included, and answer how many it used
    before.

    Results don't depend on it; by default all cores.
    """
    before = pool.threads()
    pool.set_threads(checks.whole("count", count, minimum=1))
    return before


def warm_up(
    *names: str | InfluenceMap,
    background: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> threading.Thread | None:
    """Make kernels ready now, so that no frame stalls later: loaded where they were compiled
    before, else compiled.

    Names are families of kernels (`"best"`, `"radial"`) or subjects (`"paths"`, `"steering"`,
    `"graphs"`, `"sight"`); a map stands for all that can be asked of it; nothing named is
    everything. What has to be compiled is compiled on all cores, once for all programs of this
    user. `progress` is called with the number of kernels that are ready and that of all of them.
    With `background=True` this returns at once with the thread that does it, which a loading screen
    can join. Raises `UnknownName`.
    """
    families = _families(names)
    if progress is not None:
        checks.function("progress", progress)
    if checks.flag("background", background):
        thread = threading.Thread(
            target=warming.prepare,
            args=(families, progress),
            name="fieldcraft warm-up",
            daemon=True,
        )
        thread.start()
        return thread
    warming.prepare(families, progress)
    return None


def is_ready(names: Sequence[str]) -> bool:
    """Whether nothing has to be compiled for these families of kernels, or single kernels
    ("spread.wave_near").
    """
    asked = _known(names)
    return not asked or not warming.missing(asked)


def prepare(
    names: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
    *,
    stopped: threading.Event | None = None,
) -> None:
    """Make these families of kernels ready, or single kernels ("spread.wave_near"): for programs
    that know what they will call.

    A kernel for several kinds of arrays has several versions; "trail.update:1" is the second that
    `update` declares. `progress` is as for `warm_up`. Once `stopped` is set no further kernel is
    begun.
    """
    if progress is not None:
        checks.function("progress", progress)
    if stopped is not None and not isinstance(stopped, threading.Event):
        raise InvalidValue(
            "stopped is a threading.Event",
            got=type(stopped).__name__,
            remedy="Pass threading.Event(), or leave it out",
        )
    warming.prepare(_known(names), progress, stopped=stopped)


def named(words: Iterable[str]) -> tuple[str, ...]:
    """The families that some words name, as `warm_up` takes them, and the single kernels among the
    words. Raises `UnknownName`.
    """
    given = [checks.text("words", word) for word in checks.sequence("words", words)]
    single = tuple(
        word for word in given if word.partition(".")[0] in kernels.FAMILIES and "." in word
    )
    families = [word for word in given if word not in single]
    return (*(_families(tuple(families)) if families else ()), *single)


def _known(names: Sequence[str]) -> list[str]:
    """Names of families, or of single kernels of them."""
    asked = [checks.text("names", name) for name in checks.sequence("names", names)]
    for name in asked:
        if name.partition(".")[0] not in kernels.FAMILIES:
            raise UnknownName("family of kernels", name, kernels.FAMILIES)
    return asked


def _families(names: tuple[str | InfluenceMap, ...]) -> list[str]:
    if not names:
        return list(kernels.FAMILIES)
    known = warming.words()
    asked: set[str] = set()
    for name in names:
        if isinstance(name, InfluenceMap):
            asked.update(_asked_of(name))
        elif isinstance(name, str) and name in known:
            asked.update(warming.chosen([name]))
        else:
            raise UnknownName("family of kernels or subject", name, known)
    return warming.chosen(asked)


def _asked_of(imap: InfluenceMap) -> list[str]:
    """The families that the layers of a map and questions to it need."""
    kinds = {type(layer.propagation).__name__.lower() for layer in imap.layers.values()}
    unasked = {"paint", "maze"}
    if "graph" not in imap.space.forms:
        unasked.update(
            family
            for family, subjects in kernels.FAMILIES.items()
            if "graphs" in subjects and family != "sees"
        )
    layers = {family: _LAYERS & set(subjects) for family, subjects in kernels.FAMILIES.items()}
    return [
        family
        for family, needed in layers.items()
        if family not in unasked and (not needed or needed & kinds)
    ]
