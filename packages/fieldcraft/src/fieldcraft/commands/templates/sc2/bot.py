"""A StarCraft II bot that keeps its soldiers out of danger; see run.py and rehearse.py."""

from sc2.bot_ai import BotAI
from sc2.position import Point2

from fieldcraft.formats.adapters.sc2 import Battlefield


class Bot(BotAI):
    """Shoots what is in range, steps back from what shoots, and goes on by the safest path."""

    async def on_start(self) -> None:
        self.field = Battlefield(self)  # damage per second and range come from the game's data

    async def on_step(self, iteration: int) -> None:
        self.field.update()
        soldiers = [unit for unit in self.units if unit.can_attack_ground]
        if not soldiers:
            return
        places = [unit.position for unit in soldiers]
        is_safe = self.field.is_safe(places)
        retreats = self.field.safe_spots(places, radius=11)
        advances = self.field.next_points(places, self.enemy_start_locations[0])
        for unit, safe, retreat, advance in zip(soldiers, is_safe, retreats, advances, strict=True):
            targets = [enemy for enemy in self.enemy_units if unit.target_in_range(enemy)]
            if targets and unit.weapon_cooldown == 0:
                unit.attack(min(targets, key=lambda enemy: enemy.health))
            elif not safe:
                unit.move(Point2(retreat))
            elif targets or self.enemy_units.closer_than(9, unit):
                continue  # wait for the weapon, or for the enemy to come
            else:
                unit.move(Point2(advance))
