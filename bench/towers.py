"""A match of towers with 2,000 units on 512 x 512, all layers live: steps a second."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

import fieldcraft as fc
from bench.race import REST, repeats, say
from bench.table import Report, Table, at_least, milliseconds
from fieldcraft_worlds.games.towers import Settings, TowerRules, UnitRules
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.rules import start, step
from fieldcraft_worlds.games.towers.state import State, Units

SIZE = 512
UNITS = 2_000
STEPS = 90
WARM = 1_200
REQUIRED = 60.0
# Sturdy, so that nearly all live through it.
RULES = Settings(
    towers=16, units=UNITS // 2, supply=0, tower=TowerRules(reach=40), unit=UnitRules(health=2_000)
)


def crowded(derived: TowersDerived, rng: np.random.Generator) -> State:
    """A match under way: 1,000 units a team, in five squads, each somewhere on its own ground."""
    state = start(derived, rng)
    derived.follow(state)
    ground = np.where(derived.walking.walls, -1, derived.teams.owner()).reshape(-1)
    each = RULES.units
    cells = np.concatenate(
        [rng.choice(np.flatnonzero(ground == team), each, replace=False) for team in (0, 1)]
    )
    units = Units(
        ids=state.next_id + np.arange(2 * each),
        teams=np.repeat([0, 1], each),
        squads=np.tile(np.arange(each) % 5 + 1, 2),
        positions=derived.space.position_of(cells),
        velocities=np.zeros((2 * each, 2)),
        health=np.full(2 * each, RULES.unit.health),
        ready=np.zeros(2 * each, dtype=np.int64),
    )
    return replace(state, units=units, next_id=state.next_id + 2 * each)


def live(derived: TowersDerived, state: State, rng: np.random.Generator) -> State:
    """A step, and all that a player may look at afterwards."""
    state = step(derived, state, (), rng)
    derived.follow(state)
    derived.teams.influence(RULES.teams[0]).values  # noqa: B018
    derived.teams.tension().values  # noqa: B018
    derived.teams.contested().values  # noqa: B018
    derived.teams.owner()
    return state


def run(quick: bool) -> Report:
    """The table of this suite."""
    report = Report()
    fc.warm_up()
    table = Table(
        f"A match with {UNITS:,} units and {2 * RULES.towers} towers on {SIZE} x {SIZE}, all layers"
        " live",
        (
            "map",
            "steps a second, best",
            "median",
            "required",
            "verdict",
            "best ms a step",
            "CPU ms a step",
            "slowest step, ms",
            "units at the end",
        ),
    )
    for kind in ("open", "cave", "rooms"):
        say(f"bench towers: {kind}")
        derived = TowersDerived(fc.generate_map(kind, SIZE, SIZE, seed=1, neighbors=8), RULES)
        rng = np.random.default_rng(5)
        begun = crowded(derived, rng)
        for _ in range(repeats(quick, WARM // 6, WARM)):
            begun = step(derived, begun, (), rng)
            derived.follow(begun)
        dice = rng.bit_generator.state
        rounds = []
        busy = []
        slowest = []
        for _ in range(repeats(quick, 2, 7)):
            state = begun
            rng.bit_generator.state = dice
            derived.follow(state)
            time.sleep(REST)
            took = []
            work = time.process_time()
            for _ in range(STEPS):
                before = time.perf_counter()
                state = live(derived, state, rng)
                took.append(time.perf_counter() - before)
            busy.append((time.process_time() - work) / STEPS)
            rounds.append(sum(took) / STEPS)
            slowest.append(max(took))
        fresh = TowersDerived(derived.space, RULES)
        fresh.follow(state)
        report.wrong += [
            f"{kind}: {name} differs from a new layer"
            for name in derived.imap
            if not _same(derived, fresh, name)
        ]
        best = min(rounds)
        median = float(np.median(rounds))
        table.add(
            kind,
            f"{1 / best:.0f}",
            f"{1 / median:.0f}",
            f"{REQUIRED:g}",
            at_least(1 / best, REQUIRED),
            milliseconds(best),
            milliseconds(min(busy)),
            milliseconds(min(slowest)),
            f"{len(state.units):,}",
        )
    table.notes.append(
        f"Rounds of {STEPS} steps (3 s of the match, three decisions of both commanders) from the"
        f" same state, in which {UNITS:,} units had been on their way and fighting for {WARM:,}"
        " steps. A step sees, hits, moves and decides; then influence of all towers and units,"
        " fire, tension, vulnerability and ownership are brought up to date and read. CPU is the"
        " time of all threads, which a busy machine does not stretch."
    )
    report.tables.append(table)
    return report


def _same(derived: TowersDerived, fresh: TowersDerived, name: str) -> bool:
    return np.array_equal(derived.imap[name].values, fresh.imap[name].values)
