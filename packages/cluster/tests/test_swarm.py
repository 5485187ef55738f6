"""Swarms on blocks: the bits of a swarm on one array, whoever holds the blocks and whatever
dies.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fieldcraft as fc
import fieldcraft_cluster as cluster
from fieldcraft.errors import InvalidValue, NameTaken, OnWall, UnknownName
from fieldcraft.steering import Leave, Swarm, Walk
from fieldcraft_cluster.plan import Box
from fieldcraft_cluster.store import Stores
from packages.cluster.tests.test_losses import DyingStores
from support.refusals import refused


class Twins:
    """The same agents and layers on one array and in blocks."""

    def __init__(
        self,
        folder: Path,
        size: tuple[int, int],
        block: int,
        seed: int,
        *,
        wrap: bool,
        y_up: bool,
        share: float,
        k: int,
    ) -> None:
        self.rng = np.random.default_rng(seed)
        walls = self.rng.random(size[::-1]) < share
        walls[0, 0] = False
        ground: dict[str, Any] = {
            "wrap": wrap,
            "y_up": y_up,
            "cell_size": 1.5,
            "origin": (-3.0, 2.0),
        }
        self.grid = fc.Grid(*size, walls=walls, **ground)
        self.make = lambda: cluster.World(
            folder, size, block=block, walls=walls, halo_steps=k, memory=1e5, **ground
        )
        self.imap, self.world = fc.InfluenceMap(self.grid), self.make()
        kinds = {
            "scent": fc.Trail(keep=0.9),
            "heading": fc.Trail(vector=True, accumulate=False),
            "crowd": fc.Trail(accumulate=False, blur=5),
        }
        for name, kind in kinds.items():
            self.imap.add_layer(name, kind)
            self.world.add_layer(name, kind, reach=9.0)
        self.imap.add_layer("lure", fc.Spread(decay=0.1, momentum=1.0))
        self.world.add_layer("lure", fc.Spread(decay=0.1, momentum=1.0), reach=9.0)
        lure = self.grid.position_of(self.rng.choice(np.flatnonzero(~self.grid.walls)))
        for each in (self.imap["lure"], self.world.layer("lure")):
            each.add_sources([lure], 5.0)
        free = np.flatnonzero(~self.grid.walls)
        points = self.grid.position_of(self.rng.choice(free, 40)) + self.rng.uniform(
            -0.7, 0.7, (40, 2)
        )
        roles = np.arange(40) % 2
        self.one = Swarm.at(self.grid, points, roles=roles, seed=seed)
        self.world.add_swarm("ants", points, roles=roles, seed=seed)

    def run(self, how: Walk, steps: int, run: Any = None) -> None:
        for layers, go in (
            (self.imap, self.one.run),
            (self.world.layers, run or self.world.swarm("ants").run),
        ):
            leave = [
                Leave(layers["scent"], [3.0, 1.0], role=0),
                Leave(layers["heading"], 2.0),
                Leave(layers["crowd"]),
            ]
            go(
                how,
                0.1,
                steps=steps,
                trail=(layers["scent"], layers["lure"]),
                flow=layers["heading"],
                crowd_layer=layers["crowd"],
                group_layer=layers["scent"],
                leave=leave,
            )

    def build(self) -> None:
        """Build walls where agents stand, and open others."""
        cells = np.unique(self.one.cells[::3])
        self.grid.set_walls(cells)
        self.world.set_walls(self.grid.position_of(cells))
        shut = np.flatnonzero(self.grid.walls)[:5]
        self.grid.set_walls(shut, False)
        self.world.set_walls(self.grid.position_of(shut), False)

    def again(self) -> None:
        self.world.checkpoint()
        self.world.close()
        self.world = self.make()

    def agree(self) -> None:
        two, box = self.world.swarm("ants"), Box(0, self.grid.height, 0, self.grid.width)
        assert two.positions.tobytes() == self.one.positions.tobytes()
        assert two.headings.tobytes() == self.one.headings.tobytes()
        assert np.array_equal(two.roles, self.one.roles) and two.step == self.one.step
        for name, layer in self.world.layers.items():
            assert layer.values_in(box).tobytes() == self.imap[name].values.tobytes(), name


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    size=st.tuples(st.integers(7, 26), st.integers(7, 26)).filter(lambda both: both[0] != both[1]),
    block=st.integers(6, 27),
    k=st.sampled_from([1, 3, 8]),
    wrap=st.booleans(),
    y_up=st.booleans(),
    share=st.sampled_from([0.0, 0.2]),
    stores=st.integers(1, 3),
    weights=st.tuples(*[st.sampled_from([0.0, 1.5])] * 5),
    speed=st.sampled_from([4.0, 60.0]),
    seed=st.integers(0, 2**62),
)
def test_blocks_give_the_bits_of_one_swarm(
    size: tuple[int, int],
    block: int,
    k: int,
    wrap: bool,
    y_up: bool,
    share: float,
    stores: int,
    weights: tuple[float, ...],
    speed: float,
    seed: int,
) -> None:
    names = ("follow", "avoid", "align", "separate", "cohere")
    how = Walk(
        speed, wander=30.0, turn=60.0, distance=6.0, **dict(zip(names, weights, strict=True))
    )
    with tempfile.TemporaryDirectory() as folder:
        twins = Twins(Path(folder), size, block, seed, wrap=wrap, y_up=y_up, share=share, k=k)
        twins.world.use(Stores(stores))
        twins.run(how, 5)
        twins.agree()
        for each in (twins.imap["scent"], twins.world.layer("scent")):
            each.deposit(twins.one.positions[:7], 30.0)
        for each in (twins.imap["lure"], twins.world):
            each.step(4)
        for each in (twins.imap["scent"], twins.imap["heading"], twins.imap["crowd"]):
            each.step(4)
        twins.build()
        twins.run(how, 1)
        twins.agree()
        twins.again()
        twins.run(how, 6)
        twins.agree()


@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    losses=st.dictionaries(st.integers(12, 90), st.booleans(), min_size=1, max_size=4),
    every=st.sampled_from([None, 2]),
)
def test_a_lost_worker_changes_no_agent(losses: dict[int, bool], every: int | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        twins = Twins(Path(folder), (23, 14), 8, 5, wrap=False, y_up=False, share=0.1, k=2)
        twins.world.use(DyingStores(2, losses))
        running = cluster.Running(twins.world, every)
        swarm = twins.world.swarm("ants")
        for steps in (4, 3):
            twins.run(
                Walk(9.0, follow=1.0, align=1.0),
                steps,
                lambda how, dt, **rest: running.walk(swarm, how, dt, **rest),
            )
        twins.build()
        twins.run(Walk(9.0, follow=1.0, align=1.0), 2)
        twins.agree()


def test_a_map_without_end_is_walked_on_without_holding_it(tmp_path: Path) -> None:
    world = cluster.World(
        tmp_path,
        (2**24, 2**22),
        block=64,
        walls=lambda rows, columns: _pillars(rows, columns),
        halo_steps=4,
    )
    scent = world.add_layer("scent", fc.Trail(), reach=6.0)
    ants = world.scatter_swarm("ants", 50, seed=3)
    before = ants.positions
    report = ants.run(
        Walk(1.0, follow=1.0, avoid=1.0, distance=4.0), 1.0, steps=6, trail=scent, deposit=2.0
    )
    assert report.steps == {"ants": 6, "scent": 6} and report.supersteps == 6
    assert 0 < np.abs(ants.positions - before).max() <= 6 * np.sqrt(2)
    rows, columns = ants.cells
    assert not world.walls_at(rows, columns).any()
    assert (np.asarray(scent.sample(ants.positions)) > 0).all()
    assert world.checkpoint() < 3_000_000


def _pillars(rows: slice, columns: slice) -> np.ndarray:
    return (np.arange(rows.start, rows.stop)[:, None] % 3 == 0) & (
        np.arange(columns.start, columns.stop) % 4 == 0
    )


def test_refusals(tmp_path: Path) -> None:
    walls = np.zeros((30, 50), dtype=bool)
    walls[:, 20] = True
    world = cluster.World(tmp_path, (50, 30), block=16, walls=walls, halo_steps=2)
    scent, seen = world.add_layer("scent", fc.Trail()), world.add_layer("seen", fc.Fade())
    with refused(OnWall, "(20.5, 3.0)"):
        world.add_swarm("ants", [(3.0, 3.0), (20.5, 3.0)])
    ants = world.add_swarm("ants", [(3.0, 3.0)])
    with refused(NameTaken, "ants"):
        world.add_swarm("ants", [(3.0, 3.0)])
    with refused(UnknownName, "ants"):
        world.swarm("bees")
    how = Walk(1.0, follow=1.0, distance=3.0)
    with refused(InvalidValue, "halos", "reach=4"):
        ants.run(how, 0.1, trail=scent)
    with refused(InvalidValue, "follow", "fc.Trail"):
        ants.run(how, 0.1, trail=seen)
    with refused(InvalidValue, "leave something"):
        ants.run(Walk(1.0), 0.1, leave=Leave(seen))
    with pytest.raises(InvalidValue, match="seed"):
        world.scatter_swarm("bees", 3, seed=2**63)
    blocked = cluster.World(tmp_path / "b", (50, 30), block=16, walls=np.ones((30, 50), dtype=bool))
    with refused(InvalidValue, "open ground"):
        blocked.scatter_swarm("bees", 3)
    assert ants.step == 0 and scent.steps == 0
