"""The chase as environments: `ChaseTeam` for PettingZoo, `ChasePlayer` for Gymnasium."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, MissingLibrary, UnknownName
from fieldcraft_worlds.learning.chase import RUNNER, ChaseLesson
from fieldcraft_worlds.learning.render_mode import checked_render_mode
from fieldcraft_worlds.view.scene import draw_scene

try:
    import gymnasium
    from gymnasium import spaces
    from pettingzoo import ParallelEnv
except ImportError:
    raise MissingLibrary(
        "Gymnasium 1.0 and PettingZoo 1.24 or newer", "rl", "fieldcraft_worlds.learning"
    ) from None

Window = NDArray[np.float32]
_SIZE = (640, 440)


class ChaseTeam(ParallelEnv[str, Window, Any]):  # type: ignore[misc]
    """The chase for several agents, a PettingZoo `ParallelEnv`; see `ChaseLesson` for agents and
    options.

    Observations are float32 planes from -1 to 1, actions `Discrete` or `MultiDiscrete`. The same
    seed and actions give the same bits. `state_` is the game's own state, a frozen value.
    Environments can be pickled at any time.

    Parameters
    ----------
    agents : Sequence[str], optional
        The agents to control, all if None; programs control the others.
    limit : int, optional
        Steps until truncation.
    render_mode : str, optional
        None or "rgb_array".
    **options
        Of `ChaseLesson`.

    Raises
    ------
    UnknownName
        For unknown agents.
    InvalidValue
        For other values out of range.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["rgb_array"],
        "is_parallelizable": True,
        "render_fps": 10,
        "name": "fieldcraft_chase_v0",
    }

    def __init__(
        self,
        *,
        agents: Sequence[str] | None = None,
        limit: int = 600,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        lesson = ChaseLesson(**options)
        self.lesson = lesson
        self.limit = checks.integer("limit", limit, minimum=1)
        self.render_mode = checked_render_mode(render_mode)
        if agents is None:
            own = lesson.agents
        else:
            own = tuple(agents)
        if not own or len(set(own)) < len(own):
            raise InvalidValue(
                "Agents are one or more, each once",
                got=repr(own),
                remedy=f"Pass some of {lesson.agents}",
            )
        for agent in own:
            if agent not in lesson.agents:
                raise UnknownName("agent", agent, lesson.agents)
        self.possible_agents = list(own)
        self.agents: list[str] = []
        self.observation_spaces = {agent: _sight(lesson, agent) for agent in own}
        self.action_spaces = {agent: _choices(lesson, agent) for agent in own}
        self._rng: np.random.Generator | None = None
        self.state_: Any = None
        self._steps = 0

    def observation_space(self, agent: str) -> Any:
        """Return the planes of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the actions of an agent."""
        return self.action_spaces[agent]

    @property
    def state_space(self) -> Any:
        """The space of `state()`."""
        shapes = [space.shape for space in self.observation_spaces.values()]
        return spaces.Box(-1.0, 1.0, (sum(map(math.prod, shapes)),), np.float32)

    def state(self) -> Window:
        """Return the observations of all agents in one array: for critics of a whole team."""
        if self.state_ is None:
            raise InvalidValue(
                "A state comes after a reset", got="none so far", remedy="Call reset() first"
            )
        seen = self.lesson.observations(self.state_, tuple(self.possible_agents))
        return np.concatenate([seen[agent].reshape(-1) for agent in self.possible_agents])

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Window], dict[str, dict[str, Any]]]:
        """Start again, and return the first observations and infos."""
        if seed is not None or self._rng is None:
            self._rng = np.random.default_rng(seed)
        self.state_ = self.lesson.start(self._rng)
        self._steps = 0
        self.agents = list(self.possible_agents)
        seen = self.lesson.observations(self.state_, tuple(self.agents))
        return seen, {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Window],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Make a step, and return observations, rewards, terminations, truncations and infos by
        agent.
        """
        if not self.agents or self._rng is None:
            raise InvalidValue(
                "A step is made between a reset and the end",
                got="no agents",
                remedy="Call reset() first",
            )
        chosen = {}
        for agent in self.agents:
            if agent not in actions or not self.action_spaces[agent].contains(actions[agent]):
                raise InvalidValue(
                    f"{agent} chooses out of {self.action_spaces[agent]}",
                    got=repr(actions.get(agent)),
                    remedy="Pass one for each agent",
                )
            chosen[agent] = np.atleast_1d(np.asarray(actions[agent], dtype=np.int64))
        before = self.state_
        there = tuple(self.agents)
        self.state_ = self.lesson.step(before, chosen, self._rng)
        self._steps += 1
        worth = self.lesson.rewards(before, self.state_)
        fallen = self.lesson.fallen(self.state_)
        late = self.lesson.is_out_of_time(self.state_)
        ended = {agent: agent in fallen and not late for agent in there}
        cut = {agent: not ended[agent] and (late or self._steps >= self.limit) for agent in there}
        seen = self.lesson.observations(self.state_, there)
        self.agents = [agent for agent in there if not ended[agent] and not cut[agent]]
        return (
            seen,
            {agent: worth[agent] for agent in there},
            ended,
            cut,
            {agent: {} for agent in there},
        )

    def render(self) -> NDArray[np.uint8] | None:
        """Return a picture, uint8 of shape (440, 640, 3), with render_mode="rgb_array"."""
        if self.render_mode is None or self.state_ is None:
            return None
        return np.ascontiguousarray(draw_scene(self.lesson.scene(self.state_), _SIZE)[..., :3])

    def close(self) -> None:
        """Do nothing: no resources are open."""


class ChasePlayer(gymnasium.Env[Window, Any]):
    """The chase for one agent among programs, a `gymnasium.Env`. Parameters are those of
    `ChaseTeam`, and `agent`, the agent to control, by default "runner". After an import,
    `gymnasium.make("fieldcraft/chase-v0")` makes one.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012

    def __init__(
        self,
        *,
        agent: str | None = None,
        limit: int = 600,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if agent is None:
            agent = RUNNER
        self.agent = agent
        self._team = ChaseTeam(
            agents=(self.agent,), limit=limit, render_mode=render_mode, **options
        )
        self.render_mode = render_mode
        self.observation_space = self._team.observation_space(self.agent)
        self.action_space = self._team.action_space(self.agent)

    @property
    def state_(self) -> Any:
        """The game's own state."""
        return self._team.state_

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Window, dict[str, Any]]:
        """Start again, see Gymnasium."""
        super().reset(seed=seed)
        self._team._rng = self.np_random
        seen, infos = self._team.reset()
        return seen[self.agent], infos[self.agent]

    def step(self, action: Any) -> tuple[Window, float, bool, bool, dict[str, Any]]:
        """Make a step, see Gymnasium."""
        return tuple(each[self.agent] for each in self._team.step({self.agent: action}))  # type: ignore[return-value]

    def render(self) -> Any:
        """Return a picture, see `ChaseTeam`."""
        return self._team.render()


gymnasium.register("fieldcraft/chase-v0", f"{__name__}:ChasePlayer")


def _sight(lesson: ChaseLesson, agent: str) -> Any:
    """Return the space of observations of an agent."""
    return spaces.Box(-1.0, 1.0, lesson.shape(agent), np.float32)


def _choices(lesson: ChaseLesson, agent: str) -> Any:
    """Return the space of actions of an agent."""
    sizes = lesson.choices(agent)
    if len(sizes) == 1:
        return spaces.Discrete(sizes[0])
    return spaces.MultiDiscrete(list(sizes))
