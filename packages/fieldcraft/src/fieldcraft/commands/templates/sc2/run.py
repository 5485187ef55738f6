"""Plays a game against the computer. StarCraft II and burnysc2 must be installed.

python run.py              # a game on the map AbyssalReefLE
python rehearse.py         # without the game: a skirmish, drawn to rehearsal.png
"""

from bot import Bot
from sc2 import maps
from sc2.data import Difficulty, Race
from sc2.main import run_game
from sc2.player import Bot as Player
from sc2.player import Computer

if __name__ == "__main__":
    opponent = Computer(Race.Zerg, Difficulty.Medium)
    run_game(maps.get("AbyssalReefLE"), [Player(Race.Terran, Bot()), opponent], realtime=False)
