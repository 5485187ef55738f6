"""Agents on their way between blocks, and how they make steps."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels import swarm_layout
from fieldcraft_cluster.plan import Plan

__all__ = ["FINE", "Group", "Mark", "Migrants", "StepPlan", "spread_over"]

FINE = 16
"""The bits of a place below a cell."""


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


def spread_over(
    plan: Plan,
    x: NDArray[np.int64],
    y: NDArray[np.int64],
    minds: NDArray[np.int32],
    numbers: NDArray[np.uint32],
) -> dict[int, Group]:
    """Agents at places of the map, beyond it on a torus, as the groups of the blocks that they
    stand on.
    """
    if plan.wrap:
        x, y = x % (plan.width << FINE), y % (plan.height << FINE)
    homes = plan.home(y >> FINE, x >> FINE)
    order = np.argsort(homes, kind="stable")
    found = {}
    blocks, begins = np.unique(homes[order], return_index=True)
    for number, some in zip(blocks.tolist(), np.split(order, begins[1:]), strict=True):
        interior = plan.interior(number)
        agents = np.stack(
            [x[some] - (interior.left << FINE), y[some] - (interior.top << FINE), minds[some]]
        ).astype(np.int32)
        found[number] = Group(agents, numbers[some])
    return found
