"""Agent steps a second of a vectorized pursuit, beside PettingZoo's."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

import fieldcraft as fc
from bench.race import nothing, race, repeats, say
from bench.table import Report, Table, at_least

WORLDS = (64, 1024, 4096)
PURSUERS = 4
STEPS = 20
REQUIRED = 5e6
"""Agent steps a second: an agent step is one agent told, moved and shown its window, in any
world.
"""


def ours(worlds: int) -> tuple[Callable[[], None], int]:
    """Some steps of our worlds, and how many agents live in them."""
    from fieldcraft_worlds.learning import Pursuits

    maps = [fc.generate_map("rooms", 64, 48, seed=seed, neighbors=8) for seed in range(8)]
    env = Pursuits(maps, worlds, pursuers=PURSUERS)
    env.reset(seed=1)
    env.action_space.seed(2)
    told = [env.action_space.sample() for _ in range(STEPS)]

    def batch() -> None:
        for actions in told:
            env.step(actions)

    return batch, worlds * (PURSUERS + 1)


def pettingzoos() -> tuple[Callable[[], None], int] | None:
    """The same of PettingZoo's pursuit, by its parallel API, or None where it is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from pettingzoo.sisl import pursuit_v5
    except ImportError:
        return None
    env = pursuit_v5.parallel_env(n_pursuers=8, n_evaders=30, max_cycles=10**9)
    env.reset(seed=1)
    rng = np.random.default_rng(2)

    def batch() -> None:
        for _ in range(STEPS):
            if not env.agents:
                env.reset()
            env.step({agent: int(rng.integers(5)) for agent in env.agents})

    return batch, 8 + 30


def run(quick: bool) -> Report:
    """Measure."""
    report = Report()
    table = Table(
        "Pursuits: agent steps a second",
        ["worlds", "fieldcraft", "PettingZoo pursuit_v5", "ratio", "asked", ""],
    )
    peer = pettingzoos()
    if peer is None:
        report.notes.append(
            "Left out: PettingZoo's pursuit, which is not installed (pip install"
            " 'pettingzoo[sisl]')."
        )
    for worlds in WORLDS[:2] if quick else WORLDS:
        say(f"bench learning: {worlds} worlds")
        batch, agents = ours(worlds)
        batch()
        contenders = {"ours": (nothing, batch)}
        rounds = {"ours": repeats(quick, 3, 15)}
        if peer is not None:
            peer[0]()
            contenders["theirs"] = (nothing, peer[0])
            rounds["theirs"] = repeats(quick, 2, 5)
        times = race(contenders, STEPS, rounds)
        fast = agents / times["ours"].best
        if peer is not None:
            slow = peer[1] / times["theirs"].best
        else:
            slow = None
        required = REQUIRED if worlds == WORLDS[-1] else None
        if slow is None:
            beside = ("", "")
        else:
            beside = (f"{slow:,.0f}", f"{fast / slow:,.0f}x")
        table.add(
            f"{worlds:,}",
            f"{fast / 1e6:.2f} million",
            *beside,
            "5 million" if required else "",
            at_least(fast, required),
        )
    table.notes.append(
        f"{PURSUERS} pursuers and one evader a world of 64 x 48 cells; windows of 11 x 11 cells and"
        " three layers each."
    )
    report.tables.append(table)
    return report
