"""Scene of the tower game."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from fieldcraft import explain
from fieldcraft_worlds.arrays import Floats
from fieldcraft_worlds.games.game import Overlay
from fieldcraft_worlds.games.towers.derived import Route, TowersDerived
from fieldcraft_worlds.games.towers.planner import AI_OF
from fieldcraft_worlds.games.towers.settings import HUMAN
from fieldcraft_worlds.games.towers.state import NOBODY, State
from fieldcraft_worlds.scene import Areas, Arrows, Fact, Field, Lines, Marks, Part, Scene

OVERLAYS = (
    Overlay(
        "influence",
        "1",
        "own influence minus the enemy's",
        group="field",
        shown=True,
    ),
    Overlay("tension", "2", "tension: the sum of all influence", group="field"),
    Overlay("vulnerability", "3", "vulnerability: where both influences are strong", group="field"),
    Overlay(
        "threat", "4", "damage of enemy towers to the chosen team, health a second", group="field"
    ),
    Overlay("flow", "5", "flow field of its largest squad"),
    Overlay("front", "6", "front lines", shown=True),
    Overlay("paths", "7", "paths of squads"),
    Overlay("plan", "8", "targets of the AI, and its reasons"),
)

_BY_HAND = "you play"
_ARROWS_ACROSS = 72
_REASONS = 3
_FEW = 400  # units drawn with a rim


def scene_of(
    derived: TowersDerived, state: State, overlays: frozenset[str], team: int = 0
) -> Scene:
    """Return the scene of a state, with some overlays; threat and flow are those of one team."""
    derived.follow(state)
    lines: list[Lines] = []
    if "front" in overlays:
        fronts = tuple(line.points for line in derived.teams.front_lines())
        lines.append(Lines(fronts, color="front", width=2.0, label="front"))
    if "paths" in overlays:
        lines += _paths(derived, state)
    plans = []
    if "plan" in overlays:
        plans = _plans(derived, state)
        lines += _plan_lines(derived, plans)
    lines.append(
        Lines(
            np.stack([state.shots.starts, state.shots.ends], axis=1),
            color=state.shots.teams,
            width=1.2,
            opacity=0.9,
        )
    )
    arrows: tuple[Arrows, ...] = ()
    if "flow" in overlays:
        arrows = _arrows(derived, state, team)
    return Scene(
        space=derived.space,
        title=_title(derived, state),
        field=_field(derived, overlays, team),
        areas=_areas(derived, overlays),
        lines=tuple(lines),
        arrows=arrows,
        marks=_marks(derived, state),
        facts=(*_facts(derived, state), *_set_orders(derived, plans)),
        headline=result(derived, state) or "",
    )


def result(derived: TowersDerived, state: State) -> str | None:
    """Return how a match ended, None before the end."""
    if not state.over:
        return None
    if state.winner == NOBODY:
        return "a tie"
    return f"{derived.settings.teams[state.winner]} wins"


def _title(derived: TowersDerived, state: State) -> str:
    if not state.begun:
        return "place towers, then press space"
    return f"towers, {state.step / derived.settings.rate:.0f} s"


def _field(derived: TowersDerived, overlays: frozenset[str], team: int) -> Field | None:
    base = derived.settings.tower.influence
    names = derived.settings.teams
    if "influence" in overlays and len(names) == 2:
        values = derived.teams.influence(names[0]).values
        return Field(
            values,
            f"influence of {names[0]} minus {names[1]}",
            (-4 * base, 4 * base),
            colors=(1, 0),
            parts=partial(_parts, derived, {names[0]: 1.0, names[1]: -1.0}),
        )
    if "tension" in overlays:
        return Field(
            derived.teams.tension().values,
            "tension",
            (0.0, 4 * base),
            parts=partial(_parts, derived, dict.fromkeys(names, 1.0)),
        )
    if "vulnerability" in overlays:
        return Field(
            derived.teams.contested().values, "vulnerability", (0.0, 2 * base), colors="warning"
        )
    if "threat" in overlays:
        return Field(
            derived.threat(team),
            f"threat to {names[team]}: health a second",
            (0.0, 1.5),
            colors="danger",
        )
    return None


def _parts(
    derived: TowersDerived, signs: dict[str, float], position: tuple[float, ...]
) -> list[Part]:
    """Return what units contribute to a sum of the layers of teams, with a sign for each team."""
    return [
        (part.position, sign * part.amount)
        for team, sign in signs.items()
        for part in explain(derived.teams[team], position, outside="clamp").contributions
    ]


def _areas(derived: TowersDerived, overlays: frozenset[str]) -> tuple[Areas, ...]:
    """Return areas by the strongest team, for more than two teams."""
    teams = len(derived.settings.teams)
    if "influence" not in overlays or teams == 2:
        return ()
    return (
        Areas(
            derived.teams.owner(), colors=tuple(range(teams)), opacity=0.4, label="strongest team"
        ),
    )


def _marks(derived: TowersDerived, state: State) -> tuple[Marks, ...]:
    space = derived.space
    towers = state.towers
    units = state.units
    settings = derived.settings
    shape = "dot"
    if len(units) <= _FEW:
        shape = "disc"
    return (
        Marks(
            units.positions,
            shape,
            0.9 * space.cell_size,
            units.teams,
        ),
        Marks(
            space.position_of(towers.cells).reshape(-1, 2),
            "square",
            settings.tower.size * space.cell_size,
            towers.teams,
            health=towers.health / settings.tower.health,
            least=6.0,
        ),
    )


def _plans(derived: TowersDerived, state: State) -> list[tuple[int, list[tuple[int, str]]]]:
    """Return for each team with AI its best targets, and the reasons."""
    found = []
    for team, name in enumerate(derived.settings.ai_names):
        if name != HUMAN and not state.by_hand[team]:
            found.append((team, AI_OF[name].reasons(derived, state, team)[:_REASONS]))
    return found


def _plan_lines(
    derived: TowersDerived, plans: list[tuple[int, list[tuple[int, str]]]]
) -> Iterator[Lines]:
    """Yield the path to the best target of each team, bold, and thin ones to the others."""
    for team, reasons in plans:
        own = np.flatnonzero(derived.towers.teams == team)
        rings = [derived.rings[row] for row in own.tolist()]
        starts = np.concatenate([np.zeros(0, dtype=np.int64), *rings])
        for place, (row, _) in enumerate(reasons):
            route = derived.route_to_tower(team, row, AI_OF[derived.settings.ai_names[team]].safely)
            if route is None or not len(starts):
                continue
            far = route.distance.values.reshape(-1)[starts]
            nearest = int(starts[int(np.argmin(far))])
            path = route.distance.descend(derived.walking.position_of(nearest))
            if place == 0:
                yield Lines((path.positions,), color=team, width=3.0, label="attacks")
            else:
                yield Lines((path.positions,), color=team, width=1.2)


def _set_orders(
    derived: TowersDerived, plans: list[tuple[int, list[tuple[int, str]]]]
) -> Iterator[Fact]:
    for team, reasons in plans:
        for place, (row, words) in enumerate(reasons):
            x, y = derived.middles[row].tolist()
            text = f"({x:.0f}, {y:.0f}): {words}"
            if place == 0:
                yield Fact("attacks", text, team)
            else:
                yield Fact("or", text)


def _facts(derived: TowersDerived, state: State) -> Iterator[Fact]:
    for team, name in enumerate(derived.settings.teams):
        towers = int(np.count_nonzero(state.towers.teams == team))
        units = int(np.count_nonzero(state.units.teams == team))
        yield Fact(name, f"score {int(state.scores[team])}", team)
        held = f"{_counted(towers, 'tower')}, {_counted(units, 'unit')}"
        yield Fact("", f"{held}, {int(state.supply[team])} to send")
        ai_name = derived.settings.ai_names[team]
        if state.by_hand[team]:
            yield Fact("", _BY_HAND)
        elif ai_name == HUMAN:
            yield Fact("", HUMAN)
        else:
            yield Fact("", f"AI: {ai_name}")


def _counted(count: int, word: str) -> str:
    """Return a count with its word: "1 tower", "2 towers"."""
    if count == 1:
        return f"1 {word}"
    return f"{count} {word}s"


def _arrows(derived: TowersDerived, state: State, team: int) -> tuple[Arrows, ...]:
    """Return the flow of the largest squad of a team that has a route."""
    space = derived.walking
    mine = state.units.squads[state.units.teams == team]
    routes = {squad: route for number, squad, route in derived.routes(state) if number == team}
    if not routes:
        return ()
    largest = max(routes, key=lambda squad: (np.count_nonzero(mine == squad), -squad))
    stride = max(1, -(-max(space.shape) // _ARROWS_ACROSS))
    rows, columns = np.meshgrid(
        np.arange(0, space.height, stride), np.arange(0, space.width, stride), indexing="ij"
    )
    cells = (rows * space.width + columns).reshape(-1)
    positions = space.position_of(cells[~space.walls.reshape(-1)[cells]])
    length = 0.7 * stride * space.cell_size
    return (Arrows(positions, routes[largest].flow.sample(positions) * length),)


def _paths(derived: TowersDerived, state: State) -> Iterator[Lines]:
    """Yield for each moving squad the path of its median unit."""
    found: dict[int, list[Floats]] = {}
    for team, squad, route in derived.routes(state):
        start = _median_unit(state, team, squad, route)
        path = route.distance.descend(start)
        if len(path) > 1:
            found.setdefault(team, []).append(np.concatenate([start[None], path.positions[1:]]))
    for team, points in found.items():
        yield Lines(tuple(points), color=team, width=2.4)


def _median_unit(state: State, team: int, squad: int, route: Route) -> Floats:
    """Return the position of the unit of a squad that is halfway by its distance to the target."""
    own = state.units.positions[(state.units.teams == team) & (state.units.squads == squad)]
    far = route.distance.sample(own)
    return np.asarray(own[int(np.argsort(far, kind="stable")[len(own) // 2])])
