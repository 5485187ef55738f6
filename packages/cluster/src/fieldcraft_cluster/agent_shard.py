"""The shard: the agents of one swarm on the blocks of one store, and the steps that they make
there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import BadSaveFile
from fieldcraft.kernels import pool, swarm_layout
from fieldcraft.kernels.arrays import read_only
from fieldcraft.steering.walk import MOST_AGENTS
from fieldcraft_cluster.agents import FINE, Group, Mark, Migrants, StepPlan, spread_over
from fieldcraft_cluster.block import HaloUpdate
from fieldcraft_cluster.files import read_planes, write_planes
from fieldcraft_cluster.plan import Box, Plan
from fieldcraft_cluster.terrain import walls_in
from fieldcraft_cluster.transfer import WorldPlan

if TYPE_CHECKING:
    from fieldcraft_cluster.store import Store

__all__ = ["AgentShard"]

_AGENTS = 10_000  # as many pay for waking a thread
_CROWDED = 100_000  # as many pay for being put in order
_ORDERED = 16  # steps from one time to the next

Agents = tuple[NDArray[np.int32], NDArray[np.uint32]]


class AgentShard:
    """The agents of a swarm that stand on the blocks of a store; they are always in memory."""

    def __init__(self, store: Store, name: str, world: WorldPlan) -> None:
        self._store, self._name, self._world = store, name, world
        self.groups: dict[int, Group] = {}
        self.plan = Plan(world.width, world.height, world.block, 0, world.wrap)
        """How the map is cut; halos are as wide as agents look."""
        self._arriving = Migrants({}, {})
        self._beyond = 0
        self._closed: dict[int, tuple[NDArray[np.uint32], bool]] = {}
        self._closed_for: Any = None
        self._zeros: dict[tuple[int, int], NDArray[np.int32]] = {}

    def add(self, groups: Mapping[int, Group]) -> None:
        """Have more agents."""
        for number, group in groups.items():
            if len(group.numbers):
                mine = self.groups.get(number)
                self.groups[number] = (
                    Group(group.agents.copy(), group.numbers)
                    if mine is None
                    else mine.with_more(group)
                )

    def relocate(self, numbers: NDArray[np.uint32], groups: Mapping[int, Group]) -> None:
        """Let agents go, those of them that are here, and have others."""
        for number, group in list(self.groups.items()):
            stays = ~np.isin(group.numbers, numbers)
            if not stays.all():
                self._keep(number, group.part(stays))
        self.add(groups)

    def _keep(self, number: int, group: Group) -> None:
        if len(group.numbers):
            self.groups[number] = group
        else:
            del self.groups[number]

    # Steps

    def step_plan(self, step_plan: StepPlan) -> None:
        """Make the next steps like this."""
        self._step_plan = step_plan
        halos = [self._store.layers[name].plan.halo for name in step_plan.read]
        self.plan = dataclasses.replace(self.plan, halo=min(halos, default=step_plan.reach))
        self._beyond = max((mark.beyond for mark in step_plan.marks), default=0)
        self._closed, self._zeros = {}, {}

    def walk(self, step: int, halos: Mapping[str, Iterable[HaloUpdate]]) -> Migrants:
        """Take in the halos of the layers that agents read, and move all agents. Returns those that
        enter blocks of other stores, or come beside them.
        """
        for layer, news in halos.items():
            self._store.layers[layer].take(news)
        if self._closed_for is not self._store.walls.cells:
            self._closed, self._closed_for = {}, self._store.walls.cells
        left = Migrants({}, {})
        numbers, together = sorted(self.groups), pool.threads()
        for first in range(0, len(numbers), together):
            some = numbers[first : first + together]
            pool.run([call for number in some for call in self._calls(number, step)])
            for number in some:
                self._part(number, left)
        self._arriving = left.of(self._is_mine)
        return left.of(lambda number: not self._is_mine(number))

    def _is_mine(self, number: int) -> bool:
        return self._store.is_mine(self.plan, number)

    def _calls(self, number: int, step: int) -> list[pool.Call]:
        """The calls that let the agents of a block make a step, in the places of the extended
        block.
        """
        group, (down, right) = self.groups[number], self._offset(number, self.plan)
        height, width = self.plan.extended(number).shape
        if len(group.numbers) >= _CROWDED and step % _ORDERED == 0:
            agents, numbers = np.empty_like(group.agents), np.empty_like(group.numbers)
            size = self.plan.interior(number).shape
            kernels.swarm.arrange(group.agents, group.numbers, *size, agents, numbers)
            group.agents, group.numbers = agents, numbers
        group.file = None
        group.agents[0] += np.int32(right << FINE)
        group.agents[1] += np.int32(down << FINE)
        rule = self._step_plan.rule._replace(height=height, width=width, wrap=0)
        sights, blank = self._sights(self._step_plan, number)
        given = (group.numbers, tuple(sights), swarm_layout.circle(), tuple(rule), blank, step)
        count = len(group.numbers)
        bands = pool.bands(count, count // _AGENTS) if len(self.groups) == 1 else [(0, count)]
        return [(kernels.swarm.walk, (*given, *band, group.agents)) for band in bands]

    def _part(self, number: int, left: Migrants) -> None:
        """Bring agents back to the places of their block's interior, and send off those who have
        left it.
        """
        group, (down, right) = self.groups[number], self._offset(number, self.plan)
        interior = self.plan.interior(number)
        height, width = interior.shape
        x, y = group.agents[0], group.agents[1]
        x -= np.int32(right << FINE)
        y -= np.int32(down << FINE)
        if self._beyond:
            far = self._beyond << FINE
            near = (x < far) | (x >= (width << FINE) - far)
            near |= (y < far) | (y >= (height << FINE) - far)
            for target, agents in self._beside(interior, group.agents[:, near]):
                both = [left.beside[target], agents] if target in left.beside else [agents]
                left.beside[target] = np.concatenate(both, axis=1)
        goes = (x < 0) | (x >= width << FINE) | (y < 0) | (y >= height << FINE)
        if not goes.any():
            return
        some = group.part(goes)
        self._keep(number, group.part(~goes))
        at = some.agents.astype(np.int64)
        across, along = at[0] + (interior.left << FINE), at[1] + (interior.top << FINE)
        found = spread_over(self.plan, across, along, some.agents[2], some.numbers)
        for target, part in found.items():
            known = left.groups.get(target)
            left.groups[target] = part if known is None else known.with_more(part)

    def _beside(
        self, interior: Box, agents: NDArray[np.int32]
    ) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """Agents, in the places of an interior, in those of all other interiors beside which they
        stand.
        """
        plan = dataclasses.replace(self.plan, halo=self._beyond)
        corner = np.array([[interior.left << FINE], [interior.top << FINE]])
        x, y = agents[:2].astype(np.int64) + corner
        if plan.wrap:
            x, y = x % (plan.width << FINE), y % (plan.height << FINE)
        which, blocks, rows, columns = plan.holders(y >> FINE, x >> FINE)
        for number in np.unique(blocks).tolist():
            (height, width), (down, right) = plan.interior(number).shape, self._offset(number, plan)
            i, j = rows - down, columns - right
            off = (i < 0) | (i >= height) | (j < 0) | (j >= width)
            here = (blocks == number) & off
            if here.any():
                some, i, j = which[here], i[here], j[here]
                across, along = (j << FINE) + (x[some] & 0xFFFF), (i << FINE) + (y[some] & 0xFFFF)
                yield number, np.stack([across, along, agents[2, some]]).astype(np.int32)

    def _offset(self, number: int, plan: Plan) -> tuple[int, int]:
        """How many rows and columns the interior of a block begins after its extended block."""
        interior, extended = plan.interior(number), plan.extended(number)
        return interior.top - extended.top, interior.left - extended.left

    # What they see

    def _sights(self, step_plan: StepPlan, number: int) -> tuple[swarm_layout.Sights, bool]:
        none = read_only(swarm_layout.NO_LAYER)
        closed, blank = self._walls_of(number)
        values: dict[str | None, NDArray[np.int32]] = {None: none}
        for name in (*step_plan.trails, step_plan.crowd, step_plan.group):
            if name not in values:
                values[name] = self._planes(name, number, vectors=False)[0]
        pairs: dict[str | None, list[NDArray[np.int32]]] = {None: [none, none]}
        for name in step_plan.flows:
            if name not in pairs:
                pairs[name] = self._planes(name, number, vectors=True)
        trails = [values[name] for name in step_plan.trails]
        flows = [plane for name in step_plan.flows for plane in pairs[name]]
        around = [values[name] for name in (step_plan.crowd, step_plan.group)]
        return swarm_layout.Sights(closed, *trails, *flows, *around), blank

    def _walls_of(self, number: int) -> tuple[NDArray[np.uint32], bool]:
        if number not in self._closed:
            walls = walls_in(self._world.walls, self._store.walls, self.plan.extended(number))
            self._closed[number] = (read_only(swarm_layout.packed(walls)), not walls.any())
        return self._closed[number]

    def _planes(self, name: Any, number: int, vectors: bool) -> list[NDArray[np.int32]]:
        """The bits of what a layer says on the extended block: its values, or both planes of its
        vectors.
        """
        blocks, extended = self._store.layers[name], self.plan.extended(number)
        block = blocks.look(number)
        if block is None:
            if extended.shape not in self._zeros:
                self._zeros[extended.shape] = read_only(
                    np.zeros(extended.shape, np.int32).reshape(-1)
                )
            return [self._zeros[extended.shape]] * (1 + vectors)
        part = extended.within(blocks.plan.extended(number))
        return [
            read_only(np.ascontiguousarray(plane[part]).reshape(-1).view(np.int32))
            for plane in block.seen(vectors)
        ]

    # What they leave

    def arrive(self, migrants: list[Migrants]) -> None:
        """Take over the agents that come from other blocks; all agents leave their deposits."""
        come = [self._arriving, *migrants]
        for some in come:
            self.add(some.groups)
        for mark in self._step_plan.marks:
            for number in sorted(self.groups):
                self._leave(mark, number, self.groups[number].agents)
            for some in come if mark.beyond else ():
                for number, agents in sorted(some.beside.items()):
                    felt = self._felt(mark, number, agents)
                    self._leave(mark, number, np.ascontiguousarray(agents[:, felt]))

    def _felt(self, mark: Mark, number: int, agents: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which agents beside an interior stand as near as a mark is felt."""
        size = np.array(self.plan.interior(number).shape)[::-1, None]
        at = agents[:2] >> FINE
        return np.asarray(((at >= -mark.beyond) & (at < size + mark.beyond)).all(axis=0))

    def _leave(self, mark: Mark, number: int, agents: NDArray[np.int32]) -> None:
        """Put the marks of agents on what comes in on the extended block, as far as that
        reaches.
        """
        blocks = self._store.layers[mark.layer]
        down, right = self._offset(number, blocks.plan)
        if down or right:
            agents = agents + np.array([[right << FINE], [down << FINE], [0]], dtype=np.int32)
        canvas, width = blocks.wake_up(number).inflow(mark.plane)
        largest = np.array([np.abs(mark.amounts).max() / swarm_layout.UNITS])
        canvas.book(largest, float(agents.shape[1]))
        how, rows = (mark.role, mark.by_heading), (0, canvas.sums.shape[0])
        kernels.swarm.leave(agents, mark.amounts, width, *how, *rows, canvas.sums, canvas.dirty)

    # Answers and files

    def agents(self) -> list[tuple[int, Agents]]:
        """The agents and the numbers of each block."""
        return [
            (number, (group.agents, group.numbers)) for number, group in sorted(self.groups.items())
        ]

    def in_walls(self) -> list[tuple[int, Agents]]:
        """The agents that stand in walls, by blocks."""
        found = []
        for number, group in sorted(self.groups.items()):
            walls = walls_in(self._world.walls, self._store.walls, self.plan.interior(number))
            some = group.part(walls[group.agents[1] >> FINE, group.agents[0] >> FINE])
            if len(some.numbers):
                found.append((number, (some.agents, some.numbers)))
        return found

    def save(self, stamp: str) -> tuple[list[tuple[int, str]], int]:
        """Write the groups that have changed since they were last written: the files of all of them
        by blocks, and the bytes written.
        """
        written, entries = 0, []
        planes: dict[str, NDArray[Any]]
        for number, group in sorted(self.groups.items()):
            if group.file is None:
                group.file = self._store.path(f"{self._name} agents", number, stamp)
                numbers = group.numbers.astype(np.int64)[None]
                planes = {"agents": group.agents, "numbers": numbers}
                written += write_planes(group.file, planes)
            entries.append((number, group.file.name))
        return entries, written

    def load(self, number: int, file: Path) -> None:
        """Have the agents of a file."""
        planes = read_planes(file, (3, 0), MOST_AGENTS)
        try:
            agents, numbers = np.array(planes["agents"]), planes["numbers"][0].astype(np.uint32)
            height, width = self.plan.interior(number).shape
            fits = agents.dtype == np.int32 and agents.shape == (3, len(numbers))
            size = [[width << FINE], [height << FINE]]
            if not fits or not ((agents[:2] >= 0) & (agents[:2] < size)).all():
                raise ValueError(f"agents of {agents.dtype} and shape {agents.shape}")
        except (LookupError, TypeError, ValueError) as error:
            raise BadSaveFile(
                "A group of agents is what its swarm wrote",
                got=f"{file.name}: {error}",
                remedy="Use another copy of it",
            ) from error
        self.groups[number] = Group(agents, numbers, file)
