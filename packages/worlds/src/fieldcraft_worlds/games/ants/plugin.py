"""The ants as a game to play."""

from __future__ import annotations

from fieldcraft import Grid, generate_map
from fieldcraft.base import checks
from fieldcraft_worlds.games.ants import rules, scene
from fieldcraft_worlds.games.ants.derived import AntsDerived
from fieldcraft_worlds.games.ants.orders import BRUSHES, Leave, Order, Paint, Tune
from fieldcraft_worlds.games.ants.settings import SCALAR, TRAILS, Settings, Tuning
from fieldcraft_worlds.games.ants.state import State
from fieldcraft_worlds.games.game import Action, InputFrame
from fieldcraft_worlds.games.orders import tuning_orders
from fieldcraft_worlds.games.painting import painted
from fieldcraft_worlds.games.settings import sliders_in
from fieldcraft_worlds.games.states import dataclasses_in
from fieldcraft_worlds.games.world import GameOfParts, PaintedWorld

KINDS = dataclasses_in(State, Settings, Order)


class AntWorld(PaintedWorld):
    """The ants on one map."""

    rules = rules
    scenes = scene
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
        """Return the orders of brush, keys and sliders."""
        orders: list[Order] = [*tuning_orders(inputs)]
        for event in inputs.events:
            if event.action in ("paint", "wipe"):
                stroke = painted(event)
                if event.action == "paint":
                    brush = inputs.chosen.get("brush", BRUSHES[0])
                else:
                    brush = "clear"
                if stroke:
                    orders.append(Paint(brush.removeprefix("paint "), stroke))
            elif event.phase == "press" and event.action == "keep apart":
                if state.tuning.separate:
                    separate = 0.0
                else:
                    default = self.derived.settings.tuning(state.trails).separate
                    separate = default or Tuning().separate
                orders.append(Tune("separate", separate))
            elif event.phase == "press" and event.action == "other trails":
                others = [trails for trails in TRAILS if trails != state.trails]
                orders.append(Leave(others[0]))
        return tuple(orders)


def default_map() -> Grid:
    """Return a meadow with boulders, 160 x 100, on a torus."""
    return meadow(160, 100, seed=7)


def meadow(width: int, height: int, *, seed: int = 0) -> Grid:
    """Return a torus with boulders, from a seed: a generated "open" map without its rim."""
    walls = generate_map("open", width, height, seed=seed).walls.copy()
    walls[[0, -1]] = False
    walls[:, [0, -1]] = False
    return Grid(width, height, walls=walls, wrap=True)


def measured(world: AntWorld, state: State) -> dict[str, float]:
    """Return the food that came home, and the share of ants that went nowhere in the last window
    (1 before the first one ends).
    """
    nowhere = state.nowhere
    if nowhere is None:
        nowhere = 1.0
    return {"food": float(state.home), "nowhere": nowhere}


GAME = GameOfParts(
    "ants",
    "The ants",
    "Watch ants carry food home by trails.",
    Settings,
    KINDS,
    default_map,
    AntWorld,
    scene.OVERLAYS,
    (
        Action("paint", "paint with the chosen brush", ("mouse left",)),
        Action("wipe", "remove food and walls", ("mouse right",)),
        Action("paint food", "brush for food", ("key f",), "brush"),
        Action("paint wall", "brush for walls", ("key g",), "brush"),
        Action("keep apart", "ants keep apart, or not: watch those that go nowhere", ("key o",)),
        Action("other trails", "two pheromones, or one velocity trail", ("key t",)),
    ),
    sliders_in(Tuning),
    objectives={"food": 1, "nowhere": -1},
    measured=measured,
)
