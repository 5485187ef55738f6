"""The ants as the frame plays them."""

from __future__ import annotations

from collections.abc import Mapping

from fieldcraft import Grid, checks, generate_map
from fieldcraft_worlds.games.ants import rules, scene
from fieldcraft_worlds.games.ants.derived import AntsDerived
from fieldcraft_worlds.games.ants.orders import BRUSHES, Leave, Order, Paint, Tune
from fieldcraft_worlds.games.ants.settings import SCALAR, TRAILS, Settings, Tuning
from fieldcraft_worlds.games.ants.state import State
from fieldcraft_worlds.games.game import Action, InputFrame, Overlay, Slider
from fieldcraft_worlds.games.painting import painted
from fieldcraft_worlds.games.settings import sliders_in
from fieldcraft_worlds.games.world import TunedWorld

__all__ = ["GAME", "KINDS", "AntGame", "AntWorld", "meadow"]

KINDS = (State, Settings, Tuning, Leave, Paint, Tune)


class AntWorld(TunedWorld):
    """The ants on one map."""

    rules = rules
    views = scene
    derived: AntsDerived

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__(space, AntsDerived(space, settings))

    def check(self, state: State) -> None:
        """Check a state; see `DerivedWorld.check`."""
        super().check(state)
        checks.integer("home", state.home, minimum=state.counted)
        if state.trails == SCALAR:
            checks.not_negative("planes", float(state.planes.min()))

    def orders(self, state: State, inputs: InputFrame) -> tuple[Order, ...]:
        """The orders that brush, keys and sliders ask for."""
        asked: list[Order] = [Tune(name, value) for name, value in inputs.sliders.items()]
        for event in inputs.events:
            if event.action in ("paint", "wipe") and (stroke := painted(event)):
                what = (
                    inputs.chosen.get("brush", BRUSHES[0]) if event.action == "paint" else "clear"
                )
                asked.append(Paint(what.removeprefix("paint "), stroke))
            elif event.phase == "press" and event.action == "keep apart":
                usual = self.derived.settings.tuning(state.trails).separate
                asked.append(
                    Tune("separate", 0.0 if state.tuning.separate else usual or Tuning().separate)
                )
            elif event.phase == "press" and event.action == "other trails":
                asked.append(Leave(TRAILS[1] if state.trails == SCALAR else TRAILS[0]))
        return tuple(asked)


class AntGame:
    """A nest, food, obstacles, and trails."""

    name = "ants"
    version = 1
    title = "The ants"
    goal = "Watch ants find food by their trails; paint walls and food in their way."
    overlays: tuple[Overlay, ...] = scene.OVERLAYS
    actions: tuple[Action, ...] = (
        Action("paint", "paint with the brush chosen", ("mouse left",)),
        Action("wipe", "wipe food and walls away", ("mouse right",)),
        Action("paint food", "the brush paints food", ("key f",), "brush"),
        Action("paint wall", "the brush paints walls", ("key g",), "brush"),
        Action("keep apart", "ants keep apart, or don't: watch those that go nowhere", ("key o",)),
        Action("other trails", "two pheromones, or one velocity trail", ("key t",)),
    )
    sliders: tuple[Slider, ...] = sliders_in(Tuning)
    settings = Settings
    kinds: tuple[type, ...] = KINDS
    objectives: Mapping[str, int] = {"food": 1, "nowhere": -1}

    def measured(self, world: AntWorld, state: State) -> Mapping[str, float]:
        """The food that came home, and the share of ants that went nowhere in the last whole window
        (all, before the first one ends).
        """
        return {
            "food": float(state.home),
            "nowhere": 1.0 if state.nowhere is None else state.nowhere,
        }

    def default_map(self) -> Grid:
        """A meadow with boulders, 160 x 100, without a rim: what leaves on one side comes back on
        the other.
        """
        return meadow(160, 100, seed=7)

    def open(self, space: Grid, settings: Settings) -> AntWorld:
        """The ants on a map."""
        return AntWorld(space, settings)


GAME = AntGame()


def meadow(width: int, height: int, *, seed: int = 0) -> Grid:
    """A torus with boulders, from a seed: a generated "open" map without its rim."""
    walls = generate_map("open", width, height, seed=seed).walls.copy()
    walls[[0, -1]] = False
    walls[:, [0, -1]] = False
    return Grid(width, height, walls=walls, wrap=True)
