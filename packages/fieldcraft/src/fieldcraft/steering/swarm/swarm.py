"""Swarms: millions of agents in whole numbers, with the same bits on the CPU and on a device."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.base.interruption import atomic, in_parts, poll_interrupt
from fieldcraft.base.missing_names import Suggesting, SuggestingArguments
from fieldcraft.kernels.agents.swarm_layout import ROLE, SINCE
from fieldcraft.space import Grid
from fieldcraft.steering.steering_checks import rows_of
from fieldcraft.steering.swarm.forage import Deposit, Emitter, Forage
from fieldcraft.steering.swarm.host_agents import agents_on
from fieldcraft.steering.swarm.swarm_plan import SwarmPlan, check_swarm_grid
from fieldcraft.steering.swarm.walk import (
    MOST_AGENTS,
    Walk,
    checked_key,
    fixed_positions,
    packed_states,
    rule_of,
)


class Swarm(Suggesting, SuggestingArguments):
    """Agents on a grid that read layers, turn, move and deposit: 12 bytes each.

    A swarm computes in whole numbers, so that a CPU and a graphics card return the same bits:
    positions in 1/65,536 of a cell, headings in 1/65,536 of a turn, weights in 1/256, distances to
    sensors in quarters of a cell. A swarm changes as it runs. Each agent has a role, 0 or 1; the
    two roles may read different layers. Random numbers depend on the seed, the agent's row and the
    step only: the same seed gives the same run, with any number of threads.

    Create one with `at` or `scattered`; `Swarm(...)` itself takes the arrays of `state`.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> from fieldcraft.steering import Swarm, Walk
    >>> corridor = fc.Grid(8, 1)
    >>> ants = Swarm.at(corridor, [(0.5, 0.5), (7.5, 0.5)], headings=[(1, 0), (-1, 0)])
    >>> ants.run(Walk(speed=2.0, wander=0.0), 0.5, steps=3)
    >>> ants.cells
    array([3, 4])
    >>> ants
    <Swarm: 2 agents on <Grid 8 x 1, cell_size 1, 8 open cells>, on the CPU, step 3>
    """

    def __init__(
        self, space: Grid, agents: NDArray[np.int32], key: int, step: int = 0, device: Any = None
    ) -> None:
        check_swarm_grid(space)
        self._key = checked_key(key)
        rule = "A swarm is an int32 array of shape (3, N)"
        remedy = "Use Swarm.at(space, positions)"
        checks.instance(agents, np.ndarray, rule, remedy)
        if agents.dtype != np.int32 or agents.ndim != 2 or len(agents) != 3:
            raise InvalidValue(rule, got=repr(agents)[:60], remedy=remedy)
        columns = agents[0] >> 16
        rows = agents[1] >> 16
        if agents.size and not (
            0 <= columns.min() <= columns.max() < space.width
            and 0 <= rows.min() <= rows.max() < space.height
        ):
            raise InvalidValue(
                "Agents are on the map",
                got="places off it",
                remedy="Pass the grid on which the swarm was",
            )
        self._space = space
        self._step = checks.integer("step", step)
        self._checked_walls = -1  # the walls_version for which no agent is in a wall
        self._agents: Any = agents_on(device, np.array(agents, order="C"))
        self._device: Any = getattr(self._agents, "device", None)

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
        """Create a swarm at (N, 2) world positions on open ground.

        Parameters
        ----------
        space : Grid
            A grid, of at most 16,384 cells a side.
        positions : array_like
            (N, 2), rounded to 1/65,536 of a cell.
        headings : array_like, optional
            (x, y) directions, one or N; by default they are random.
        roles : array_like, optional
            (N,), 0 or 1; 0 by default.
        seed : int, optional
            Seed of the random numbers.
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
        check_swarm_grid(space)
        key = checked_key(seed)
        cells = np.asarray(space.cell_at(points), dtype=np.int64).reshape(-1)
        blocked = space.walls.reshape(-1)[cells]
        if blocked.any():
            index = int(np.flatnonzero(blocked)[0])
            raise OnWall(
                "Agents are on open ground",
                got=f"{tuple(points[index].tolist())} at index {index}",
                remedy="Use space.nearest_open(cells) and space.position_of(cells)",
            )
        agents = np.empty((3, len(points)), dtype=np.int32)
        agents[:2] = fixed_positions(space, points, cells)
        agents[2] = packed_states(headings, roles, len(points), space.y_up, key)
        return cls(space, agents, key, 0, device)

    @classmethod
    def scattered(cls, space: Grid, count: int, *, seed: int = 0, device: Any = None) -> Swarm:
        """Create a swarm with random positions on open ground and random headings.

        Parameters
        ----------
        space : Grid
            A grid, of at most 16,384 cells a side.
        count : int
            The number of agents.
        seed, device
            As for `at`.

        Raises
        ------
        InvalidValue
            If there is no open ground.
        """
        check_swarm_grid(space)
        key = checked_key(seed)
        number = checks.integer("count", count, maximum=MOST_AGENTS)
        rng = np.random.default_rng(key)
        ground = np.flatnonzero(~space.walls)
        if number and not len(ground):
            raise InvalidValue(
                "Agents are on open ground", got="walls everywhere", remedy="Choose another map"
            )
        agents = np.empty((3, number), dtype=np.int32)
        cells = ground[rng.integers(max(len(ground), 1), size=number)]
        agents[0] = (cells % space.width << 16) + rng.integers(1 << 16, size=number)
        agents[1] = (cells // space.width << 16) + rng.integers(1 << 16, size=number)
        agents[2] = rng.integers(1 << 16, size=number)
        return cls(space, agents, key, 0, device)

    # Agents

    def __len__(self) -> int:
        return int(self._agents.count)

    def __repr__(self) -> str:
        device = self._device
        if device is None:
            where = "the CPU"
        elif device.lost:
            where = f"{device.name}, which is lost"
        else:
            where = device.name
        return f"<Swarm: {len(self):,} agents on {self._space!r}, on {where}, step {self._step:,}>"

    @property
    def space(self) -> Grid:
        """The grid that the agents move on."""
        return self._space

    @property
    def device(self) -> Any:
        """The device that the agents are on, or None for the CPU."""
        return self._device

    @property
    def step(self) -> int:
        """Number of steps so far."""
        return self._step

    @property
    def agents(self) -> NDArray[np.int32]:
        """A copy of all agents, (3, N): columns and rows in 2**-16 of a cell, and states. A state
        holds the heading in 16 bits, the role in one, and the steps since the last take or drop.
        """
        return np.array(self._agents.read())

    @property
    def positions(self) -> NDArray[np.float64]:
        """World positions, (N, 2)."""
        agents = self._agents.read()
        space = self._space
        places = np.ascontiguousarray(agents[:2].T + 0.5) / 65536
        if space.y_up:
            places[:, 1] = space.height - places[:, 1]
        return np.asarray(places * space.cell_size + np.array(space.origin))

    @property
    def headings(self) -> NDArray[np.float64]:
        """Headings as unit vectors in world axes, (N, 2)."""
        angles = (self._agents.read()[2] & 0xFFFF) * (2 * np.pi / 65536)
        return np.stack([np.cos(angles), np.sin(-angles if self._space.y_up else angles)], axis=1)

    @property
    def cells(self) -> NDArray[np.int64]:
        """Cell ids, (N,)."""
        agents = self._agents.read()
        return np.asarray(
            (agents[1].astype(np.int64) >> 16) * self._space.width + (agents[0] >> 16)
        )

    @property
    def roles(self) -> NDArray[np.int8]:
        """Roles, (N,): 0, or 1 for agents that carry food."""
        return np.asarray((self._agents.read()[2] & ROLE) >> 16, dtype=np.int8)

    @property
    def since(self) -> NDArray[np.int64]:
        """Steps since an agent took or brought food or was at home, (N,); at most 32,767."""
        return np.asarray(self._agents.read()[2].view(np.uint32).astype(np.int64) >> SINCE)

    def __getitem__(self, agents: ArrayLike) -> Swarm:
        """Return a swarm of the agents of a mask or of numbers; its random numbers go by its own
        rows.
        """
        chosen = rows_of(self.agents.T, agents).T
        return Swarm(self._space, chosen, self._key, self._step, self._device)

    def __add__(self, other: Swarm) -> Swarm:
        """Return a swarm of these agents followed by the agents of another swarm on the same grid,
        with the seed and the step of this one.
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
        walk: Walk,
        dt: float,
        *,
        steps: int = 1,
        trail: Any = None,
        flow: Any = None,
        crowd_layer: Any = None,
        group_layer: Any = None,
        deposits: Deposit | Sequence[Deposit] = (),
        emitters: Emitter | Sequence[Emitter] = (),
        forage: Forage | None = None,
    ) -> None:
        """Make steps of `dt` seconds each: agents turn, move, fetch food and deposit; places emit;
        then the layers of deposits and emitters make an update.

        Agents in new walls go to the nearest open cell first. Ctrl-C stops between two steps.

        Parameters
        ----------
        walk : Walk
            The weights, each at most 16.
        dt : float
            Seconds, at least 0. Wander and turn are per step: use one dt throughout.
        steps : int, optional
            Number of steps. A device gets all of them in one submission.
        trail : object, optional
            What `follow` reads: a layer or an expression; or two of them, for the roles 0 and 1.
        flow : object, optional
            What `align` reads: a layer with `Trail(vector=True)`, anything on the grid with
            `vectors` (height, width, 2), or `Reversed` of one; or two, for the roles 0 and 1.
        crowd_layer, group_layer : object, optional
            What `separate` and `cohere` read.
        deposits : Deposit or Sequence[Deposit], optional
            What agents add to layers.
        emitters : Emitter or Sequence[Emitter], optional
            What places add to layers.
        forage : Forage, optional
            Food that agents fetch.

        Raises
        ------
        InvalidValue
            If a setting does not fit into whole numbers, a weight has no layer, or a layer is on
            another space. Nothing has changed then.
        """
        count = checks.integer("steps", steps)
        rule = rule_of(walk, dt, self._space, self._key)
        if isinstance(deposits, Deposit):
            added = [deposits]
        else:
            added = checks.sequence("deposits", deposits)
        if isinstance(emitters, Emitter):
            emitted = [emitters]
        else:
            emitted = checks.sequence("emitters", emitters)
        plan = SwarmPlan.of(
            self._space, rule, trail, flow, crowd_layer, group_layer, added, emitted, forage
        )
        if self._device is not None and plan.needs_host:
            raise InvalidValue(
                "Swarms on a device read flows as they are, and deposit one amount on vectors",
                got="Reversed(...), or several amounts for a layer of vectors",
                remedy="Run this swarm on the CPU: leave device out",
            )
        self._out_of_walls()
        parts: Iterable[int] = in_parts(count)
        if self._device is not None:
            # A device takes all steps in one submission.
            parts = [count]
        for part in parts:
            self._agents.run(plan, self._step, part)
            self._step += part
            poll_interrupt()

    def _out_of_walls(self) -> None:
        """Move agents in new walls to the nearest open cell."""
        space = self._space
        if self._checked_walls == space.walls_version:
            return
        cells = self.cells
        blocked = np.flatnonzero(space.walls.reshape(-1)[cells])
        if len(blocked):
            agents = self.agents
            free = np.asarray(space.nearest_open(cells[blocked]), dtype=np.int64)
            agents[0, blocked] = (free % space.width << 16) + (1 << 15)
            agents[1, blocked] = (free // space.width << 16) + (1 << 15)
            self._agents.write(agents)
        self._checked_walls = space.walls_version

    # Copies and states

    def copy(self, *, device: Any = None) -> Swarm:
        """Return an independent swarm that continues with the same bits, on the CPU or on a
        device.
        """
        return Swarm(self._space, self.agents, self._key, self._step, device)

    def recover(self, *, device: Any = None) -> int:
        """Continue without a lost device, from the agents that were last read from it, on the CPU
        or on `device`; return the number of steps lost.

        Random numbers go back as well. Layers recover by `imap.recover`, food by `Forage.recover`.

        Raises
        ------
        InvalidValue
            If the swarm is on no lost device.
        """
        if self._device is None or not self._device.lost:
            raise InvalidValue(
                "A swarm recovers from a device that is lost",
                got=repr(self),
                remedy="Continue; nothing is lost",
            )
        gone = int(self._agents.unread)
        self._agents = agents_on(device, np.array(self._agents.last_read(), order="C"))
        self._device = getattr(self._agents, "device", None)
        self._step -= gone
        self._checked_walls = -1
        return gone

    def state(self) -> dict[str, Any]:
        """Return what `restored` needs: the agents, the key of their random numbers, the step."""
        return {"agents": self.agents, "key": self._key, "step": self._step}

    @classmethod
    def restored(cls, space: Grid, state: dict[str, Any], *, device: Any = None) -> Swarm:
        """Return a swarm that continues, bit for bit, the one of `state`.

        Raises
        ------
        InvalidValue
            If the state is none of a swarm on such a grid.
        """
        if not isinstance(state, dict) or not {"agents", "key", "step"} <= state.keys():
            raise InvalidValue(
                "A swarm continues from a state",
                got=repr(state)[:60],
                remedy="Pass the dict of swarm.state()",
            )
        return cls(space, state["agents"], state["key"], state["step"], device)
