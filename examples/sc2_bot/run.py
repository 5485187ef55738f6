"""A StarCraft II bot on fieldcraft: `python run.py` plays a game, `python run.py --rehearse` a
recording, without the game.

    fieldcraft bundle examples/sc2_bot --out bot.zip

packs it for a ladder whose machines have no Numba.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from recorded import Recorded
from tactics import Tactics


def rehearse(path: Path) -> None:
    """Play a recording: what the bot would have told its soldiers."""
    bot = Recorded(json.loads(path.read_text()))
    tactics, goal = Tactics(bot), bot.enemy_start_locations[0]
    told = fled = 0
    begun = time.perf_counter()
    for _ in bot.steps():
        places = tactics.places(bot.units, bot.enemy_units, goal)
        told += len(places)
        fled += (
            int((~tactics.field.is_safe([unit.position for unit in bot.units])).sum())
            if len(places)
            else 0
        )
    seconds = time.perf_counter() - begun
    print(
        f"{bot.count} steps, {1e3 * seconds / bot.count:.2f} ms each: {told} orders, {fled} of them"
        " to soldiers in danger"
    )
    print(f"danger at the end: {float(tactics.field.danger['ground'].values.sum()):.0f}")


def play() -> None:
    """Play a game against the computer; burnysc2 and the game must be installed."""
    from sc2 import maps
    from sc2.bot_ai import BotAI
    from sc2.data import Difficulty, Race
    from sc2.main import run_game
    from sc2.player import Bot, Computer
    from sc2.position import Point2

    class Marines(BotAI):
        """Sends whatever shoots where `Tactics` says."""

        async def on_start(self) -> None:
            self.tactics = Tactics(self)

        async def on_step(self, iteration: int) -> None:
            soldiers = [
                unit
                for unit in self.units
                if unit.can_attack_ground and unit.type_id not in self.workers_and_such
            ]
            targets = [unit for unit in self.enemy_units if not unit.is_flying]
            places = self.tactics.places(soldiers, targets, self.enemy_start_locations[0])
            for unit, place in zip(soldiers, places.tolist(), strict=True):
                within = [each for each in targets if unit.target_in_range(each)]
                if within and unit.weapon_cooldown == 0:
                    unit.attack(min(within, key=lambda each: each.health))
                else:
                    unit.move(Point2(place))

        @property
        def workers_and_such(self) -> set[Any]:
            return {unit.type_id for unit in self.workers}

    run_game(
        maps.get("AbyssalReefLE"),
        [Bot(Race.Terran, Marines()), Computer(Race.Zerg, Difficulty.Medium)],
        realtime=False,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rehearse",
        nargs="?",
        const=Path(__file__).parent / "skirmish.json",
        type=Path,
        metavar="FILE",
    )
    chosen = parser.parse_args()
    if chosen.rehearse:
        rehearse(chosen.rehearse)
    else:
        play()
