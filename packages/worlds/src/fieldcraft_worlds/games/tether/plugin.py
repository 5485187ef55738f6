"""The duel as the frame plays it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from fieldcraft import Grid, generate_map
from fieldcraft.packing import digest
from fieldcraft_worlds.games.game import Action, InputFrame, Overlay, Slider, moves
from fieldcraft_worlds.games.settings import sliders_in
from fieldcraft_worlds.games.tether import rules, scene
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.orders import Lead, Leave, Order, Steer, Take, Tune, Walk
from fieldcraft_worlds.games.tether.settings import BRAINS, SIDES, FighterRules, Settings
from fieldcraft_worlds.games.tether.state import NOBODY, Fighters, Shots, State, Tuning, checked
from fieldcraft_worlds.games.world import DerivedWorld, limited, play_out

__all__ = ["GAME", "KINDS", "Duel", "TetherGame", "TetherWorld", "play_duel"]

KINDS = (
    State,
    Fighters,
    Shots,
    Tuning,
    Settings,
    FighterRules,
    Lead,
    Leave,
    Steer,
    Take,
    Tune,
    Walk,
)


class TetherWorld(DerivedWorld):
    """The duel on one map."""

    rules = rules
    views = scene
    derived: TetherDerived

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__(space, TetherDerived(space, settings))

    def checked(self, state: State) -> State:
        """The state, if it is one that this world can go on from, see `state.checked`."""
        return checked(state, self.space, self.derived.settings)

    def tuned(self, state: State) -> Mapping[str, float]:
        """Where the sliders stand."""
        return asdict(state.tuning)

    def orders(self, state: State, inputs: InputFrame) -> tuple[Order, ...]:
        """The orders that keys, sticks, clicks and sliders ask for."""
        asked: list[Order] = [Tune(name, value) for name, value in inputs.sliders.items()]
        player = state.player
        for event in inputs.events:
            if event.phase != "press":
                continue
            if event.action.startswith("take "):
                asked.append(Take(SIDES.index(event.action.removeprefix("take "))))
                player = 0
            elif event.action == "leave":
                asked.append(Leave())
                player = NOBODY
            elif event.action.endswith(" brain"):
                side = SIDES.index(event.action.removesuffix(" brain"))
                asked.append(
                    Lead(side, BRAINS[(BRAINS.index(state.brains[side]) + 1) % len(BRAINS)])
                )
            elif event.action == "walk" and event.position is not None:
                if player == NOBODY:
                    asked.append(Take(0))
                    player = 0
                asked.append(Walk(*event.position))
        direction = inputs.direction(y_up=self.space.y_up)
        if direction != (0.0, 0.0) and player == NOBODY:
            asked.append(Take(0))
        elif direction == state.steer:
            return tuple(asked)
        if direction != (0.0, 0.0) or player != NOBODY:
            asked.append(Steer(*direction))
        return tuple(asked)

    def result(self, state: State) -> str | None:
        """How it ended."""
        return scene.result(state)


class TetherGame:
    """Long-range fighters against short-range ones among walls."""

    name = "tether"
    version = 1
    title = "The duel"
    goal = "Long range against short: keep where you hit and are not hit."
    overlays: tuple[Overlay, ...] = scene.OVERLAYS
    actions: tuple[Action, ...] = (
        *moves("walk"),
        Action("walk", "walk there", ("mouse left",)),
        Action(
            "take long",
            "lead a fighter of the long range yourself, and then the next",
            ("key q", "pad left shoulder"),
            takes_over=True,
        ),
        Action("take short", "lead one of the short range", ("key e", "pad right shoulder")),
        Action("leave", "leave him to his brain again", ("key x", "pad b")),
        Action("long brain", "another brain for the long range", ("key b", "pad x")),
        Action("short brain", "another brain for the short range", ("key n", "pad y")),
    )
    sliders: tuple[Slider, ...] = sliders_in(Tuning)
    settings = Settings
    kinds = KINDS

    def default_map(self) -> Grid:
        """A hall of pillars, 48 x 32."""
        return generate_map("pillars", 48, 32, seed=3, neighbors=8)

    def open(self, space: Grid, settings: Settings) -> TetherWorld:
        """The game on a map."""
        return TetherWorld(space, settings)


GAME = TetherGame()


@dataclass(frozen=True)
class Duel:
    """The outcome of a duel: tuples have an entry for each side, the long range first.

    `winner` is a side, or None for a tie; `dealt` is the damage that each side dealt, `hits` how
    often it hit, `standing` how many of its fighters were left. `out_of_time` says that the damage
    decided. `digest` is that of the last state.
    """

    winner: int | None
    dealt: tuple[float, float]
    hits: tuple[int, int]
    standing: tuple[int, int]
    steps: int
    out_of_time: bool
    digest: str


def play_duel(
    space: Grid,
    settings: Settings | None = None,
    *,
    seed: int = 0,
    brains: Sequence[str] | None = None,
    most_steps: int | None = None,
    watch: Callable[[TetherDerived, State], None] | None = None,
) -> Duel:
    """Play a duel of brains to its end, or for `most_steps`.

    The same space, settings and seed give the same places whoever leads, and the same duel, bit for
    bit, if the same do.

    Parameters
    ----------
    space : Grid
        Any grid with room for the fighters.
    settings : Settings, optional
        The rules; the usual ones without.
    seed : int, optional
        Of the places and the dice.
    brains : Sequence[str], optional
        In place of those of the settings, one for each side, the long range first.
    most_steps : int, optional
        Stop there, as a duel does that is out of time.
    watch : Callable[[TetherDerived, State], None], optional
        Called with the derived and each state, the first and the last included.

    Raises
    ------
    InvalidValue
        If the map has no room, and for brains that there are none of.
    """
    rules = Settings() if settings is None else settings
    if brains is not None:
        rules = replace(rules, brains=tuple(brains))  # type: ignore[arg-type]  # the settings refuse other numbers than two
    world = TetherWorld(space, limited(rules, most_steps))
    state: State = play_out(world, seed, lambda state: state.over, watch)
    standing = tuple(len(state.fighters.of(side)) for side in (0, 1))
    return Duel(
        winner=None if state.winner == NOBODY else state.winner,
        dealt=(float(state.dealt[0]), float(state.dealt[1])),
        hits=(int(state.hits[0]), int(state.hits[1])),
        standing=(standing[0], standing[1]),
        steps=state.step,
        out_of_time=min(standing) > 0,
        digest=digest(state, KINDS),
    )
