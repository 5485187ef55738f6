"""One step of a match: orders, the player, the monsters, what they see and remember, and whether it
is over.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft import distance_map
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import atomic
from fieldcraft.query import explore_step
from fieldcraft_worlds.games.maze.derived import MazeDerived
from fieldcraft_worlds.games.maze.script import followed
from fieldcraft_worlds.games.maze.state import (
    CAUGHT,
    EXPLORES,
    GOING,
    HUNTS,
    LATE,
    NOWHERE,
    OUT,
    SEARCHES,
    Lead,
    Monsters,
    Order,
    Player,
    State,
    Steer,
)

__all__ = ["start", "step"]

# how far from the player monsters begin, and treasures lie, as a share of the longest way: at least
# so far, and half as far
_FAR = 0.5
_TURNS = 0.35  # how well a step must point where the player is steered to, as a cosine

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def start(derived: MazeDerived, rng: np.random.Generator) -> State:
    """The state before the first step: the player anywhere, the exit far away, monsters far off,
    treasures in dead ends first.
    """
    settings, ground = derived.settings, derived.ground
    begin = int(rng.choice(ground))
    far = distance_map(derived.space, derived.centers[begin]).values.reshape(-1)[ground]
    farthest = ground[far >= 0.9 * far.max()]
    free = np.ones(len(ground), dtype=np.bool_)
    free[np.searchsorted(ground, begin)] = False
    way_out = int(rng.choice(farthest[farthest != begin]))
    free[np.searchsorted(ground, way_out)] = False

    def drawn(count: int, wanted: NDArray[np.bool_]) -> Ints:
        """Cells that are free, those that are wanted first."""
        order = rng.permutation(np.flatnonzero(free))
        order = order[np.argsort(~wanted[order], kind="stable")][:count]
        free[order] = False
        return np.asarray(ground[order])

    monsters = drawn(settings.monster.count, far >= _FAR * far.max())
    treasures = np.sort(
        drawn(
            settings.treasures, np.isin(ground, derived.dead_ends) & (far >= 0.5 * _FAR * far.max())
        )
    )
    count = len(monsters)
    nowhere = np.full(count, NOWHERE)
    derived.follow(None)
    _remember(derived, monsters)
    return State(
        step=0,
        outcome=GOING,
        player=Player(
            begin, begin, 0.0, (0.0, 0.0), False, NOWHERE, nowhere, np.zeros(count, dtype=np.int64)
        ),
        monsters=Monsters(
            monsters, monsters, np.zeros(count), np.full(count, EXPLORES), nowhere, monsters
        ),
        treasures=treasures,
        most=settings.treasures,
        exit=way_out,
        known=derived.seen_from(begin, settings.player.view).copy(),
        memory=derived.passed(),
    )


@atomic
def step(
    derived: MazeDerived, state: State, orders: Sequence[Order], rng: np.random.Generator
) -> State:
    """Another state, a step later; the old one stays as it was. After the end nothing changes.

    `derived` may come from any other match on this map with these settings: it changes no result.
    Raises `InvalidValue` for an order that is none; then nothing has happened.
    """
    player = state.player
    for order in orders:
        player = _told(player, order)
    if state.outcome != GOING:
        return state
    derived.follow(state)
    player = _walked(derived, replace(state, player=player))
    monsters = _hunted(derived, state.monsters, player, rng)
    at = _cell(player.cell, player.ahead, player.gone)
    view = derived.seen_from(at, derived.settings.player.view)
    player = _alarmed(player, monsters, view, state.step)
    treasures = state.treasures[state.treasures != at]
    after = replace(
        state,
        step=state.step + 1,
        player=player,
        monsters=monsters,
        treasures=treasures if len(treasures) < len(state.treasures) else state.treasures,
        known=state.known if state.known[view].all() else state.known | view,
        memory=derived.passed(),
    )
    return replace(after, outcome=_outcome(derived, after, at))


def _cell(cell: int, ahead: int, gone: float) -> int:
    """The cell that somebody on the way is in."""
    return cell if gone < 0.5 else ahead


# The player


def _told(player: Player, order: Order) -> Player:
    if isinstance(order, Lead):
        return replace(player, by_hand=not player.by_hand, wish=(0.0, 0.0), goal=NOWHERE)
    if not isinstance(order, Steer) or not (math.isfinite(order.x) and math.isfinite(order.y)):
        raise InvalidValue(
            "A player is steered by two numbers", got=repr(order)[:80], remedy="Pass Steer(x, y)"
        )
    return replace(player, wish=(float(order.x), float(order.y)), by_hand=True, goal=NOWHERE)


def _walked(derived: MazeDerived, state: State) -> Player:
    """The player a step later: on along the way, and at a cell into whichever the hand steers
    to.
    """
    player, rules = state.player, derived.settings
    pace = rules.player.speed / rules.rate
    if player.by_hand:
        hurry = min(1.0, math.hypot(*player.wish))
        if (
            player.ahead != player.cell
            and hurry
            and _points(derived, player.cell, player.ahead, player.wish) < -0.7
        ):
            player = replace(player, cell=player.ahead, ahead=player.cell, gone=1.0 - player.gone)
        pace *= hurry or 1.0
    if player.ahead == player.cell:
        player = _turned(derived, state, player)
    if player.ahead == player.cell:
        return player
    length = float(derived.lengths(np.array([player.cell]), np.array([player.ahead]))[0])
    gone = player.gone + pace / length
    if gone < 1:
        return replace(player, gone=gone)
    came = player.cell
    player = _turned(derived, state, replace(player, cell=player.ahead, gone=0.0), came)
    if player.ahead == player.cell:
        return player
    onward = float(derived.lengths(np.array([player.cell]), np.array([player.ahead]))[0])
    return replace(player, gone=min((gone - 1) * length / onward, 0.999))


def _turned(derived: MazeDerived, state: State, player: Player, came: int = NOWHERE) -> Player:
    """The player at the center of a cell, heading for the next, or standing."""
    if not player.by_hand:
        goal, ahead = followed(derived, replace(state, player=player))
        return replace(player, goal=goal, ahead=ahead)
    beside = derived.beside(player.cell)
    if not any(player.wish) or not len(beside):
        return replace(player, ahead=player.cell)
    points = np.array([_points(derived, player.cell, int(there), player.wish) for there in beside])
    # Of two ways that are as good, one that turns is meant: who holds two keys wants round the
    # corner.
    if came != NOWHERE:
        points -= 1e-3 * np.array(
            [
                max(
                    0.0,
                    -_points(derived, player.cell, came, _unit(derived, player.cell, int(there))),
                )
                for there in beside
            ]
        )
    best = int(np.argmax(points))
    return replace(player, ahead=int(beside[best]) if points[best] > _TURNS else player.cell)


def _unit(derived: MazeDerived, cell: int, ahead: int) -> tuple[float, float]:
    gap = derived.away(np.array([cell]), np.array([ahead]))[0]
    return (float(gap[0] / np.hypot(*gap)), float(gap[1] / np.hypot(*gap)))


def _points(derived: MazeDerived, cell: int, ahead: int, wish: tuple[float, float]) -> float:
    """How well the step from a cell to another points where the player is steered to, from -1 to
    1.
    """
    x, y = _unit(derived, cell, ahead)
    return (x * wish[0] + y * wish[1]) / math.hypot(*wish)


def _alarmed(player: Player, monsters: Monsters, view: NDArray[np.bool_], now: int) -> Player:
    """The player, with a memory of the places of monsters."""
    cells = np.where(monsters.gone < 0.5, monsters.cells, monsters.ahead)
    seen = view.reshape(-1)[cells]
    if not seen.any():
        return player
    return replace(
        player, feared=np.where(seen, cells, player.feared), when=np.where(seen, now, player.when)
    )


# The monsters


def _hunted(
    derived: MazeDerived, monsters: Monsters, player: Player, rng: np.random.Generator
) -> Monsters:
    """The monsters a step later: what they see decides what they do, and at a cell they choose the
    next.
    """
    if not len(monsters):
        return monsters
    rules = derived.settings
    him = _cell(player.cell, player.ahead, player.gone)
    # Sight is symmetric: who is seen from where he is sees him.
    at = np.where(monsters.gone < 0.5, monsters.cells, monsters.ahead)
    sees = derived.seen_from(him, rules.monster.view).reshape(-1)[at]
    seen = np.where(sees, him, monsters.seen)
    moods = np.where(sees, HUNTS, np.where(seen != NOWHERE, SEARCHES, EXPLORES))
    cells, ahead, gone = _startled(derived, monsters, sees & (monsters.moods != HUNTS), him)
    pace = np.where(moods == EXPLORES, rules.monster.speed, rules.monster.chase) / rules.rate
    lengths = np.where(ahead != cells, derived.lengths(cells, ahead), 1.0)
    gone = np.where(ahead != cells, gone + pace / lengths, 0.0)
    came = gone >= 1
    left = np.where(came, (gone - 1) * lengths, 0.0)
    cells, gone = np.where(came, ahead, cells), np.where(came, 0.0, gone)
    _remember(derived, cells[came])
    choosing = came | (ahead == cells)
    targets = np.where(sees, him, monsters.targets)
    ahead, targets, seen = _chosen(derived, choosing, cells, ahead, targets, moods, seen, rng)
    moods = np.where((moods == SEARCHES) & (seen == NOWHERE), EXPLORES, moods)
    onward = np.where(ahead != cells, derived.lengths(cells, ahead), np.inf)
    gone = np.where(came, np.minimum(left / onward, 0.999), gone)
    return Monsters(cells, ahead, gone, moods, seen, targets)


def _startled(
    derived: MazeDerived, monsters: Monsters, startled: NDArray[np.bool_], him: int
) -> tuple[Ints, Ints, Floats]:
    """Where monsters are that have just seen the player: those that walk away from the player turn
    round.
    """
    cells, ahead, gone = monsters.cells.copy(), monsters.ahead.copy(), monsters.gone.copy()
    for number in np.flatnonzero(startled & (cells != ahead)).tolist():
        back, forth = int(cells[number]), int(ahead[number])
        if len(derived.path(back, him)) < len(derived.path(forth, him)) and back in derived.beside(
            forth
        ):
            cells[number], ahead[number], gone[number] = forth, back, 1.0 - gone[number]
    return cells, ahead, gone


def _remember(derived: MazeDerived, cells: Ints) -> None:
    """Mark where monsters have come to, or what they see from there."""
    if not len(cells):
        return
    rules, places = derived.settings, derived.centers[cells]
    if rules.memory.marks == "view":
        derived.memory.mark(
            places,
            radius=rules.monster.view * derived.space.cell_size,
            falloff="linear",
            metric="sight",
        )
    else:
        derived.memory.mark(places)


def _chosen(
    derived: MazeDerived,
    choosing: NDArray[np.bool_],
    cells: Ints,
    ahead: Ints,
    targets: Ints,
    moods: Ints,
    seen: Ints,
    rng: np.random.Generator,
) -> tuple[Ints, Ints, Ints]:
    """The next cells, the targets and the last seen cells of monsters, for those that are
    choosing.
    """
    ahead, targets, seen = ahead.copy(), targets.copy(), seen.copy()
    for number in np.flatnonzero(choosing & (moods != EXPLORES)).tolist():
        cell, goal = int(cells[number]), int(seen[number])
        ahead[number], targets[number] = derived.towards(cell, goal), goal
        if ahead[number] == cell and moods[number] == SEARCHES:
            seen[number] = NOWHERE
    exploring = np.flatnonzero(choosing & (seen == NOWHERE))
    if len(exploring):
        rules = derived.settings.monster
        found = explore_step(
            derived.memory,
            derived.centers[cells[exploring]],
            rules.sight,
            unknown=0.0 if rules.beyond else None,
            rng=rng,
        )
        ahead[exploring], targets[exploring] = found.cells, found.targets
    return ahead, targets, seen


# The end


def _outcome(derived: MazeDerived, state: State, at: int) -> int:
    settings, monsters = derived.settings, state.monsters
    here = derived.place(state.player)
    gaps = derived.short(
        (derived.positions(monsters.cells, monsters.ahead, monsters.gone) - here)
        / derived.space.cell_size
    )
    if (np.hypot(gaps[:, 0], gaps[:, 1]) < settings.reach).any():
        return CAUGHT
    if at == state.exit and not len(state.treasures):
        return OUT
    return LATE if state.step >= settings.steps(settings.limit) else GOING
