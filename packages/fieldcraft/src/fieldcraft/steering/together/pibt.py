"""Agents that step together from cell to cell and never collide."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.base.interruption import atomic
from fieldcraft.base.missing_names import Suggesting, SuggestingArguments
from fieldcraft.base.words import OnUnreachable
from fieldcraft.kernels.agents.joint_plans import GoalDistances, Planners, StepCosts
from fieldcraft.layers import Layer
from fieldcraft.paths.cost import Traffic
from fieldcraft.paths.distance_maps import DistanceMap
from fieldcraft.paths.search.many_goals import Guides, ManyGoals
from fieldcraft.space import Grid, Space, checked_space
from fieldcraft.space.cells import occupied_mask
from fieldcraft.steering.together.plans import Plans

_UNREACHABLE = ("refuse", "wait")
_MEMORY = 1 << 26
_NO_SPANS = (np.empty((0, 2), dtype=np.int64), np.empty((0, 2), dtype=np.int32))
_NAMED = 5  # A message names at most so many agents.
_MOST_EFFORT = 10_000

Ints = NDArray[np.int64]
Goals = ArrayLike | DistanceMap | Sequence[DistanceMap | None]


class PIBT(Suggesting, SuggestingArguments):
    """Steps of many agents at once, one to a cell: priority inheritance with backtracking.

    No two agents are ever in one cell, none swap places, and on a grid none cross each other on
    the two diagonals between the same cells. Each agent takes the step with the shortest distance
    to its goal; an agent in its way inherits its priority and makes room. The priority of an agent
    grows while it is on its way.

    An agent that makes room does not go ahead of the one it makes room for, unless it comes nearer
    to its own goal. If it stands in a dead end and wants out, the other one steps aside and lets it
    out.

    All agents arrive in turn, since the one with the highest priority comes nearer with every step,
    if each step of the space is part of a loop: a path of at least three different cells from the
    end of the step back to its beginning, on a grid without other diagonal steps. It is not enough
    that every cell is on a loop: where a single step joins two loops, agents on both sides may
    block each other. With `pinned` agents or other `priorities` it does not hold either. An agent
    that stays at its goal in a dead end keeps others from cells behind it.

    Parameters
    ----------
    space : Grid, HexGrid or Graph
        Agents are in its cells, and each moves along one of its steps at a time.
    look_ahead : int, optional
        Number of steps that are planned ahead. 0 decides step by step, which takes a microsecond
        per agent. With 10 to 20, crowds in narrow places get on better; where agents hold more than
        half of all cells, plans are worth nothing. The guarantee about the highest priority does
        not hold for plans.
    effort : int, optional
        Number of improvements per step, at most 10,000: a few agents that are in each other's way
        plan new paths, and keep them if their total cost is no higher. An agent with a new goal
        plans its path anyway. For many agents a tenth of their number is a good choice.
    traffic : layer with fc.Trail(vector=True), optional
        The moves of the last steps. Each step adds the moves of all agents, in agents per step
        once `imap.step()` has updated the layer; moving against them then costs more, so that lanes
        form. On a grid or hexagons.
    weight : float, optional
        Extra cost of a step against a flow of one agent per step, as a part of its length.
    on_unreachable : {"refuse", "wait"}
        What happens if a goal cannot be reached: "refuse" raises an error, with "wait" the agent
        counts as one without a goal.
    memory : int, optional
        Largest size of the table of distances in bytes, by default 64 MiB. It has a row for each
        different goal, with 4 bytes for each cell of the space. If there are more goals than rows,
        every agent is led along a shortest path of its own instead, and knows the distances up to
        four cells beside it. That takes much less time per new goal; the paths take no account of
        traffic, and thousands of agents in narrow aisles reach up to a fifth fewer goals.
    seed : int, optional
        Seed of the random numbers that decide between equal choices.

    References
    ----------
    K. Okumura, M. Machida, X. Defago, Y. Tamura, "Priority inheritance with backtracking for
    iterative multi-agent path finding", Artificial Intelligence 310 (2022). J. Li, Z. Chen, D.
    Harabor, P. Stuckey, S. Koenig, "Anytime multi-agent path finding via large neighborhood
    search", IJCAI 2021.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 0, 0, 0],
    ...                       [1, 1, 0, 1, 1]], neighbors=4)
    >>> crowd = fc.steering.PIBT(grid, look_ahead=6)
    >>> cells, goals = [0, 4], [4, 0]
    >>> for _ in range(6):
    ...     cells = crowd.step(cells, goals)
    >>> cells.tolist()
    [4, 0]
    """

    def __init__(
        self,
        space: Space,
        *,
        look_ahead: int = 0,
        effort: int = 20,
        traffic: Layer | None = None,
        weight: float = 4.0,
        on_unreachable: OnUnreachable = "refuse",
        memory: int = _MEMORY,
        seed: int = 0,
    ) -> None:
        self.space = checked_space(space, "Agents step over")
        self.look_ahead = checks.integer("look_ahead", look_ahead, maximum=100)
        self.effort = checks.integer("effort", effort, maximum=_MOST_EFFORT)
        self.on_unreachable = checks.choice("on_unreachable", on_unreachable, _UNREACHABLE)
        self.memory = checks.integer("memory", memory)
        self.seed = checks.integer("seed", seed)
        self.weight = checks.not_negative("weight", weight)
        self._traffic: Traffic | None = None
        if traffic is not None:
            self._traffic = Traffic(self.space, traffic, self.weight)
        self._distances = ManyGoals(self.space, self.memory)
        self._guides = Guides(self.space)
        self._width = _width_for_crossings(self.space)
        self._rng = np.random.default_rng(self.seed)
        self._next_seed = self._drawn_seed()
        self._plans = Plans(self.look_ahead, self.effort)
        self._planned_over = self._distances.version
        none = np.empty(0, dtype=np.int64)
        self._ids = none
        self._goals = none
        self._waited = none
        self._last = np.empty(len(self.space), dtype=np.int32)

    def __repr__(self) -> str:
        return f"<PIBT: {len(self._ids)} agents on {self.space!r}>"

    @atomic
    def step(
        self,
        cells: ArrayLike,
        goals: Goals,
        *,
        agents: ArrayLike | None = None,
        priorities: ArrayLike | None = None,
        pinned: ArrayLike | None = None,
        occupied: ArrayLike | None = None,
    ) -> Ints:
        """Return the cells of all agents after their next step, (N,) int64.

        Parameters
        ----------
        cells : array_like of shape (N,)
            The cells of the agents: `space.cell_at(positions)`.
        goals : array_like of shape (N,), DistanceMap or sequence of them
            The cell of each agent's goal, -1 for none; several agents may have the same. Or the
            distance map that all follow, or one for each agent, None for no goal.
        agents : array_like of shape (N,), optional
            A number of each agent that stays the same from step to step, if agents come and go.
        priorities : array_like of shape (N,), optional
            Agents with a higher one go first; among equal ones the agents longest on their way.
        pinned : array_like of shape (N,), optional
            True for agents that must not move; the others go around them.
        occupied : array_like, optional
            Cells that no agent steps to because others hold them, such as another group: world
            positions of shape (M, 2), ids of cells, or a mask. An agent whose goal is among them
            walks as near to it as it can; `space.nearest_open(goals, occupied=...)` are free goals.

        Raises
        ------
        OnWall
            If an agent or a goal is in a wall. The message names the agents.
        InvalidValue
            If two agents are in one cell, an agent is in an occupied one, a goal cannot be reached,
            a priority is NaN or an argument does not fit. Nothing has changed then.
        """
        places = _integers("cells", cells, None, len(self.space), 0)
        count = len(places)
        ids = self._numbers(agents, count)
        fixed = _mask(pinned, count)
        ranks = None
        if priorities is not None:
            ranks = _ranks(priorities, ids)
        self._check_places(places, ids)
        held = self._held_by_others(occupied, places, ids)
        self._distances.follow()
        if self._traffic is not None and self.weight:
            self._traffic.read()
            factors = self._traffic.factors(self._distances.begins, self._distances.ends)
            self._distances.set_costs(factors)
        keys, rows, distances, goal_cells = self._rows(goals, places, ids)
        to_go = np.empty(count, dtype=np.float32)
        kernels.agents.pibt_steps.read_distances(distances, rows, places, to_go)
        unreachable = (rows >= 0) & ~np.isfinite(to_go)
        if unreachable.any():
            if self.on_unreachable == "refuse":
                raise InvalidValue(
                    "Agents can reach their goals",
                    got=f"no path for {_names(ids, unreachable)}",
                    remedy='Open a way, choose another goal, or pass on_unreachable="wait"',
                )
            rows = np.where(unreachable, -1, rows)
        # From here on no call is refused.
        self._distances.keep()
        self._guides.keep()
        waited = self._carry_over(ids, keys)
        redirected = np.flatnonzero(waited == 0)
        resting = (rows < 0) | (to_go == 0)
        waited[resting] = 0
        urgency = waited + _tie_breakers(ids, self.seed)
        order = np.argsort(np.where(resting, 2.0, 0.0) - urgency, kind="stable")
        if ranks is not None:
            order = order[np.argsort(-ranks[order], kind="stable")]
        steps = self._distances
        ground = StepCosts(steps.starts, steps.ends, steps.costs, self._width)
        # A call that was refused has read the walls too, so plans have a version of their own.
        same = self._planned_over == steps.version and np.array_equal(ids, self._ids)
        ends = np.where(rows >= 0, goal_cells, -1)
        # Others that hold a cell are pinned agents without a goal, after all agents.
        none = np.full(len(held), -1, dtype=np.int64)
        led = Planners(
            distances,
            np.concatenate([rows, none]),
            np.concatenate([ends, none]),
            np.concatenate([fixed, none < 0]),
        )
        stands = np.concatenate([places, held])
        order = np.concatenate([order, count + np.arange(len(held))])
        moved = self._plans.step(ground, led, stands, order, self._next_seed, same, redirected)
        moved = moved[:count]
        if self._traffic is not None:
            self._traffic.add(places, moved)
        self._ids = ids
        self._planned_over = steps.version
        self._goals = keys
        self._waited = waited + 1
        self._next_seed = self._drawn_seed()
        return moved

    def _drawn_seed(self) -> int:
        """Return a random number from which the random numbers of one step follow."""
        return int(self._rng.integers(1, 2**31 - 1))

    def _check_places(self, cells: Ints, ids: Ints) -> None:
        """Refuse agents in walls and two in one cell."""
        walls = self.space.walls.reshape(-1)[cells]
        if walls.any():
            cell = int(cells[walls][0])
            raise OnWall(
                f"An agent is on an open {self.space.cell_name}",
                got=f"{_names(ids, walls)} in a wall, {self.space.describe(cell)}",
                remedy="Use space.nearest_open(cells)",
            )
        self._last[cells] = np.arange(len(cells), dtype=np.int32)
        shared = self._last[cells] != np.arange(len(cells))
        if shared.any():
            cell = int(cells[shared].min())
            raise InvalidValue(
                "A cell holds one agent",
                got=f"{_names(ids, cells == cell)} at {self.space.describe(cell)}",
                remedy="Move or drop one of them",
            )

    def _held_by_others(self, occupied: ArrayLike | None, cells: Ints, ids: Ints) -> Ints:
        """Return the open cells that others hold; refuse agents in them."""
        if occupied is None:
            return np.empty(0, dtype=np.int64)
        mask = occupied_mask(self.space, occupied)
        shared = mask[cells]
        if shared.any():
            raise InvalidValue(
                "Cells that others hold have no agent of this crowd",
                got=f"{_names(ids, shared)} at {self.space.describe(int(cells[shared][0]))}",
                remedy="Leave the cells of these agents out of occupied",
            )
        return np.flatnonzero(mask & ~self.space.walls.reshape(-1))

    def _numbers(self, agents: ArrayLike | None, count: int) -> Ints:
        """Return the number of each agent."""
        if agents is None:
            return np.arange(count)
        ids = _integers("agents", agents, count, 2**63, 0)
        if not np.array_equal(ids, self._ids):
            found, counts = np.unique(ids, return_counts=True)
            if len(found) < count:
                number = int(found[counts > 1][0])
                raise InvalidValue(
                    "Every agent has a number of its own",
                    got=f"{_names(np.arange(count), ids == number)} for number {number}",
                    remedy="Drop one of them",
                )
        return ids

    def _rows(self, goals: Goals, cells: Ints, ids: Ints) -> tuple[Ints, Ints, GoalDistances, Ints]:
        """Return a key of each agent's goal, its row of distances, -1 for none, the distances by
        row, and the cell of its goal, -1 for several.
        """
        count = len(cells)
        maps: object = goals
        if isinstance(goals, DistanceMap):
            maps = [goals] * count
        if isinstance(maps, (list, tuple)) and any(
            each is None or isinstance(each, DistanceMap) for each in maps
        ):
            return self._rows_of_maps(maps, ids)
        wanted = _integers("goals", goals, count, len(self.space), -1)  # type: ignore[arg-type]
        has = wanted >= 0
        walls = has & self.space.walls.reshape(-1)[np.maximum(wanted, 0)]
        if walls.any():
            raise OnWall(
                f"A goal is an open {self.space.cell_name}",
                got=f"a wall as the goal of {_names(ids, walls)}",
                remedy="Use space.nearest_open(cells), or -1 for no goal",
            )
        most = self._distances.most
        if has.sum() > most and len(np.unique(wanted[has])) > most:
            rows = np.where(has, np.arange(count), -1)
            return wanted, rows, self._guides.around(ids, cells, wanted), wanted
        rows = np.full(count, -1, dtype=np.int64)
        rows[has] = self._distances.rows_of(wanted[has])
        distances = GoalDistances(self._distances.rows, *_NO_SPANS)
        return wanted, rows, distances, wanted

    def _rows_of_maps(
        self, maps: Sequence[object], ids: Ints
    ) -> tuple[Ints, Ints, GoalDistances, Ints]:
        if len(maps) != len(ids):
            raise _wrong_length("goals", len(maps), len(ids))
        used: dict[int, DistanceMap] = {}
        for i, each in zip(ids, maps, strict=True):
            if isinstance(each, DistanceMap) and each.space is self.space and not each.outward:
                used[id(each)] = each
            elif each is not None:
                raise InvalidValue(
                    "Goals are cells, or distance maps to them on the same space",
                    got=f"{each!r} for agent {i}",
                    remedy="Pass fc.distance_map(space, goals) or None",
                )
        row_of = {key: row for row, key in enumerate(used)}
        rows = np.array([row_of.get(id(each), -1) for each in maps], dtype=np.int64)
        distances = np.empty((len(used), len(self.space)), dtype=np.float32)
        scale = self.space.adjacency.typical or 1.0
        for row, each in zip(distances, used.values(), strict=True):
            np.divide(each.values.reshape(-1), scale, out=row)
        firsts = np.array([int(each.goals[0]) for each in used.values()] + [-1])
        single = np.array([len(each.goals) == 1 for each in used.values()] + [False])
        ends = np.where(single, firsts, -1)
        keys = np.append(-2 - firsts[:-1], -1)
        return keys[rows], rows, GoalDistances(distances, *_NO_SPANS), ends[rows]

    def _carry_over(self, ids: Ints, goals: Ints) -> Ints:
        """Return the number of steps that each agent has been on its way to its goal."""
        if np.array_equal(ids, self._ids):
            return np.where(goals == self._goals, self._waited, 0)
        waited = np.zeros(len(ids), dtype=np.int64)
        _, now, before = np.intersect1d(ids, self._ids, assume_unique=True, return_indices=True)
        same = goals[now] == self._goals[before]
        waited[now[same]] = self._waited[before[same]]
        return waited


def _width_for_crossings(space: Space) -> int:
    """Return the width of a grid on which steps may cross, 0 for other spaces."""
    if not isinstance(space, Grid):
        return 0
    steps = np.array(space.neighborhood.steps)
    has_diagonals = bool((steps != 0).all(axis=1).any())
    if has_diagonals:
        return space.width
    return 0


def _tie_breakers(ids: Ints, seed: int) -> NDArray[np.float64]:
    """Return a number in [0, 1) for each agent, the same at each step."""
    mixed = (ids.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= np.uint64(seed * 0xBF58476D1CE4E5B9 % 2**64)
    mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)
    return (mixed >> np.uint64(11)).astype(np.float64) / 2.0**53


def _names(ids: Ints, chosen: NDArray[np.bool_]) -> str:
    """Return "agent 3" or "agents 3, 7 and 12"."""
    some = [str(each) for each in ids[chosen][:_NAMED].tolist()]
    if len(some) == 1:
        return f"agent {some[0]}"
    more = int(chosen.sum()) - len(some)
    if more:
        return f"agents {', '.join(some)} and {more} more"
    return f"agents {', '.join(some[:-1])} and {some[-1]}"


def _wrong_length(name: str, length: int, count: int) -> InvalidValue:
    return InvalidValue(
        "There is one number for each agent",
        got=f"{length} {name} for {count} agents",
        remedy=f"Pass {count} of them",
    )


def _integers(name: str, value: ArrayLike, count: int | None, size: int, least: int) -> Ints:
    """Return whole numbers from `least` up to below `size`, (N,)."""
    array = checks.array(name, value)
    if array.ndim != 1 or not (array.dtype.kind in "iu" or array.size == 0):
        raise InvalidValue(
            f"{name} are whole numbers, one for each agent",
            got=f"{array.dtype} of shape {array.shape}",
            remedy="Pass an array of shape (N,): space.cell_at(positions) gives cells",
        )
    if count is not None and len(array) != count:
        raise _wrong_length(name, len(array), count)
    rule = f"{name} are numbers from {least} to {size - 1}"
    # Unsigned numbers are compared before they become signed ones.
    checks.none_wrong(rule, array, (array < least) | (array >= size), "Pass cells of the space")
    return array.astype(np.int64)


def _ranks(value: ArrayLike, ids: Ints) -> NDArray[np.float64]:
    """Return the priority of each agent."""
    array = checks.array("priorities", value)
    if array.ndim == 1 and len(array) != len(ids):
        raise _wrong_length("priorities", len(array), len(ids))
    if array.ndim == 1 and array.dtype.kind == "f" and not np.isfinite(array).all():
        raise InvalidValue(
            "priorities are finite",
            got=f"NaN or infinity for {_names(ids, ~np.isfinite(array))}",
            remedy="Replace them before the call",
        )
    return checks.numbers("priorities", array, len(ids))


def _mask(value: ArrayLike | None, count: int) -> NDArray[np.bool_]:
    if value is None:
        return np.zeros(count, dtype=np.bool_)
    given = checks.array("pinned", value)
    if given.size == count == 0:
        return np.zeros(0, dtype=np.bool_)
    rule = "pinned is a mask of the agents"
    remedy = "Pass bools, one for each agent"
    return checks.array_of(given, (count,), "b", rule, remedy).copy()
