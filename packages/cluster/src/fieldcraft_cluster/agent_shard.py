"""The shard: the agents of one swarm on the blocks of one store, and the steps that they make
there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import BadSaveFile
from fieldcraft.kernels import pool, swarm_layout
from fieldcraft.kernels.arrays import frozen
from fieldcraft.steering.walk import MOST_AGENTS
from fieldcraft_cluster.block import Block, WorldPlan
from fieldcraft_cluster.files import read_planes, write_planes
from fieldcraft_cluster.plan import Box, Plan
from fieldcraft_cluster.terrain import Changes, walls_in

__all__ = ["AgentShard", "Group", "Mark", "Migrants", "StepPlan"]

_AGENTS = 10_000  # as many pay for waking a thread
_CROWDED = 100_000  # as many pay for being put in order
_ORDERED = 16  # steps from one time to the next
_FINE = 16  # bits of a place below a cell

Places = NDArray[np.int64]


class Mark(NamedTuple):
    """The amounts, in units of 2**-24, that agents of a role (-1: of any) leave on a plane of a
    layer.
    """

    layer: str
    plane: int
    role: int
    amounts: NDArray[np.int64]
    by_heading: bool
    beyond: int = 0
    """How many cells around a block it is felt within the same step: as far as a layer blurs that
    begins each step anew.
    """


class StepPlan(NamedTuple):
    """The way in which a swarm makes its next steps: layers by name, None for those that nobody
    reads; `reach` in cells.
    """

    rule: swarm_layout.Rule
    reach: int
    trails: tuple[str | None, str | None]
    flows: tuple[str | None, str | None]
    crowd: str | None
    group: str | None
    marks: tuple[Mark, ...]

    @property
    def read(self) -> list[str]:
        """The layers that agents look at, each once."""
        return list(
            dict.fromkeys(
                name
                for name in (*self.trails, *self.flows, self.crowd, self.group)
                if name is not None
            )
        )


@dataclasses.dataclass
class Group:
    """The agents on the interior of one block: (3, N) int32, their places counted from its first
    cell, and their numbers (N,).
    """

    agents: NDArray[np.int32]
    numbers: NDArray[np.uint32]
    file: Path | None = None

    def with_more(self, other: Group) -> Group:
        """Both together; no file speaks of them."""
        return Group(
            np.concatenate([self.agents, other.agents], axis=1),
            np.concatenate([self.numbers, other.numbers]),
        )

    @property
    def bytes(self) -> int:
        """The size of its arrays."""
        return self.agents.nbytes + self.numbers.nbytes

    def part(self, some: NDArray[np.bool_]) -> Group:
        """The chosen ones."""
        return Group(np.ascontiguousarray(self.agents[:, some]), self.numbers[some])


class Migrants(NamedTuple):
    """The agents who come to blocks, and those beside blocks whose marks are felt there: (3, N) as
    in a `Group`, but off the interior.
    """

    groups: dict[int, Group]
    beside: dict[int, NDArray[np.int32]]

    @property
    def bytes(self) -> int:
        """The size of all."""
        return sum(group.bytes for group in self.groups.values()) + sum(
            agents.nbytes for agents in self.beside.values()
        )

    def of(self, blocks: Callable[[int], bool]) -> Migrants:
        """The part that concerns some blocks."""
        return Migrants(
            {number: group for number, group in self.groups.items() if blocks(number)},
            {number: agents for number, agents in self.beside.items() if blocks(number)},
        )


class AgentShard:
    """The agents of a swarm that stand on the blocks of a store; they are always in memory.

    `look` and `pour` are how it comes by the blocks of a layer: those to be read, None where there
    is none, and those to be written to.
    """

    def __init__(
        self,
        world: WorldPlan,
        walls: Changes,
        plan_of: Callable[[str], Plan],
        look: Callable[[str, int], Block | None],
        pour: Callable[[str, int], Block],
    ) -> None:
        self._world, self._walls = world, walls
        self._plan_of, self._look, self._pour = plan_of, look, pour
        self.groups: dict[int, Group] = {}
        self._frame = Plan(world.width, world.height, world.block, 0, world.wrap)
        self._step_plan: StepPlan | None = None
        self._beyond = 0
        self._closed: dict[int, tuple[NDArray[np.uint32], bool]] = {}
        self._closed_for: Any = None
        self._zeros: dict[tuple[int, int], NDArray[np.int32]] = {}

    @property
    def plan(self) -> Plan:
        """How the map is cut; halos are as wide as agents look."""
        return self._frame

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(len(group.numbers) for group in self.groups.values())

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

    def drop(self, numbers: NDArray[np.uint32]) -> None:
        """Let agents go, those of them that are here."""
        for number, group in list(self.groups.items()):
            stays = ~np.isin(group.numbers, numbers)
            if not stays.all():
                self._keep(number, group.part(stays))

    def _keep(self, number: int, group: Group) -> None:
        if len(group.numbers):
            self.groups[number] = group
        else:
            del self.groups[number]

    # Steps

    def step_plan(self, step_plan: StepPlan) -> None:
        """Make the next steps like this."""
        self._step_plan = step_plan
        halos = [self._plan_of(name).halo for name in step_plan.read]
        self._frame = dataclasses.replace(self._frame, halo=min(halos, default=step_plan.reach))
        self._beyond = max((mark.beyond for mark in step_plan.marks), default=0)
        self._closed = {}
        self._zeros = {}

    def walk(self, step: int) -> Migrants:
        """Let all look, turn and move; those who come to other blocks, or beside them."""
        step_plan = self._step_plan
        assert step_plan is not None
        if self._closed_for is not self._walls.cells:
            self._closed, self._closed_for = {}, self._walls.cells
        left = Migrants({}, {})
        waiting: list[tuple[int, list[pool.Call]]] = []
        for number in sorted(self.groups):
            waiting.append((number, self._calls(step_plan, number, step)))
            if len(waiting) == pool.threads():
                self._go(waiting, left)
        self._go(waiting, left)
        return left

    def _calls(self, step_plan: StepPlan, number: int, step: int) -> list[pool.Call]:
        """The calls that let the agents of a block make a step, in the places of the extended
        block.
        """
        group, (down, right) = self.groups[number], self._offset(number, self._frame)
        height, width = self._frame.extended(number).shape
        if len(group.numbers) >= _CROWDED and step % _ORDERED == 0:
            self._put_in_order(group, number)
        group.file = None
        group.agents[0] += np.int32(right << _FINE)
        group.agents[1] += np.int32(down << _FINE)
        rule = step_plan.rule._replace(height=height, width=width, wrap=0)
        sights, blank = self._sights(step_plan, number)
        common = (
            group.agents,
            group.numbers,
            tuple(sights),
            swarm_layout.circle(),
            tuple(rule),
            blank,
            step,
        )
        count = len(group.numbers)
        bands = pool.bands(count, count // _AGENTS) if len(self.groups) == 1 else [(0, count)]
        return [(kernels.swarm.walk, (*common, *band)) for band in bands]

    def _put_in_order(self, group: Group, number: int) -> None:
        agents, numbers = np.empty_like(group.agents), np.empty_like(group.numbers)
        kernels.swarm.arrange(
            group.agents, group.numbers, *self._frame.interior(number).shape, agents, numbers
        )
        group.agents, group.numbers = agents, numbers

    def _go(self, waiting: list[tuple[int, list[pool.Call]]], left: Migrants) -> None:
        pool.run([call for _, calls in waiting for call in calls])
        for number, _ in waiting:
            self._part(number, left)
        waiting.clear()

    def _part(self, number: int, left: Migrants) -> None:
        """Bring agents back to the places of their block's interior, and send off those who have
        left it.
        """
        group, (down, right) = self.groups[number], self._offset(number, self._frame)
        interior = self._frame.interior(number)
        height, width = interior.shape
        x, y = group.agents[0], group.agents[1]
        x -= np.int32(right << _FINE)
        y -= np.int32(down << _FINE)
        if self._beyond:
            far = self._beyond << _FINE
            near = (
                (x < far)
                | (x >= (width << _FINE) - far)
                | (y < far)
                | (y >= (height << _FINE) - far)
            )
            for target, agents in self._beside(interior, group.agents[:, near]).items():
                known = left.beside.get(target)
                left.beside[target] = (
                    agents if known is None else np.concatenate([known, agents], axis=1)
                )
        goes = (x < 0) | (x >= width << _FINE) | (y < 0) | (y >= height << _FINE)
        if not goes.any():
            return
        some = group.part(goes)
        self._keep(number, group.part(~goes))
        at = some.agents.astype(np.int64)
        for target, part in spread_over(
            self._frame,
            at[0] + (interior.left << _FINE),
            at[1] + (interior.top << _FINE),
            some.agents[2],
            some.numbers,
        ).items():
            left.groups[target] = (
                left.groups[target].with_more(part) if target in left.groups else part
            )

    def _beside(self, interior: Box, agents: NDArray[np.int32]) -> dict[int, NDArray[np.int32]]:
        """Agents, in the places of an interior, in those of all other interiors beside which they
        stand.
        """
        plan = dataclasses.replace(self._frame, halo=self._beyond)
        x, y = (
            agents[0].astype(np.int64) + (interior.left << _FINE),
            agents[1].astype(np.int64) + (interior.top << _FINE),
        )
        if plan.wrap:
            x, y = x % (plan.width << _FINE), y % (plan.height << _FINE)
        which, blocks, rows, columns = plan.holders(y >> _FINE, x >> _FINE)
        found = {}
        for number in np.unique(blocks).tolist():
            (height, width), (down, right) = plan.interior(number).shape, self._offset(number, plan)
            here = blocks == number
            some, i, j = which[here], rows[here] - down, columns[here] - right
            off = (i < 0) | (i >= height) | (j < 0) | (j >= width)
            if off.any():
                some, i, j = some[off], i[off], j[off]
                found[number] = np.stack(
                    [
                        (j << _FINE) + (x[some] & 0xFFFF),
                        (i << _FINE) + (y[some] & 0xFFFF),
                        agents[2, some],
                    ]
                ).astype(np.int32)
        return found

    def _offset(self, number: int, plan: Plan) -> tuple[int, int]:
        """How many rows and columns the interior of a block begins after its extended block."""
        interior, extended = plan.interior(number), plan.extended(number)
        return interior.top - extended.top, interior.left - extended.left

    # What they see

    def _sights(self, step_plan: StepPlan, number: int) -> tuple[swarm_layout.Sights, bool]:
        none = frozen(swarm_layout.NO_LAYER)
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
        known = self._closed.get(number)
        if known is None:
            walls = walls_in(self._world.walls, self._walls, self._frame.extended(number))
            known = self._closed[number] = (frozen(swarm_layout.packed(walls)), not walls.any())
        return known

    def _planes(self, name: Any, number: int, vectors: bool) -> list[NDArray[np.int32]]:
        """The bits of what a layer says on the extended block: its values, or both planes of its
        vectors.
        """
        block = self._look(name, number)
        if block is None:
            shape = self._frame.extended(number).shape
            if shape not in self._zeros:
                self._zeros[shape] = frozen(np.zeros(shape[0] * shape[1], dtype=np.int32))
            return [self._zeros[shape]] * (1 + vectors)
        part = self._frame.extended(number).within(self._plan_of(name).extended(number))
        return [
            frozen(np.ascontiguousarray(plane[part]).reshape(-1).view(np.int32))
            for plane in block.seen(vectors)
        ]

    # What they leave

    def arrive(self, migrants: Sequence[Migrants]) -> None:
        """Have those who have come, and let all leave what they leave."""
        for some in migrants:
            self.add(some.groups)
        step_plan = self._step_plan
        assert step_plan is not None
        for mark in step_plan.marks:
            plan = self._plan_of(mark.layer)
            for number in sorted(self.groups):
                self._leave(mark, number, self.groups[number].agents, plan)
            for some in migrants if mark.beyond else ():
                for number, agents in sorted(some.beside.items()):
                    felt = self._felt(mark, number, agents)
                    self._leave(mark, number, np.ascontiguousarray(agents[:, felt]), plan)

    def _felt(self, mark: Mark, number: int, agents: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which agents beside an interior stand as near as a mark is felt."""
        near = np.ones(agents.shape[1], dtype=np.bool_)
        for at, size in zip(
            (agents[1] >> _FINE, agents[0] >> _FINE),
            self._frame.interior(number).shape,
            strict=True,
        ):
            near &= (at >= -mark.beyond) & (at < size + mark.beyond)
        return near

    def _leave(self, mark: Mark, number: int, agents: NDArray[np.int32], plan: Plan) -> None:
        """Put the marks of agents on what comes in on the extended block, as far as that
        reaches.
        """
        self._pour(mark.layer, number).gather(
            mark.plane, self._leaving(mark, agents, self._offset(number, plan))
        )

    def _leaving(
        self, mark: Mark, agents: NDArray[np.int32], offset: tuple[int, int]
    ) -> Callable[[Any, int], None]:
        down, right = offset
        if down or right:
            agents = agents + np.array([[right << _FINE], [down << _FINE], [0]], dtype=np.int32)

        def leave(canvas: Any, width: int) -> None:
            canvas.book(
                np.array([np.abs(mark.amounts).max() / swarm_layout.UNITS]), float(agents.shape[1])
            )
            height = canvas.sums.shape[0]
            kernels.swarm.leave(
                agents,
                width,
                mark.role,
                mark.amounts,
                mark.by_heading,
                canvas.sums,
                canvas.dirty,
                0,
                height,
            )

        return leave

    # Answers and files

    def known(self) -> list[tuple[int, tuple[NDArray[np.int32], NDArray[np.uint32]]]]:
        """The agents and the numbers of each block."""
        return [
            (number, (group.agents, group.numbers)) for number, group in sorted(self.groups.items())
        ]

    def in_walls(self) -> list[tuple[int, tuple[NDArray[np.int32], NDArray[np.uint32]]]]:
        """The agents that stand in walls, by blocks."""
        found = []
        for number, group in sorted(self.groups.items()):
            walls = walls_in(self._world.walls, self._walls, self._frame.interior(number))
            blocked = walls[group.agents[1] >> _FINE, group.agents[0] >> _FINE]
            if blocked.any():
                some = group.part(blocked)
                found.append((number, (some.agents, some.numbers)))
        return found

    def save(self, path: Callable[[int], Path]) -> tuple[list[tuple[int, str]], int]:
        """Write the groups that have changed since they were last written: the files of all of them
        by blocks, and the bytes written.
        """
        written, entries = 0, []
        for number, group in sorted(self.groups.items()):
            if group.file is None:
                group.file = path(number)
                written += write_planes(
                    group.file,
                    {"agents": group.agents, "numbers": group.numbers.astype(np.int64)[None]},
                )
            entries.append((number, group.file.name))
        return entries, written

    def load(self, number: int, file: Path) -> None:
        """Have the agents of a file."""
        planes = read_planes(file, (3, 0), MOST_AGENTS)
        try:
            agents, numbers = np.array(planes["agents"]), planes["numbers"][0].astype(np.uint32)
            height, width = self._frame.interior(number).shape
            fits = agents.dtype == np.int32 and agents.shape == (3, len(numbers))
            if (
                not fits
                or not (
                    (agents[:2] >= 0) & (agents[:2] < [[width << _FINE], [height << _FINE]])
                ).all()
            ):
                raise ValueError(f"agents of {agents.dtype} and shape {agents.shape}")
        except (LookupError, TypeError, ValueError) as error:
            raise BadSaveFile(
                "A group of agents is what its swarm wrote",
                got=f"{file.name}: {error}",
                remedy="Use another copy of it",
            ) from error
        self.groups[number] = Group(agents, numbers, file)


def spread_over(
    plan: Plan, x: Places, y: Places, minds: NDArray[np.int32], numbers: NDArray[np.uint32]
) -> dict[int, Group]:
    """Agents at places of the map, beyond it on a torus, as the groups of the blocks that they
    stand on.
    """
    if plan.wrap:
        x, y = x % (plan.width << _FINE), y % (plan.height << _FINE)
    homes = plan.home(y >> _FINE, x >> _FINE)
    order = np.argsort(homes, kind="stable")
    found = {}
    blocks, begins = np.unique(homes[order], return_index=True)
    for number, some in zip(blocks.tolist(), np.split(order, begins[1:]), strict=True):
        interior = plan.interior(number)
        agents = np.stack(
            [x[some] - (interior.left << _FINE), y[some] - (interior.top << _FINE), minds[some]]
        ).astype(np.int32)
        found[number] = Group(agents, numbers[some])
    return found
