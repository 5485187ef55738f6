"""Run the study.

`python -m research.microrts setup FOLDER` installs what is missing into a folder outside of the
repository; `python -m research.microrts play FOLDER` plays matches. A study that was interrupted
goes on where it stopped. `python -m research.microrts report` makes the table and the plot.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import fieldcraft
from research.microrts.agent import Agent
from research.microrts.install import PYTHON, install, missing
from research.microrts.runner import VARIANTS, matches, play_all, read_rows
from research.shared.entry import exit_code

BOTS = [
    "workerRush",
    "lightRush",
    "heavyRush",
    "coac",
    "rojo",
    "guidedRojo",
    "tiamat",
    "droplet",
    "izanagi",
    "mixed",
    "naiveMCTS",
]
MAPS = ["16x16/basesWorkers16x16A.xml"]


def main() -> None:
    """Run one command."""
    parser = argparse.ArgumentParser(prog="python -m research.microrts", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    setup = commands.add_parser("setup", help="install Java, JPype and the game")
    play = commands.add_parser("play", help="play what has not been played")
    film = commands.add_parser("film", help="film one match, as .webp, .gif or .mp4")
    report = commands.add_parser("report", help="write the table and the plot of all matches")
    for each in (setup, play, film):
        each.add_argument("folder", type=Path)
    film.add_argument("path", type=Path)
    film.add_argument("--bot", default="coac")
    film.add_argument("--map", default=MAPS[0])
    film.add_argument("--corner", type=int, default=0)
    film.add_argument("--seed", type=int, default=0)
    for each in (play, report):
        each.add_argument("--out", type=Path, default=Path("out/microrts"))
    play.add_argument("--bots", nargs="*", default=BOTS)
    play.add_argument("--maps", nargs="*", default=MAPS, help="files in the game's folder maps")
    play.add_argument("--variants", nargs="*", default=list(VARIANTS), choices=list(VARIANTS))
    play.add_argument("--seeds", type=int, default=20, help="matches from each corner")
    play.add_argument("--processes", type=int, default=1)
    chosen = parser.parse_args()
    if chosen.command == "setup":
        install(chosen.folder)
        return
    if chosen.command == "report":
        _report(chosen.out)
        return
    lacking = missing(chosen.folder)
    if lacking:
        sys.exit(f"{lacking}.")
    python = (chosen.folder / PYTHON).absolute()
    if Path(sys.prefix) != python.parent.parent:
        sys.exit(subprocess.call([python, "-m", "research.microrts", *sys.argv[1:]], env=_paths()))
    if chosen.command == "film":
        _film(chosen)
        return
    games = matches(chosen.variants, chosen.bots, chosen.maps, chosen.seeds)
    path = chosen.out / "matches.csv"
    for row in play_all(games, chosen.folder, path, chosen.processes):
        print(
            row.variant,
            row.bot,
            row.map,
            row.corner,
            row.seed,
            row.points,
            row.cycles,
            f"{row.mean_ms:.1f} ms",
            flush=True,
        )


def _report(folder: Path) -> None:
    """Write the table and the plot of the matches in a folder."""
    from fieldcraft.view import save_png
    from research.microrts.report import picture, table

    rows = read_rows(folder / "matches.csv")
    lines = table(rows)
    (folder / "table.md").write_text("\n".join(lines) + "\n")
    save_png(folder / "points.png", picture(rows))
    print("\n".join(lines))


def _film(chosen: argparse.Namespace) -> None:
    from research.microrts.bridge import Arena
    from research.microrts.film import Camera

    camera = Camera(chosen.path)
    arena = Arena(chosen.folder / "game")
    agent = Agent(VARIANTS["full"], chosen.seed)
    print(arena.play(agent, chosen.bot, chosen.map, chosen.corner, chosen.seed, camera.watch))
    camera.close()


def _paths() -> dict[str, str]:
    """Return an environment in which the other Python finds this code and the library."""
    homes = (Path(__file__).parents[2], Path(fieldcraft.__file__).parents[1])
    return os.environ | {"PYTHONPATH": os.pathsep.join(map(str, homes))}


if __name__ == "__main__":
    sys.exit(exit_code("research.microrts", main))
