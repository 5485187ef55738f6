"""Lessons as environments: `TeamEnv` for PettingZoo, `PlayerEnv` for Gymnasium."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, MissingLibrary, UnknownName
from fieldcraft_worlds.learning.lesson import LESSONS, Lesson, lesson_of
from fieldcraft_worlds.view.scene import draw_scene

try:
    import gymnasium
    from gymnasium import spaces
    from pettingzoo import ParallelEnv
except ImportError:
    raise MissingLibrary(
        "Gymnasium 1.0 and PettingZoo 1.24 or newer", "rl", "fieldcraft_worlds.learning"
    ) from None

__all__ = ["PlayerEnv", "TeamEnv", "parallel", "single"]

Window = NDArray[np.float32]
_SIZE = (640, 440)


def parallel(
    name: str,
    *,
    agents: Sequence[str] | None = None,
    limit: int = 600,
    render_mode: str | None = None,
    **options: Any,
) -> TeamEnv:
    """A game by its name as a PettingZoo `ParallelEnv` in which several are led; see `TeamEnv`.
    `options` are those of its lesson.

    Raises
    ------
    UnknownName
        For a game without a lesson and for agents that it doesn't have.
    """
    return TeamEnv(
        name, lesson_of(name, **options), agents=agents, limit=limit, render_mode=render_mode
    )


def single(
    name: str,
    *,
    agent: str | None = None,
    limit: int = 600,
    render_mode: str | None = None,
    **options: Any,
) -> PlayerEnv:
    """A game by its name as a `gymnasium.Env` in which one agent is led, the first if none is
    named; see `PlayerEnv`. `gymnasium.make("fieldcraft_worlds.learning:fieldcraft/chase-v0")` makes
    the same from a command line; after an import of this module "fieldcraft/chase-v0" is enough.

    Raises
    ------
    UnknownName
        For a game without a lesson and for an agent that it doesn't have.
    """
    return PlayerEnv(
        name, lesson_of(name, **options), agent=agent, limit=limit, render_mode=render_mode
    )


class TeamEnv(ParallelEnv[str, Window, Any]):  # type: ignore[misc]
    """A lesson for several agents.

    Observations are float32 planes from -1 to 1, actions `Discrete` or `MultiDiscrete`; the lesson
    says which. The same seed and actions give the same bits. `state_` is the game's own state, a
    frozen value. It can be pickled in mid-run.

    Parameters
    ----------
    name : str
        Of the game.
    lesson : Lesson
        One of `fieldcraft_worlds.learning`.
    agents : Sequence[str], optional
        Those to lead, all of them if None; programs lead the others.
    limit : int, optional
        Steps after which it is cut short ("truncation"), if the game has not ended it before.
    render_mode : str, optional
        None or "rgb_array".
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["rgb_array"],
        "is_parallelizable": True,
        "render_fps": 10,
    }

    def __init__(
        self,
        name: str,
        lesson: Lesson,
        *,
        agents: Sequence[str] | None = None,
        limit: int = 600,
        render_mode: str | None = None,
    ) -> None:
        self.metadata = {**self.metadata, "name": f"fieldcraft_{name}_v0"}
        self.lesson, self.limit = lesson, checks.integer("limit", limit, minimum=1)
        self.render_mode = _checked(render_mode)
        led = lesson.agents if agents is None else tuple(agents)
        if not led or len(set(led)) < len(led):
            raise InvalidValue(
                "Agents are one or more, each once",
                got=repr(led),
                remedy=f"Pass some of {lesson.agents}",
            )
        for agent in led:
            if agent not in lesson.agents:
                raise UnknownName("agent", agent, lesson.agents)
        self.possible_agents = list(led)
        self.agents: list[str] = []
        self.observation_spaces = {agent: _sight(lesson, agent) for agent in led}
        self.action_spaces = {agent: _choices(lesson, agent) for agent in led}
        self._rng: np.random.Generator | None = None
        self.state_: Any = None
        self._steps = 0

    def observation_space(self, agent: str) -> Any:
        """The planes that an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The choices of an agent."""
        return self.action_spaces[agent]

    @property
    def state_space(self) -> Any:
        """The space of `state()`."""
        shapes = [space.shape for space in self.observation_spaces.values()]
        return spaces.Box(-1.0, 1.0, (sum(map(math.prod, shapes)),), np.float32)

    def state(self) -> Window:
        """What all agents see, one after the other, flat: for critics that judge all together."""
        if self.state_ is None:
            raise InvalidValue(
                "A state comes after a reset", got="none so far", remedy="Call reset() first"
            )
        seen = self.lesson.seen(self.state_, tuple(self.possible_agents))
        return np.concatenate([seen[agent].reshape(-1) for agent in self.possible_agents])

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Window], dict[str, dict[str, Any]]]:
        """Begin anew: the first observations, and infos."""
        if seed is not None or self._rng is None:
            self._rng = np.random.default_rng(seed)
        self.state_, self._steps = self.lesson.start(self._rng), 0
        self.agents = list(self.possible_agents)
        return self.lesson.seen(self.state_, tuple(self.agents)), {
            agent: {} for agent in self.agents
        }

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Window],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Let all agents act: observations, rewards, terminations, truncations and infos of those
        who took part.
        """
        if not self.agents or self._rng is None:
            raise InvalidValue(
                "A step is made between a reset and the end",
                got="no agents",
                remedy="Call reset() first",
            )
        told = {}
        for agent in self.agents:
            if agent not in actions or not self.action_spaces[agent].contains(actions[agent]):
                raise InvalidValue(
                    f"{agent} chooses out of {self.action_spaces[agent]}",
                    got=repr(actions.get(agent)),
                    remedy="Pass one for each agent",
                )
            told[agent] = np.atleast_1d(np.asarray(actions[agent], dtype=np.int64))
        before, there = self.state_, tuple(self.agents)
        self.state_ = self.lesson.step(before, told, self._rng)
        self._steps += 1
        worth, fallen = self.lesson.rewards(before, self.state_), self.lesson.fallen(self.state_)
        late = self.lesson.is_out_of_time(self.state_)
        ended = {agent: agent in fallen and not late for agent in there}
        cut = {agent: not ended[agent] and (late or self._steps >= self.limit) for agent in there}
        seen = self.lesson.seen(self.state_, there)
        self.agents = [agent for agent in there if not ended[agent] and not cut[agent]]
        return (
            seen,
            {agent: worth[agent] for agent in there},
            ended,
            cut,
            {agent: {} for agent in there},
        )

    def render(self) -> NDArray[np.uint8] | None:
        """A picture of the world, uint8 of shape (440, 640, 3), with render_mode="rgb_array"."""
        return (
            None
            if self.render_mode is None or self.state_ is None
            else _picture(self.lesson, self.state_)
        )

    def close(self) -> None:
        """Nothing is open."""


class PlayerEnv(gymnasium.Env[Window, Any]):
    """A lesson for one agent among programs: parameters as of `TeamEnv`, and `agent`, the one who
    is led.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012

    def __init__(
        self,
        name: str,
        lesson: Lesson,
        *,
        agent: str | None = None,
        limit: int = 600,
        render_mode: str | None = None,
    ) -> None:
        self.agent = lesson.agents[0] if agent is None else agent
        self._team = TeamEnv(
            name, lesson, agents=(self.agent,), limit=limit, render_mode=render_mode
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
        """Begin anew, see Gymnasium."""
        super().reset(seed=seed)
        self._team._rng = self.np_random
        seen, infos = self._team.reset()
        return seen[self.agent], infos[self.agent]

    def step(self, action: Any) -> tuple[Window, float, bool, bool, dict[str, Any]]:
        """Act, see Gymnasium."""
        return tuple(each[self.agent] for each in self._team.step({self.agent: action}))  # type: ignore[return-value]

    def render(self) -> Any:
        """A picture of the world, see `TeamEnv`."""
        return self._team.render()


for game in LESSONS:
    gymnasium.register(f"fieldcraft/{game}-v0", f"{__name__}:single", kwargs={"name": game})


def _sight(lesson: Lesson, agent: str) -> Any:
    return spaces.Box(-1.0, 1.0, lesson.shape(agent), np.float32)


def _choices(lesson: Lesson, agent: str) -> Any:
    sizes = lesson.choices(agent)
    return spaces.Discrete(sizes[0]) if len(sizes) == 1 else spaces.MultiDiscrete(list(sizes))


def _checked(render_mode: str | None) -> str | None:
    if render_mode not in (None, "rgb_array"):
        raise InvalidValue(
            "render_mode is None or 'rgb_array'", got=repr(render_mode), remedy="Pass one of these"
        )
    return render_mode


def _picture(lesson: Lesson, state: Any) -> NDArray[np.uint8]:
    return np.ascontiguousarray(draw_scene(lesson.scene(state), _SIZE)[..., :3])
