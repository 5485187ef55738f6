"""Swarms: millions of agents in whole numbers, led by layers, with the same bits on the CPU and on
a device.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, serialization
from fieldcraft.errors import InvalidValue, OnWall
from fieldcraft.files import damaged, sealed, write_sealed
from fieldcraft.interruption import atomic, in_parts, poll_interrupt
from fieldcraft.kernels.swarm_layout import ROLE, SINCE
from fieldcraft.space import Grid
from fieldcraft.steering.arguments import rows_of
from fieldcraft.steering.leaving import Forage, Leave, Smell
from fieldcraft.steering.swarm_host import checked_swarm_key, held
from fieldcraft.steering.swarm_plan import SwarmPlan
from fieldcraft.steering.walk import (
    MOST_AGENTS,
    Walk,
    minds_of,
    places_of,
    rule_of,
)

__all__ = ["Swarm"]

_MAGIC = b"fieldcraft swarm\n"


class Swarm:
    """Agents on a grid that read layers, turn, move, and leave something behind: 12 bytes each.

    A swarm computes in whole numbers, so that a CPU and a graphics card return the same bits:
    positions in 1/65,536 of a cell, headings in 1/65,536 of a turn, weights in 1/256, distances to
    sensors in quarters of a cell. A swarm changes as it runs. Each agent has a role, 0 or 1; the
    two roles may read different layers. Random numbers depend on the seed, the agent's row and the
    step only: one seed makes one run, for any number of threads.
    """

    def __init__(
        self, space: Grid, agents: NDArray[np.int32], key: int, step: int = 0, device: Any = None
    ) -> None:
        """A swarm of the array that `agents` of another one was. Use `at` or `scattered` for a new
        one.
        """
        self._key = checked_swarm_key(space, key)
        rule, remedy = "A swarm is an int32 array of shape (3, N)", "Use Swarm.at(space, positions)"
        checks.instance(agents, np.ndarray, rule, remedy)
        if agents.dtype != np.int32 or agents.ndim != 2 or len(agents) != 3:
            raise InvalidValue(rule, got=repr(agents)[:60], remedy=remedy)
        columns, rows = agents[0] >> 16, agents[1] >> 16
        if agents.size and not (
            0 <= columns.min() <= columns.max() < space.width
            and 0 <= rows.min() <= rows.max() < space.height
        ):
            raise InvalidValue(
                "Agents lie on the map",
                got="places off it",
                remedy="Pass the grid on which the swarm was",
            )
        self._space = space
        self._step = checks.integer("step", step)
        self._walls_seen = -1  # the walls_version for which all stand on open ground
        self._held: Any = held(np.array(agents, order="C"), device)
        self._device: Any = getattr(self._held, "device", None)

    @classmethod
    def at(
        cls,
        space: Grid,
        positions: ArrayLike,
        headings: ArrayLike | None = None,
        *,
        roles: ArrayLike | None = None,
        seed: int = 0,
        device: Any = None,
    ) -> Swarm:
        """A swarm at (N, 2) world positions on open ground.

        Parameters
        ----------
        space : Grid
            A grid, of at most 16,384 cells a side.
        positions : array_like
            (N, 2), kept to 1/65,536 of a cell.
        headings : array_like, optional
            (x, y) directions, one or N; by default they are drawn from the seed.
        roles : array_like, optional
            (N,), 0 or 1; 0 by default.
        seed : int, optional
            Of the dice, a whole number.
        device : object, optional
            A device of `fc.gpu.device()`; by default the CPU.

        Raises
        ------
        OutsideMap
            If a position is outside the map.
        OnWall
            If a position is in a wall.
        InvalidValue
            If an argument has a wrong value, shape or type.
        """
        points, _ = checks.positions(positions)
        key = checked_swarm_key(space, seed)
        cells = np.asarray(space.cell_at(points), dtype=np.int64).reshape(-1)
        blocked = space.walls.reshape(-1)[cells]
        if blocked.any():
            index = int(np.flatnonzero(blocked)[0])
            raise OnWall(
                "Agents stand on open ground",
                got=f"{tuple(points[index].tolist())} at index {index}",
                remedy="Use space.nearest_open(cells) and space.position_of(cells)",
            )
        agents = np.empty((3, len(points)), dtype=np.int32)
        agents[:2] = places_of(
            points,
            cells // space.width,
            cells % space.width,
            space.shape,
            cell_size=space.cell_size,
            origin=space.origin,
            y_up=space.y_up,
            wrap=space.wrap,
        )
        agents[2] = minds_of(headings, roles, len(points), space.y_up, key)
        return cls(space, agents, key, 0, device)

    @classmethod
    def scattered(cls, space: Grid, count: int, *, seed: int = 0, device: Any = None) -> Swarm:
        """A swarm of so many agents anywhere on open ground, heading anywhere, by the dice of the
        seed.

        Raises
        ------
        InvalidValue
            If there is no open ground.
        """
        key, number = (
            checked_swarm_key(space, seed),
            checks.integer("count", count, maximum=MOST_AGENTS),
        )
        rng = np.random.default_rng(key)
        ground = np.flatnonzero(~space.walls)
        if number and not len(ground):
            raise InvalidValue(
                "Agents stand on open ground", got="walls everywhere", remedy="Choose another map"
            )
        agents = np.empty((3, number), dtype=np.int32)
        cells = ground[rng.integers(max(len(ground), 1), size=number)]
        agents[0] = (cells % space.width << 16) + rng.integers(1 << 16, size=number)
        agents[1] = (cells // space.width << 16) + rng.integers(1 << 16, size=number)
        agents[2] = rng.integers(1 << 16, size=number)
        return cls(space, agents, key, 0, device)

    # What it holds

    def __len__(self) -> int:
        return int(self._held.count)

    def __repr__(self) -> str:
        device = self._device
        lost = ", which is lost" if device is not None and device.lost else ""
        where = ("the CPU" if device is None else device.name) + lost
        return f"<Swarm: {len(self):,} agents on {self._space!r}, on {where}, step {self._step:,}>"

    @property
    def space(self) -> Grid:
        """The grid that they move on."""
        return self._space

    @property
    def device(self) -> Any:
        """The device that they live on, or None for the CPU."""
        return self._device

    @property
    def step(self) -> int:
        """How many steps they have made."""
        return self._step

    @property
    def agents(self) -> NDArray[np.int32]:
        """A copy of all agents, (3, N), as `fieldcraft.kernels.swarm_layout` says."""
        return np.array(self._held.read())

    @property
    def positions(self) -> NDArray[np.float64]:
        """Where they are, (N, 2) in world units."""
        agents, space = self._held.read(), self._space
        places = np.ascontiguousarray(agents[:2].T + 0.5) / 65536
        if space.y_up:
            places[:, 1] = space.height - places[:, 1]
        return np.asarray(places * space.cell_size + np.array(space.origin))

    @property
    def headings(self) -> NDArray[np.float64]:
        """Where they head, (N, 2), unit vectors in world axes."""
        angles = (self._held.read()[2] & 0xFFFF) * (2 * np.pi / 65536)
        return np.stack([np.cos(angles), np.sin(-angles if self._space.y_up else angles)], axis=1)

    @property
    def cells(self) -> NDArray[np.int64]:
        """The cells that they are in, (N,)."""
        return self._cells_of(self._held.read())

    def _cells_of(self, agents: NDArray[np.int32]) -> NDArray[np.int64]:
        rows = agents[1].astype(np.int64) >> 16
        return np.asarray(rows * self._space.width + (agents[0] >> 16))

    @property
    def roles(self) -> NDArray[np.int8]:
        """Their roles, (N,): 0, or 1 for those who carry something."""
        return np.asarray((self._held.read()[2] & ROLE) >> 16, dtype=np.int8)

    @property
    def since(self) -> NDArray[np.int64]:
        """Steps since each took or brought something or was at home, (N,); at most 32,767."""
        return np.asarray(self._held.read()[2].view(np.uint32).astype(np.int64) >> SINCE)

    def __getitem__(self, agents: ArrayLike) -> Swarm:
        """The agents of a mask or of numbers as a swarm, whose random numbers go by its rows."""
        chosen = rows_of(self.agents.T, agents).T
        return Swarm(self._space, chosen, self._key, self._step, self._device)

    def __add__(self, other: Swarm) -> Swarm:
        """These agents and then those of another swarm on the same grid, with the seed and the step
        of this one.
        """
        if not isinstance(other, Swarm) or other._space is not self._space:
            raise InvalidValue(
                "Swarms on one grid join", got=repr(other), remedy="Use Swarm.at(swarm.space, ...)"
            )
        joined = np.concatenate([self.agents, other.agents], axis=1)
        return Swarm(self._space, joined, self._key, self._step, self._device)

    # Steps

    @atomic
    def run(
        self,
        how: Walk,
        dt: float,
        *,
        steps: int = 1,
        trail: Any = None,
        flow: Any = None,
        crowd_layer: Any = None,
        group_layer: Any = None,
        deposit: float | None = None,
        leave: Leave | Sequence[Leave] = (),
        smell: Smell | Sequence[Smell] = (),
        forage: Forage | None = None,
    ) -> None:
        """Make steps of `dt` seconds each: agents decide, move, fetch and leave something; then the
        layers that they leave it on are updated.

        Agents in new walls go to the nearest open cell first. Raises `InvalidValue` for settings
        beyond what whole numbers hold, a weight without a layer, or a layer on another space;
        nothing has changed then. Ctrl-C ends many steps between two of them.

        Parameters
        ----------
        how : Walk
            Their weights, each at most 16.
        dt : float
            Seconds, at least 0. Wander and turn are per step: keep to one dt.
        steps : int, optional
            On a device all steps are one submission.
        trail : object, optional
            What `follow` follows: a layer or an expression; or two of them, for the roles 0 and 1.
        flow : object, optional
            What `align` aligns to: a layer with `Trail(vector=True)`, anything on the grid with
            `vectors` (height, width, 2), or `Reversed` of one; or two, for the roles 0 and 1.
        crowd_layer, group_layer : object, optional
            What `separate` shuns and `cohere` seeks.
        deposit : float, optional
            How much each agent leaves on the one `trail`: short for `leave=Leave(trail, deposit)`.
        leave : Leave or Sequence[Leave], optional
            What else they leave. Each of these layers makes one update per step.
        smell : Smell or Sequence[Smell], optional
            The places that smell; their layers are updated likewise.
        forage : Forage, optional
            Food that they fetch.
        """
        count = checks.integer("steps", steps)
        space = self._space
        rule = rule_of(
            how,
            dt,
            space.shape,
            cell_size=space.cell_size,
            y_up=space.y_up,
            wrap=space.wrap,
            key=self._key,
        )
        marks = [leave] if isinstance(leave, Leave) else checks.sequence("leave", leave)
        if deposit is not None:
            marks.insert(0, Leave(trail, deposit))
        smells = [smell] if isinstance(smell, Smell) else checks.sequence("smell", smell)
        plan = SwarmPlan.of(
            self._space, rule, trail, flow, crowd_layer, group_layer, marks, smells, forage
        )
        if self._device is not None and plan.needs_host:
            raise InvalidValue(
                "Swarms on a device read flows as they are, and leave one amount on vectors",
                got="Reversed(...), or several amounts for a layer of vectors",
                remedy="Run this swarm on the CPU: leave device out",
            )
        self._out_of_walls()
        # A device takes all steps in one submission.
        for part in in_parts(count) if self._device is None else (count,):
            self._held.run(plan, self._step, part)
            self._step += part
            poll_interrupt()

    def _out_of_walls(self) -> None:
        """Move agents in new walls to the nearest open cell."""
        space = self._space
        if self._walls_seen == space.walls_version:
            return
        agents = self._held.read()
        cells = self._cells_of(agents)
        blocked = np.flatnonzero(space.walls.reshape(-1)[cells])
        if len(blocked):
            agents, free = (
                np.array(agents),
                np.asarray(space.nearest_open(cells[blocked]), dtype=np.int64),
            )
            agents[0, blocked] = (free % space.width << 16) + (1 << 15)
            agents[1, blocked] = (free // space.width << 16) + (1 << 15)
            self._held.write(agents)
        self._walls_seen = space.walls_version

    # Copies and files

    def copy(self, *, device: Any = None) -> Swarm:
        """An independent swarm that goes on with the same bits, on the CPU or on a device."""
        return Swarm(self._space, self.agents, self._key, self._step, device)

    def recover(self, *, device: Any = None) -> int:
        """Continue without a lost device, from what was last read back of it, on the CPU or on
        `device`; return how many steps are gone.

        Random numbers go back as well. Layers recover by `imap.recover`, food by `Forage.recover`.
        Raises `InvalidValue` if the swarm is on no lost device.
        """
        if self._device is None or not self._device.lost:
            raise InvalidValue(
                "A swarm recovers from a device that is lost",
                got=repr(self),
                remedy="Go on; nothing is gone",
            )
        gone = int(self._held.unread)
        self._held = held(np.array(self._held.last_read(), order="C"), device)
        self._device = getattr(self._held, "device", None)
        self._step -= gone
        self._walls_seen = -1
        return gone

    def state(self) -> dict[str, Any]:
        """Return what `restored` needs: the agents, the key of their random numbers, the step."""
        return {"agents": self.agents, "key": self._key, "step": self._step}

    @classmethod
    def restored(cls, space: Grid, state: dict[str, Any], *, device: Any = None) -> Swarm:
        """Return a swarm that continues, bit for bit, the one of `state`. Raises `InvalidValue`
        for other values.
        """
        if not isinstance(state, dict) or not {"agents", "key", "step"} <= state.keys():
            raise InvalidValue(
                "A swarm goes on from a state",
                got=repr(state)[:60],
                remedy="Pass what swarm.state() gave",
            )
        return cls(space, state["agents"], state["key"], state["step"], device)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the swarm to one file; `imap.save` saves the map and its layers."""
        state = {**self.state(), "shape": self._space.shape}
        write_sealed(checks.path("path", path), (_MAGIC, serialization.to_bytes(state)))

    @classmethod
    def load(cls, path: str | os.PathLike[str], space: Grid, *, device: Any = None) -> Swarm:
        """Read a swarm that `save` wrote, onto the grid on which it was. Raises `BadSaveFile` or
        `InvalidValue`.
        """
        target = checks.path("path", path)
        with sealed(target, _MAGIC) as (file, size):
            state = serialization.from_bytes(file.read(size))
        if not isinstance(state, dict) or state.get("shape") != getattr(space, "shape", None):
            raise damaged(target, f"no swarm on {space!r}")
        return cls.restored(space, state, device=device)
