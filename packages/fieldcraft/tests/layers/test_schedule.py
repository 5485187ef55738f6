"""Work in units: what a budget leaves waiting comes later, and to the same bits."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.layers.propagation import Propagation
from fieldcraft.layers.propagation.radial import radial_updates as radial_updates
from fieldcraft.layers.propagation.radial.radial import METRICS
from fieldcraft.layers.propagation.spread import spread_on_grid as spread
from fieldcraft.space.wrapping import Wrap
from support.propagations import others
from support.worlds import WRAPS


@pytest.fixture(autouse=True)
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Units so small that the little maps of these tests need many."""
    monkeypatch.setattr(spread, "_UNIT_CELLS", 300)
    monkeypatch.setattr(spread, "_UNIT_TILES", 0)
    monkeypatch.setattr(radial_updates, "_UNIT_CELLS", 100)


def world(
    seed: int, *, wrap: Wrap = False
) -> tuple[fc.InfluenceMap, dict[str, np.ndarray], np.random.Generator]:
    rng = np.random.default_rng(seed)
    grid = fc.Grid(47, 33, neighbors=8, walls=rng.random((33, 47)) < 0.15, wrap=wrap)
    imap = fc.InfluenceMap(grid)
    for metric in METRICS:
        imap.add_layer(
            metric,
            fc.Radial(6, metric=metric, blend="max" if metric == "path" else "sum"),
            priority=int(metric == "path"),
        )
    imap.add_layer("spread", fc.Spread(0.3, 0.5))
    imap.add_layer("cubic", fc.Spread(0.3, 0.5, "cubic", half_life=1), every=0.05)
    positions = grid.position_of(rng.integers(0, len(grid), 9))
    return (
        imap,
        {name: imap[name].add_sources(positions, 3.0, on_wall="through") for name in imap},
        rng,
    )


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("seed", range(3))
def test_once_caught_up_a_budget_has_changed_nothing(seed: int, wrap: Wrap) -> None:
    free, ids, _ = world(seed, wrap=wrap)
    bound, _, rng = world(seed, wrap=wrap)
    for frame in range(8):
        if frame in (3, 6):
            where = free.space.position_of(rng.integers(0, len(free.space)))[None]
            cells = rng.integers(0, len(free.space), 4)
            for imap in (free, bound):
                imap.advance(0)  # missed updates are made with the world as it was
                imap.space.set_walls(cells, frame == 3)
                for name in imap:
                    imap[name].sources.move(ids[name][:1], where, on_wall="through")
        free.advance(0.1, max_steps=100)
        report = bound.advance(0.1, max_steps=100, budget_work=7)
        assert report.units <= 7
    assert any(bound[name].lag > 0 for name in bound)
    while any(bound[name].lag for name in bound):
        bound.advance(0, max_steps=100, budget_work=50)
    for name in free:
        assert bound[name].time == free[name].time
        np.testing.assert_array_equal(bound[name].values, free[name].values)


def test_the_last_complete_values_stay_readable() -> None:
    imap, ids, rng = world(1)
    imap.step(3)
    for name in imap:
        imap[name].sources.move(
            ids[name],
            imap.space.position_of(rng.integers(0, len(imap.space), 9)),
            on_wall="through",
        )
    before = {name: imap[name].read() for name in METRICS}
    versions = {name: imap[name].version for name in METRICS}
    imap.advance(0.1, budget_work=1)
    seen = set()
    for _ in range(700):
        imap.advance(0, budget_work=1)
        for name in METRICS:
            if imap[name].version == versions[name]:
                np.testing.assert_array_equal(imap[name].values, before[name])
            else:
                seen.add(name)
    assert seen == set(METRICS)


def test_work_units_repeat_themselves() -> None:
    def run() -> list[bytes]:
        imap, ids, rng = world(4)
        states = []
        for _ in range(6):
            for name in imap:
                imap[name].sources.move(
                    ids[name][:3],
                    imap.space.position_of(rng.integers(0, len(imap.space), 3)),
                    on_wall="through",
                )
            imap.advance(0.1, budget_work=9)
            states.append(b"".join(imap[name].values.tobytes() for name in imap))
        return states

    assert run() == run()


def test_higher_priority_comes_first_and_equals_take_turns() -> None:
    grid = fc.Grid(60, 50)
    imap = fc.InfluenceMap(grid)
    for name, priority in (("low", -1), ("a", 0), ("b", 0), ("high", 5)):
        imap.add_layer(name, fc.Spread(0.1, 0.5), priority=priority).add_source((5.5, 5.5), 9)
    order: list[str] = []
    while len(order) < 4:
        imap.advance(0.1 if not order else 0, budget_work=1)
        order += [name for name in imap if imap[name].updates and name not in order]
        assert imap["a"].updates == imap["b"].updates or order[-1] in "ab"
    assert order[0] == "high"
    assert order[-1] == "low"


def test_a_backlog_is_bounded_and_the_rest_reported() -> None:
    imap, _, _ = world(2)
    dropped = 0
    for _ in range(10):
        dropped += imap.advance(0.1, max_steps=4, budget_work=1).dropped["spread"]
    assert imap["spread"].lag <= 4 * 0.1 + 1e-9
    assert imap["spread"].updates + dropped + round(imap["spread"].lag / 0.1) == 10


def test_a_budget_in_milliseconds_makes_progress() -> None:
    imap, _, _ = world(3)
    imap.advance(0.1, budget_ms=1e-6)
    assert sum(imap[name].lag for name in imap) > 0
    for _ in range(10_000):
        if not any(imap[name].lag for name in imap):
            break
        assert imap.advance(0, budget_ms=0.5).units >= 0
    assert not any(imap[name].lag for name in imap)


@pytest.mark.parametrize(
    "budget",
    [{"budget_ms": 0}, {"budget_ms": float("nan")}, {"budget_work": 0}, {"budget_work": 1.5}],
)
def test_refuses_budgets_that_are_none(budget: dict[str, float]) -> None:
    imap, _, _ = world(0)
    with pytest.raises(fc.FieldcraftError):
        imap.advance(0.1, **budget)  # type: ignore[arg-type]
    assert imap.time == 0
    with pytest.raises(fc.FieldcraftError, match="one of the two"):
        imap.advance(0.1, budget_ms=1, budget_work=1)


def test_what_changes_values_by_hand_makes_missed_updates_first() -> None:
    free, _, _ = world(5)
    bound, _, _ = world(5)
    free.advance(0.3)
    bound.advance(0.3, budget_work=2)
    for imap in (free, bound):
        imap["spread"].deposit(imap.space.position_of(imap.space.nearest_open(700)), 5)
    np.testing.assert_array_equal(bound["spread"].values, free["spread"].values)


def test_a_budget_removes_sources_at_the_end_of_their_lifetime() -> None:
    for budget in (None, 1):
        imap = fc.InfluenceMap(fc.Grid(4, 1))
        layer = imap.add_layer("a", fc.Spread(0.1), every=0.1)
        layer.add_source((0.5, 0.5), 2.0, lifetime=0.1)
        imap.advance(0.1, budget_work=budget)
        while layer.lag:
            imap.advance(0.0, budget_work=budget)
        assert layer.updates == 1
        assert not len(layer.sources)


def waiting(propagation: Propagation) -> tuple[fc.InfluenceMap, fc.Layer]:
    """A map whose layer has made one step of three, and has begun the second."""
    imap = fc.InfluenceMap(fc.Grid(40, 30))
    layer = imap.add_layer("a", propagation)
    feed(layer)
    imap.advance(0.3, budget_work=1)
    while layer.updates == 0:
        imap.advance(0, budget_work=1)
    assert layer.updates == 1 and layer.lag == 0.2
    return imap, layer


def feed(layer: fc.Layer) -> None:
    if isinstance(layer, fc.layer.MemoryLayer):
        layer.mark((9.5, 7.5), 8.0, radius=3.0)
    elif layer.propagation._takes_sources:
        layer.add_source((9.5, 7.5), 8.0)
    else:
        layer.deposit((9.5, 7.5), 8.0)


# The steps of a radial layer after the first one have nothing to do.
PROPAGATIONS = [*others(fc.Fade, fc.Radial), fc.Fade(diffusion=0.2)]


@pytest.mark.parametrize("propagation", PROPAGATIONS, ids=str)
def test_waiting_steps_take_sources_and_walls_as_they_are_when_they_begin(
    propagation: Propagation,
) -> None:
    def change(layer: fc.Layer) -> None:
        layer.space.set_walls(layer.space.cell_at([(10.5, 6.5), (10.5, 7.5), (8.5, 7.5)]))
        if isinstance(layer, fc.layer.SourceLayer):
            layer.add_source((20.5, 9.5), 5.0)

    imap, layer = waiting(propagation)
    change(layer)
    assert layer.lag == 0.2
    while layer.lag:
        imap.advance(0, budget_work=1)
    whole = fc.InfluenceMap(fc.Grid(40, 30)).add_layer("a", propagation)
    feed(whole)
    whole.step(2)
    change(whole)
    whole.step(1)
    assert layer.values.tobytes() == whole.values.tobytes()


def test_a_step_goes_on_with_the_sources_with_which_it_began() -> None:
    imap = fc.InfluenceMap(fc.Grid(47, 33))
    layer = imap.add_layer("a", fc.Spread(0.1, 1.0))
    source = layer.add_source((9.5, 7.5), 8.0)
    imap.advance(0.1)
    source.move((20.5, 20.5))
    imap.advance(0.1, budget_work=1)
    assert layer.updates == 1 and layer.lag == 0.1
    source.remove()
    units = 0
    while layer.lag:
        imap.advance(0, budget_work=1)
        units += 1
    assert units > 1 and layer.sample((20.5, 20.5)) == 8.0


COMPLETING: dict[str, Callable[[fc.InfluenceMap, Any], object]] = {
    "at": lambda imap, layer: layer.at(0.1).values,
    "copy": lambda imap, layer: imap.copy(),
    "pickle": lambda imap, layer: pickle.dumps(imap),
    "state": lambda imap, layer: layer.state(),
    "step": lambda imap, layer: imap.step(0),
    "advance": lambda imap, layer: imap.advance(0),
    "every": lambda imap, layer: setattr(layer, "every", 0.2),
    "write": lambda imap, layer: layer.write(np.zeros(imap.space.shape)),
    "settle": lambda imap, layer: layer.settle(),
    "deposit": lambda imap, layer: layer.deposit((3, 3), 2.0),
    "tune": lambda imap, layer: layer.tune(floor=0.5),
    "resistance": lambda imap, layer: setattr(layer, "resistance", np.ones(imap.space.shape)),
}
READING: dict[str, Callable[[fc.InfluenceMap, Any], object]] = {
    "values": lambda imap, layer: layer.values,
    "sample": lambda imap, layer: layer.sample((3, 3)),
    "best": lambda imap, layer: fc.best(layer, (3, 3), 5),
    "explain": lambda imap, layer: fc.explain(layer, (3, 3)),
    "frame": lambda imap, layer: fc.view.frame(layer),
    "priority": lambda imap, layer: setattr(layer, "priority", 2.0),
    "walls": lambda imap, layer: imap.space.set_walls([3]),
    "add_source": lambda imap, layer: layer.add_source((3, 3), 2.0),
}


@pytest.mark.parametrize("name", [*COMPLETING, *READING])
def test_what_makes_waiting_steps_first(name: str) -> None:
    imap, layer = waiting(fc.Spread(0.1))
    {**COMPLETING, **READING}[name](imap, layer)
    assert (layer.lag == 0) == (name in COMPLETING)
    assert layer.updates == (3 if name in COMPLETING else 1)


def test_a_save_makes_waiting_steps_first(tmp_path: Path) -> None:
    imap, layer = waiting(fc.Spread(0.1))
    imap.save(tmp_path / "map")
    assert layer.updates == 3
    assert fc.InfluenceMap.load(tmp_path / "map")["a"].values.tobytes() == layer.values.tobytes()
