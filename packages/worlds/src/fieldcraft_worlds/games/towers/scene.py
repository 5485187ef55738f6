"""The scene of a match of towers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from fieldcraft import explain
from fieldcraft_worlds.games.game import Overlay
from fieldcraft_worlds.games.towers.derived import TowersDerived, Way
from fieldcraft_worlds.games.towers.planner import COMMANDER_OF
from fieldcraft_worlds.games.towers.settings import HUMAN
from fieldcraft_worlds.games.towers.state import NOBODY, State
from fieldcraft_worlds.scene import Areas, Arrows, Fact, Field, Lines, Marks, Part, Scene

__all__ = ["OVERLAYS", "result", "seen"]

OVERLAYS = (
    Overlay(
        "influence",
        "1",
        "whose ground it is: own influence less the enemy's",
        group="field",
        shown=True,
    ),
    Overlay("tension", "2", "how much influence there is, whosever", group="field"),
    Overlay("vulnerability", "3", "where influences meet", group="field"),
    Overlay("threat", "4", "what towers take off the units of the team led", group="field"),
    Overlay("flow", "5", "which way its largest squad walks, from anywhere"),
    Overlay("front", "6", "front lines", shown=True),
    Overlay("paths", "7", "the ways that squads will take"),
    Overlay(
        "plan", "8", "why commanders strike where: what they reckon of the towers that come first"
    ),
)

_ARROWS_ACROSS = 72
_REASONS = 3
_FEW = 400  # so many units are drawn with a rim


def seen(derived: TowersDerived, state: State, overlays: frozenset[str], team: int = 0) -> Scene:
    """The scene of a state, with the overlays of these names; threat and flow are those of one
    team.
    """
    derived.follow(state)
    lines: list[Lines] = []
    if "front" in overlays:
        fronts = tuple(line.points for line in derived.teams.front_lines())
        lines.append(Lines(fronts, color="front", width=2.0, label="front"))
    if "paths" in overlays:
        lines += _paths(derived, state)
    plans = _plans(derived, state) if "plan" in overlays else []
    if plans:
        lines += _aims(derived, plans)
    lines.append(
        Lines(
            np.stack([state.shots.starts, state.shots.ends], axis=1),
            color=state.shots.teams,
            width=1.2,
            opacity=0.9,
        )
    )
    return Scene(
        space=derived.space,
        title=_title(derived, state),
        field=_field(derived, overlays, team),
        areas=_areas(derived, overlays),
        lines=tuple(lines),
        arrows=_arrows(derived, state, team) if "flow" in overlays else (),
        marks=_marks(derived, state),
        facts=(*_facts(derived, state), *_told(derived, plans)),
        headline=result(derived, state) or "",
    )


def result(derived: TowersDerived, state: State) -> str | None:
    """How a match ended, None while it goes on."""
    if not state.over:
        return None
    return "a tie" if state.winner == NOBODY else f"{derived.settings.teams[state.winner]} wins"


def _title(derived: TowersDerived, state: State) -> str:
    if not state.begun:
        return "place towers, then space"
    return f"towers, {state.step / derived.settings.rate:.0f} s"


def _field(derived: TowersDerived, overlays: frozenset[str], team: int) -> Field | None:
    base, names = derived.settings.tower.influence, derived.settings.teams
    if "influence" in overlays and len(names) == 2:
        values = derived.teams.influence(names[0]).values
        return Field(
            values,
            f"influence of {names[0]} less {names[1]}",
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
    """Of more than two teams, influence shows as whose ground it is."""
    teams = len(derived.settings.teams)
    if "influence" not in overlays or teams == 2:
        return ()
    return (
        Areas(derived.teams.owner(), colors=tuple(range(teams)), opacity=0.4, label="whose ground"),
    )


def _marks(derived: TowersDerived, state: State) -> tuple[Marks, ...]:
    space, towers, units, settings = derived.space, state.towers, state.units, derived.settings
    return (
        Marks(
            units.positions,
            "disc" if len(units) <= _FEW else "dot",
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
    """For each team that a commander leads, the enemy towers that come first, and why."""
    led = [
        team
        for team, name in enumerate(derived.settings.led_by)
        if name != HUMAN and not state.by_hand[team]
    ]
    return [
        (
            team,
            COMMANDER_OF[derived.settings.led_by[team]].reasons(derived, state, team)[:_REASONS],
        )
        for team in led
    ]


def _aims(
    derived: TowersDerived, plans: list[tuple[int, list[tuple[int, str]]]]
) -> Iterator[Lines]:
    """The way to the tower that comes first, from where it is nearest, bold; to the others,
    thin.
    """
    for team, reasons in plans:
        own = np.flatnonzero(derived.towers.teams == team)
        doors = np.concatenate(
            [np.zeros(0, dtype=np.int64), *(derived.rings[row] for row in own.tolist())]
        )
        for place, (row, _) in enumerate(reasons):
            way = derived.way_to_tower(
                team, row, COMMANDER_OF[derived.settings.led_by[team]].safely
            )
            if way is None or not len(doors):
                continue
            far = way.distance.values.reshape(-1)[doors]
            path = way.distance.descend(
                derived.walking.position_of(int(doors[int(np.argmin(far))]))
            )
            yield Lines(
                (path.positions,),
                color=team,
                width=3.0 if place == 0 else 1.2,
                label="strikes" if place == 0 else "",
            )


def _told(derived: TowersDerived, plans: list[tuple[int, list[tuple[int, str]]]]) -> Iterator[Fact]:
    for team, reasons in plans:
        for place, (row, words) in enumerate(reasons):
            x, y = derived.middles[row].tolist()
            yield Fact(
                "strikes" if place == 0 else "or",
                f"({x:.0f}, {y:.0f}): {words}",
                team if place == 0 else None,
            )


def _facts(derived: TowersDerived, state: State) -> Iterator[Fact]:
    for team, name in enumerate(derived.settings.teams):
        towers = int(np.count_nonzero(state.towers.teams == team))
        units = int(np.count_nonzero(state.units.teams == team))
        commander = "by hand" if state.by_hand[team] else derived.settings.led_by[team]
        yield Fact(name, f"score {int(state.scores[team])}", team)
        yield Fact("", f"{towers} towers, {units} units, {int(state.supply[team])} to send")
        yield Fact(
            "",
            (
                HUMAN
                if commander == HUMAN
                else f"led {commander}"
                if commander == "by hand"
                else f"led by {commander}"
            ),
        )


def _arrows(derived: TowersDerived, state: State, team: int) -> tuple[Arrows, ...]:
    """The flow of the largest squad of a team that has a way."""
    space = derived.walking
    mine = state.units.squads[state.units.teams == team]
    ways = {squad: way for number, squad, way in derived.ways(state) if number == team}
    if not ways:
        return ()
    largest = max(ways, key=lambda squad: (np.count_nonzero(mine == squad), -squad))
    stride = max(1, -(-max(space.shape) // _ARROWS_ACROSS))
    rows, columns = np.meshgrid(
        np.arange(0, space.height, stride), np.arange(0, space.width, stride), indexing="ij"
    )
    cells = (rows * space.width + columns).reshape(-1)
    positions = space.position_of(cells[~space.walls.reshape(-1)[cells]])
    return (
        Arrows(positions, ways[largest].flow.sample(positions) * (0.7 * stride * space.cell_size)),
    )


def _paths(derived: TowersDerived, state: State) -> Iterator[Lines]:
    """For each squad under way, the way of the unit that has the middle distance to go."""
    found: dict[int, list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]] = {}
    for team, squad, way in derived.ways(state):
        start = _middle(state, team, squad, way)
        path = way.distance.descend(start)
        if len(path) > 1:
            found.setdefault(team, []).append(np.concatenate([start[None], path.positions[1:]]))
    for team, points in found.items():
        yield Lines(tuple(points), color=team, width=2.4)


def _middle(
    state: State, team: int, squad: int, way: Way
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    own = state.units.positions[(state.units.teams == team) & (state.units.squads == squad)]
    far = way.distance.sample(own)
    return np.asarray(own[int(np.argsort(far, kind="stable")[len(own) // 2])])
