"""Derived state of a colony: layers, ants and food, on the CPU or on a graphics card."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, InfluenceMap, Radial, Trail
from fieldcraft.layers import RadialLayer, TrailLayer
from fieldcraft.steering import Deposit, Emitter, Forage, Reversed, Swarm, Walk
from fieldcraft_worlds.games.ants.settings import SCALAR, Settings, Tuning
from fieldcraft_worlds.games.ants.state import State
from fieldcraft_worlds.games.device import chosen_device
from fieldcraft_worlds.games.lazy import SwarmReplay
from fieldcraft_worlds.games.walking import Obstacles, disc, require_grid

_SMELL = 15  # cells: width of the smell of food for ants on a velocity trail
_FAINTEST = 9  # halvings of the amount that an ant leaves


class AntsDerived(SwarmReplay[State]):
    """Layers and swarm of a colony on one map with one set of settings; raises `InvalidValue` for a
    map that is no grid.
    """

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__()
        self.space = require_grid(space, "Ants walk on")
        self.settings = settings
        self.grid = space.with_walls(space.walls)
        self.obstacles = Obstacles(self.grid)
        self._nest: tuple[int, NDArray[np.bool_]] | None = None
        every = 1 / settings.rate
        imap = InfluenceMap(self.grid, device=chosen_device())
        self.to_food = imap.add_layer("to food", Trail(), every=every)
        self.to_home = imap.add_layer("to home", Trail(), every=every)
        self.flow = imap.add_layer("flow", Trail(vector=True), every=every)
        self._homing = imap.add_layer("homing", Radial(settings.homing * self.grid.cell_size))
        self._smell = imap.add_layer("smell", Trail(accumulate=False, blur=_SMELL), every=every)
        self._crowd = imap.add_layer(
            "crowd", Trail(accumulate=False, blur=settings.crowd), every=every
        )
        weakening = 0.5 ** (1 / (settings.scent * settings.rate))
        lasts = max(1, round(_FAINTEST * settings.scent * settings.rate))
        scents = np.multiply.accumulate(np.concatenate([[1.0], np.full(lasts, weakening)]))
        self._deposits = {
            True: [
                Deposit(self.to_home, scents.tolist(), role=0),
                Deposit(self.to_food, scents.tolist(), role=1),
            ],
            False: [
                Deposit(self.flow, settings.searchers, role=0),
                Deposit(self.flow, -1.0, role=1),
            ],
        }
        self._emitters: list[Emitter] = []
        self._swarm = Swarm.at(self.grid, np.zeros((0, 2)))
        self._food: Any = None
        self._home = 0

    def is_nest(self, middle: int) -> NDArray[np.bool_]:
        """Return which cells are the nest around a cell, (cells,): open cells within its radius."""
        if self._nest is None or self._nest[0] != middle:
            near = disc(self.grid, middle, self.settings.nest)
            self._nest = (middle, near & ~self.space.walls.reshape(-1))
        return self._nest[1]

    def walk(self, tuning: Tuning, trails: str) -> Walk:
        """Return the weights of ants with some tuning."""
        settings = self.settings
        cell = self.grid.cell_size
        if trails == SCALAR:
            align = 0.0
        else:
            align = settings.follow
        return Walk(
            settings.speed * cell,
            wander=tuning.wander,
            turn=tuning.turn,
            follow=settings.follow,
            align=align,
            separate=tuning.separate,
            avoid=settings.avoid,
            distance=tuning.distance * cell,
        )

    def trails(self, state: State) -> tuple[TrailLayer, ...]:
        """Return the layers of trails in a state."""
        if state.trails == SCALAR:
            return (self.to_food, self.to_home)
        return (self.flow,)

    def load(self, state: State) -> None:
        """Set layers, ants and food to those of a complete state; see `SwarmReplay.load`."""
        settings = self.settings
        grid = self.grid
        device = chosen_device()
        scalar = state.trails == SCALAR
        self.obstacles.follow(state.walls)
        for layer in self.trails(state):
            layer.propagation = Trail(state.tuning.keep, blur=state.tuning.blur, vector=not scalar)
        if scalar:
            self.to_food.write(state.planes[0])
            self.to_home.write(state.planes[1])
        else:
            self.flow.write(np.moveaxis(state.planes, 0, -1))
            self._homing.sync(["nest"], [grid.position_of(state.nest)], 1.0)
            self._homing.step()
        nest = self.is_nest(state.nest) & ~state.walls.reshape(-1)
        self._food = Forage(grid, state.food, nest.reshape(grid.shape))
        self._home = state.home
        self._emitters = [Emitter(self._crowd, self.obstacles.banks, settings.obstacle)]
        if scalar:
            self._emitters += [
                Emitter(self.to_home, np.flatnonzero(nest), settings.smell),
                Emitter(self.to_food, self._food, settings.smell),
            ]
        else:
            self._emitters.append(Emitter(self._smell, self._food, settings.smell))
            self._smell.deposit_at(np.flatnonzero(state.food), settings.smell)
            self._smell.step()
        self._swarm = Swarm.restored(
            grid, {"agents": state.agents, "key": state.key, "step": state.step}, device=device
        )
        self.run(state, 0)  # raises for impossible states, and moves ants out of walls
        self._crowd.deposit_at(self._swarm.cells)
        self._crowd.deposit_at(self.obstacles.banks, settings.obstacle)
        self._crowd.step()

    def run(self, base: State, count: int) -> None:
        """Make steps: ants sense, turn, walk, take food, bring it home and leave trails."""
        scalar = base.trails == SCALAR
        trail: tuple[TrailLayer | RadialLayer, TrailLayer | RadialLayer]
        if scalar:
            trail = (self.to_food, self.to_home)
            flow = None
        else:
            trail = (self._smell, self._homing)
            flow = (self.flow, Reversed(self.flow))
        self._swarm.run(
            self.walk(base.tuning, base.trails),
            1 / self.settings.rate,
            steps=count,
            trail=trail,
            flow=flow,
            crowd_layer=self._crowd,
            deposits=[*self._deposits[scalar], Deposit(self._crowd)],
            emitters=self._emitters,
            forage=self._food,
        )

    def field(self, state: State, name: str) -> Any:
        """Return the ants, the trails, the food, or the food that came home."""
        if name == "agents":
            return self._swarm.agents
        if name == "planes" and state.trails == SCALAR:
            return np.stack([self.to_food.values, self.to_home.values])
        if name == "planes":
            return np.moveaxis(self.flow.vectors, -1, 0).copy()
        if name == "food":
            return np.array(self._food.food)
        return self._home + self._food.brought

    def swarm(self, state: State) -> Swarm:
        """Return the ants of a state."""
        return Swarm(self.grid, state.agents, 0)

    def crowded(self, state: State) -> NDArray[np.float32]:
        """Return the crowd layer of a state, (height, width)."""
        self.reach(state)
        return self._crowd.values
