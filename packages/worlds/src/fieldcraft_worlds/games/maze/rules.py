"""Rules of the maze: one step of player and monsters, their memory, and the end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft import distance_map
from fieldcraft.base.interruption import atomic
from fieldcraft.query import explore_step
from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.maze.derived import MazeDerived
from fieldcraft_worlds.games.maze.orders import Order, apply
from fieldcraft_worlds.games.maze.script import scripted_move
from fieldcraft_worlds.games.maze.state import (
    CAUGHT,
    EXPLORES,
    GOING,
    HUNTS,
    LATE,
    NOWHERE,
    OUT,
    SEARCHES,
    Monsters,
    Player,
    State,
)

# Least distances to the player at the start, as shares of the longest.
_FAR_EXIT = 0.9
_FAR_MONSTERS = 0.5
_FAR_TREASURES = 0.25
_TURNS_BACK = -0.7  # the cosine of a step and the direction below which the player turns back
_LEAST_COSINE = 0.35  # between a step and the direction of the player


def start(derived: MazeDerived, rng: np.random.Generator) -> State:
    """Return the first state: the player anywhere, the exit and the monsters far away, treasures in
    dead ends first.
    """
    settings = derived.settings
    ground = derived.ground
    begin = int(rng.choice(ground))
    far = distance_map(derived.space, derived.centers[begin]).values.reshape(-1)[ground]
    farthest = ground[far >= _FAR_EXIT * far.max()]
    free = np.ones(len(ground), dtype=np.bool_)
    free[np.searchsorted(ground, begin)] = False
    exit_cell = int(rng.choice(farthest[farthest != begin]))
    free[np.searchsorted(ground, exit_cell)] = False

    def drawn(count: int, first: NDArray[np.bool_]) -> Ints:
        """Return free cells, those in `first` before others."""
        order = rng.permutation(np.flatnonzero(free))
        order = order[np.argsort(~first[order], kind="stable")][:count]
        free[order] = False
        return np.asarray(ground[order])

    monsters = drawn(settings.monster.count, far >= _FAR_MONSTERS * far.max())
    far_dead_ends = np.isin(ground, derived.dead_ends) & (far >= _FAR_TREASURES * far.max())
    treasures = np.sort(drawn(settings.treasures, far_dead_ends))
    count = len(monsters)
    nowhere = np.full(count, NOWHERE)
    derived.follow(None)
    _mark(derived, monsters)
    return State(
        step=0,
        outcome=GOING,
        player=Player(
            cell=begin,
            ahead=begin,
            gone=0.0,
            wish=(0.0, 0.0),
            by_hand=False,
            goal=NOWHERE,
            feared=nowhere,
            when=np.zeros(count, dtype=np.int64),
        ),
        monsters=Monsters(
            cells=monsters,
            ahead=monsters,
            gone=np.zeros(count),
            moods=np.full(count, EXPLORES),
            seen=nowhere,
            targets=monsters,
        ),
        treasures=treasures,
        most=settings.treasures,
        exit=exit_cell,
        known=derived.seen_from(begin, settings.player.view).copy(),
        memory=derived.next_memory(),
    )


@atomic
def step(
    derived: MazeDerived, state: State, orders: Sequence[Order], rng: np.random.Generator
) -> State:
    """Return the next state; the given one does not change. After the end
    only an `Explore` changes it.

    Raises `InvalidValue` for an impossible order.
    """
    ordered = apply(derived, state, orders)
    if state.outcome != GOING:
        return replace(state, memory=ordered.memory)
    state = ordered
    derived.follow(state)
    player = _move_player(derived, state)
    monsters = _move_monsters(derived, state.monsters, player, rng)
    view = derived.seen_from(player.here, derived.settings.player.view)
    player = _note_monsters(player, monsters, view, state.step)
    # Arrays that do not change are shared with the state before.
    treasures = state.treasures
    if player.here in treasures:
        treasures = treasures[treasures != player.here]
    known = state.known
    if not known[view].all():
        known = known | view
    after = replace(
        state,
        step=state.step + 1,
        player=player,
        monsters=monsters,
        treasures=treasures,
        known=known,
        memory=derived.next_memory(),
    )
    return replace(after, outcome=_outcome(derived, after))


# The player


def _move_player(derived: MazeDerived, state: State) -> Player:
    """Return the player a step later: along its edge, and from a cell to the next one."""
    player = state.player
    rules = derived.settings
    pace = rules.player.speed / rules.rate
    wished = min(1.0, math.hypot(*player.wish))
    if player.by_hand and wished:
        pace *= wished
        if (
            player.ahead != player.cell
            and _alignment(derived, player.cell, player.ahead, player.wish) < _TURNS_BACK
        ):
            player = replace(player, cell=player.ahead, ahead=player.cell, gone=1.0 - player.gone)
    if player.ahead == player.cell:
        player = _next_cell(derived, state, player)
    if player.ahead == player.cell:
        return player
    length = float(derived.lengths(np.array([player.cell]), np.array([player.ahead]))[0])
    gone = player.gone + pace / length
    if gone < 1:
        return replace(player, gone=gone)
    came = player.cell
    player = _next_cell(derived, state, replace(player, cell=player.ahead, gone=0.0), came)
    if player.ahead == player.cell:
        return player
    onward = float(derived.lengths(np.array([player.cell]), np.array([player.ahead]))[0])
    return replace(player, gone=min((gone - 1) * length / onward, 0.999))


def _next_cell(
    derived: MazeDerived, state: State, player: Player, came_from: int = NOWHERE
) -> Player:
    """Return the player at the center of a cell, with its next cell."""
    if not player.by_hand:
        goal, ahead = scripted_move(derived, replace(state, player=player))
        return replace(player, goal=goal, ahead=ahead)
    neighbors = derived.neighbors(player.cell)
    if not any(player.wish) or not len(neighbors):
        return replace(player, ahead=player.cell)
    best = player.cell
    most = -math.inf
    for there in neighbors.tolist():
        points = _alignment(derived, player.cell, there, player.wish)
        # Of two equal steps the one that turns: a player that holds two keys wants around the
        # corner.
        if came_from != NOWHERE:
            onward = _direction(derived, player.cell, there)
            straight = -_alignment(derived, player.cell, came_from, onward)
            points -= 1e-3 * max(0.0, straight)
        if points > most:
            best = there
            most = points
    if most > _LEAST_COSINE:
        return replace(player, ahead=best)
    return replace(player, ahead=player.cell)


def _direction(derived: MazeDerived, cell: int, ahead: int) -> tuple[float, float]:
    """Return the direction from a cell to another, 1 long."""
    gap = derived.away(np.array([cell]), np.array([ahead]))[0]
    return (float(gap[0] / np.hypot(*gap)), float(gap[1] / np.hypot(*gap)))


def _alignment(
    derived: MazeDerived, cell: int, ahead: int, direction: tuple[float, float]
) -> float:
    """Return the cosine of the step from a cell to another and a direction."""
    x, y = _direction(derived, cell, ahead)
    return (x * direction[0] + y * direction[1]) / math.hypot(*direction)


def _note_monsters(player: Player, monsters: Monsters, view: NDArray[np.bool_], now: int) -> Player:
    """Return the player, with the cells of monsters in sight."""
    seen = view.reshape(-1)[monsters.here]
    if not seen.any():
        return player
    feared = np.where(seen, monsters.here, player.feared)
    return replace(player, feared=feared, when=np.where(seen, now, player.when))


# The monsters


def _move_monsters(
    derived: MazeDerived, monsters: Monsters, player: Player, rng: np.random.Generator
) -> Monsters:
    """Return the monsters a step later: their sight decides their moods, and at a cell they choose
    the next.
    """
    if not len(monsters):
        return monsters
    rules = derived.settings
    prey = player.here
    # Sight is symmetric: a monster sees the player if it is seen from there.
    sees = derived.seen_from(prey, rules.monster.view).reshape(-1)[monsters.here]
    seen = np.where(sees, prey, monsters.seen)
    moods = np.where(sees, HUNTS, np.where(seen != NOWHERE, SEARCHES, EXPLORES))
    cells, ahead, gone = _turn_to_player(derived, monsters, sees & (monsters.moods != HUNTS), prey)
    pace = np.where(moods == EXPLORES, rules.monster.speed, rules.monster.chase) / rules.rate
    lengths = np.where(ahead != cells, derived.lengths(cells, ahead), 1.0)
    gone = np.where(ahead != cells, gone + pace / lengths, 0.0)
    came = gone >= 1
    left = np.where(came, (gone - 1) * lengths, 0.0)
    last = cells
    cells = np.where(came, ahead, cells)
    gone = np.where(came, 0.0, gone)
    _mark(derived, cells[came])
    choosing = came | (ahead == cells)
    targets = np.where(sees, prey, monsters.targets)
    ahead, targets, seen = _next_cells(
        derived, choosing, last, cells, ahead, targets, moods, seen, rng
    )
    moods = np.where((moods == SEARCHES) & (seen == NOWHERE), EXPLORES, moods)
    onward = np.where(ahead != cells, derived.lengths(cells, ahead), np.inf)
    gone = np.where(came, np.minimum(left / onward, 0.999), gone)
    return Monsters(cells, ahead, gone, moods, seen, targets)


def _turn_to_player(
    derived: MazeDerived, monsters: Monsters, surprised: NDArray[np.bool_], prey: int
) -> tuple[Ints, Ints, Floats]:
    """Return cells of monsters that turn back on their edge because they see the player behind
    them.
    """
    cells = monsters.cells.copy()
    ahead = monsters.ahead.copy()
    gone = monsters.gone.copy()
    for number in np.flatnonzero(surprised & (cells != ahead)).tolist():
        back = int(cells[number])
        forth = int(ahead[number])
        is_shorter = len(derived.path(back, prey)) < len(derived.path(forth, prey))
        if is_shorter and back in derived.neighbors(forth):
            cells[number] = forth
            ahead[number] = back
            gone[number] = 1.0 - gone[number]
    return cells, ahead, gone


def _mark(derived: MazeDerived, cells: Ints) -> None:
    """Mark the cells that monsters have reached, or their view from there."""
    if not len(cells) or not derived.has_memory:
        return
    rules = derived.settings
    places = derived.centers[cells]
    if rules.memory.marks == "view":
        derived.memory.mark(
            places,
            radius=rules.monster.view * derived.space.cell_size,
            falloff="linear",
            metric="sight",
        )
    else:
        derived.memory.mark(places)


def _next_cells(
    derived: MazeDerived,
    choosing: NDArray[np.bool_],
    last: Ints,
    cells: Ints,
    ahead: Ints,
    targets: Ints,
    moods: Ints,
    seen: Ints,
    rng: np.random.Generator,
) -> tuple[Ints, Ints, Ints]:
    """Return the next cells, the targets and the last seen cells of monsters, new for those that
    are `choosing`.
    """
    ahead = ahead.copy()
    targets = targets.copy()
    seen = seen.copy()
    for number in np.flatnonzero(choosing & (moods != EXPLORES)).tolist():
        cell = int(cells[number])
        goal = int(seen[number])
        ahead[number] = derived.next_on_path(cell, goal)
        targets[number] = goal
        if ahead[number] == cell and moods[number] == SEARCHES:
            seen[number] = NOWHERE
    exploring = np.flatnonzero(choosing & (seen == NOWHERE))
    if len(exploring) and not derived.has_memory:
        for number in exploring.tolist():
            ahead[number] = _random_cell(derived, cells[number], last[number], rng)
            targets[number] = ahead[number]
    elif len(exploring):
        rules = derived.settings.monster
        if rules.beyond:
            unknown = 0.0
        else:
            unknown = None
        found = explore_step(
            derived.memory,
            derived.centers[cells[exploring]],
            rules.sight,
            unknown=unknown,
            rng=rng,
        )
        ahead[exploring] = found.cells
        targets[exploring] = found.targets
    return ahead, targets, seen


def _random_cell(derived: MazeDerived, cell: int, last: int, rng: np.random.Generator) -> int:
    """Return a random neighbor of a cell, back to `last` only from a dead end."""
    options = derived.neighbors(int(cell))
    if len(options) > 1:
        options = options[options != last]
    if len(options):
        return int(rng.choice(options))
    return int(cell)


# The end


def _outcome(derived: MazeDerived, state: State) -> int:
    """Return whether the player is caught, out, too late, or none of these."""
    settings = derived.settings
    monsters = state.monsters
    places = derived.positions(monsters.cells, monsters.ahead, monsters.gone)
    gaps = derived.short((places - derived.place(state.player)) / derived.space.cell_size)
    if (np.hypot(gaps[:, 0], gaps[:, 1]) < settings.reach).any():
        return CAUGHT
    if state.player.here == state.exit and not len(state.treasures):
        return OUT
    if state.step >= settings.steps(settings.limit):
        return LATE
    return GOING
