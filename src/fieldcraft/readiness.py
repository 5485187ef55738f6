"""Threads, and compiling before the first frame."""

from __future__ import annotations

import threading

import numpy as np

from fieldcraft import checks, compose, query
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.kernels import pool
from fieldcraft.paths import readiness as ways
from fieldcraft.paths import search
from fieldcraft.propagation import readiness as prints
from fieldcraft.propagation.on_graph import spread as graph_spread
from fieldcraft.propagation.radial import METRICS, Radial
from fieldcraft.propagation.spread import Spread, SpreadField
from fieldcraft.pursuit import readiness as searches
from fieldcraft.sources import Sources
from fieldcraft.space import Grid, incoming, visible
from fieldcraft.steering import readiness as crowds

__all__ = ["set_threads", "warm_up"]


def set_threads(count: int) -> int:
    """Let fieldcraft use `count` threads, the calling one included, and answer how many it used before.

    Results don't depend on it; by default all cores.
    """
    before = pool.threads()
    pool.set_threads(checks.whole("count", count, minimum=1))
    return before


def warm_up(*, background: bool = False) -> threading.Thread | None:
    """Compile every kernel now, so that no frame stalls later; from then on a process only loads them.

    With `background=True` this returns at once with the thread that does it, which a loading screen can join.
    """
    if background:
        thread = threading.Thread(target=_compile_all, name="fieldcraft warm-up", daemon=True)
        thread.start()
        return thread
    _compile_all()
    return None


def _compile_all() -> None:
    compose.warm_up()
    teams = InfluenceMap(Grid(8, 4)).add_teams(("one", "other"), Radial(2))
    teams["one"].add_source((1.5, 1.5))
    teams.owner(margin=0.5)
    teams.owner("source")
    query.compile_all()
    prints.compile_all()
    graph_spread.warm_up()
    ways.compile_distances()
    ways.compile_graphs()
    search.warm_up()
    crowds.compile_all()
    searches.compile_all()
    meadow = Grid(9, 9)
    visible(meadow, (4.5, 4.5), 3)
    visible(meadow, (4.5, 4.5), 3, heights=np.zeros((9, 9), dtype=np.float32))
    incoming(meadow, (0.5, 0.5), (8.5, 4.5), speed=3, width=2)
    for metric in METRICS[:3]:
        graph = Grid(9, 4).to_graph()
        placed = Sources(graph)
        placed.add([(3.5, 3.5)], [1.0])
        on_graph = Radial(3, metric=metric).field(graph, 0.1)
        on_graph.feed(placed)
        on_graph.catch_up()
    for metric in METRICS:
        for blend in ("sum", "max"):
            space = Grid(40, 20, walls=np.arange(800).reshape(20, 40) % 37 == 0, neighbors=8)
            sources = Sources(space)
            sources.add([(3.5, 3.5), (9.5, 3.5)], [1, -1], radii=[4.0, 1.0])
            radial = Radial(4, metric=metric, blend=blend).field(space, 0.1)
            radial.feed(sources)
            radial.catch_up()
    for around in (4, 8):
        for falloff in ("exponential", "linear"):
            dense = Spread(0.5, 0.5, falloff=falloff).field(Grid(40, 40, neighbors=around), 0.1)
            dense.values[:] = 1
            for count in (1, 1, 3):
                dense.run(count)
    knight = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1), (1, 1)]
    for neighbors in (4, 8, knight):
        field = SpreadField(Spread(0.5, 0.5), Grid(40, 20, neighbors=neighbors), 0.1)
        field.pin(np.array([7]), np.array([1], dtype=np.float32))
        field.run(2)
        field.settle()
        field.pin(np.array([8]), np.array([1], dtype=np.float32))
        field.run(1)
