"""Draws the pictures of the documentation anew: `make pictures`, or `python docs/pictures.py
NAME...` for some of them.

Every picture that a page shows has a row here (`tests/test_docs.py`), but for those of `ELSEWHERE`.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import fieldcraft as fc

DOCS = Path(__file__).resolve().parent
IMAGES = DOCS / "images"
PLAY = "fieldcraft play {game} --headless --quiet --shot {file}"

EXAMPLES = (
    "explorer",
    "flanking",
    "pheromones",
    "roguelike",
    "tower_defence",
    "warehouse",
    "floors",
    "questions",
)
"""Drawn by `examples/NAME.py --picture`."""

RECIPES = {
    "decay": ("decay", "decay.png"),
    "momentum": ("momentum", "momentum.png"),
    "hexagons": ("hexagons", "camps.png"),
    "recipe_kinds": ("memory_and_trails", "guards.png"),
    "teams": ("teams", "teams.png"),
}
"""The recipe that `fieldcraft run` follows, and the file that it writes."""

GAMES = {
    "chase_party": (
        """chase --seed 102 --steps 447 --size 940x560 --set 'kind="guards"' --set civilians=0 --set 'search="party"'"""
        " --overlay belief --overlay sight --overlay estimate --overlay paths"
    ),
}
"""What `fieldcraft play` is told; `--shot` writes the picture of the end."""

EXPERIMENTS = {
    path.stem: path.relative_to(DOCS.parent).as_posix()
    for pattern in ("*_experiment.json", "chase_real_maps.json")
    for path in sorted((DOCS.parent / "research").glob(f"*/{pattern}"))
}
"""Drawn by `python -m research experiment draw FILE`; the page says what the experiment itself was told."""

PAGES = {
    "first_map": "first_map.md",
    "threat": "../README.md",
    "fort_map": "fort_1_map.md",
    "fort_threat": "fort_2_threat.md",
    "fort_front": "fort_3_front.md",
    "fort_paths": "fort_4_paths.md",
    "fort_pursuit": "fort_5_pursuit.md",
    "maps": "maps.md",
    "paths": "paths.md",
    "threats_in_time": "paths.md",
    "hit_next_turn": "paths.md",
    "learned": "control.md",
    "pack": "choosing.md",
    "what_a_step_does": "what_a_step_does.md",
    "cookbook": "cookbook.md",
    "symptoms": "symptoms.md",
    "tasks": "tasks.md",
    "control": "control.md",
    "netlogo_slime": "coming_from.md",
    "two_groups": "bots.md",
    "without": "bots.md",
    "within": "bots.md",
    "nearest": "bots.md",
    "level_glb": "bots.md",
    "damage": "bots.md",
    "choke_points": "bots.md",
    "size": "bots.md",
    "eased": "bots.md",
    "drift": "bots.md",
    "fire_wind": "bots.md",
    "planet": "bots.md",
    "tower": "bots.md",
}
"""Written by the code on a page; of the cookbook all."""

BENCH = ("cost",)
"""Drawn by `python -m bench NAME`: some minutes."""

ELSEWHERE = ("lab", "lab_fork", "live", "fire_film", "warehouse_film", "threat_weights")
"""`docs/lab_pictures.py`; the page of `docs/live` in a browser; forty minutes of `examples/fire_front.py`;
`examples/warehouse.py --film`; `python -m research.threats --picture FILE`.
"""


def decay_curves(file: Path) -> None:
    """Falloffs of Spread by distance, and four decays."""
    from matplotlib.figure import Figure

    away = np.linspace(0, 12, 241)
    falloffs = {
        ("exponential", 0.26): "#4aa8ff",
        ("linear", 0.5): "#ff8c42",
        ("quadratic", 0.2): "#7bd66a",
        ("cubic", 0.15): "#c08cf0",
    }
    decays = {0.8: "#ff8c42", 0.5: "#ffd24a", 0.26: "#4aa8ff", 0.1: "#7bd66a"}
    dark, light = "#15171c", "#e6e8ec"
    figure = Figure(figsize=(9.4, 4.2), dpi=100, facecolor=dark, layout="tight")
    left, right = figure.subplots(1, 2, sharey=True)
    for (falloff, decay), color in falloffs.items():
        left.plot(
            away,
            arriving(fc.Spread(decay, 1.0, falloff), away),
            color=color,
            label=f"{falloff}, decay {decay}",
        )
    for decay, color in decays.items():
        right.plot(away, arriving(fc.Spread(decay, 1.0), away), color=color, label=f"decay {decay}")
    right.axhline(1.0, color="#8b8f98", linewidth=0.8)
    left.set_title("Falloffs of Spread, strength 5", color=light)
    right.set_title("Exponential decay: high stays close, low reaches far", color=light)
    left.set_ylabel("influence", color=light)
    for axes in (left, right):
        axes.set_facecolor(dark)
        axes.set_xlabel("distance walked", color=light)
        axes.tick_params(colors=light)
        axes.grid(color="#34373e")
        axes.legend(facecolor=dark, edgecolor=dark, labelcolor=light, fontsize=9)
    figure.savefig(file, facecolor=dark)


def arriving(spread: fc.Spread, away: np.ndarray) -> np.ndarray:
    """The influence of a source of strength 5 on a corridor of small cells, at these distances
    along it.
    """
    cell = 0.05
    imap = fc.InfluenceMap(fc.Grid(int(away[-1] / cell) + 2, 1, cell_size=cell))
    layer = imap.add_layer("one", spread)
    layer.add_source((cell / 2, cell / 2), 5.0)
    layer.settle()
    return np.asarray(layer.values[0, np.rint(away / cell).astype(int)])


def logo(file: Path) -> None:
    """Draw the logo: influence that spreads around a wall, 7 x 7 cells."""
    walls = np.zeros((7, 7), dtype=bool)
    walls[1:5, 4] = True
    imap = fc.InfluenceMap(fc.Grid(walls=walls, neighbors=8))
    layer = imap.add_layer("logo", fc.Spread(decay=0.45))
    layer.add_source((2.5, 2.5), 1.0)
    layer.settle()
    table = fc.view.ColorScale(0, 1).table
    colors = table[(layer.values * (len(table) - 1)).astype(int)]
    cells = [
        f'<rect x="{8 * column + 4}" y="{8 * row + 4}" width="7.4" height="7.4" rx="1.6"'
        f' fill="#{red:02x}{green:02x}{blue:02x}"/>'
        for row in range(7)
        for column in range(7)
        if not walls[row, column]
        for red, green, blue in [colors[row, column][:3]]
    ]
    text = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="fieldcraft">'
    background = '<rect width="64" height="64" rx="12" fill="#15171c"/>'
    place = DOCS / "_static" / "logo.svg"
    place.write_text("\n".join([text, background, *cells, "</svg>", ""]), encoding="utf-8")


def ppo(file: Path) -> None:
    """A learning curve, and a policy beside searches: six minutes of training."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        command(f"examples/ppo_pursuit.py --out {folder}")
        with Image.open(Path(folder) / "curve.png") as image:
            image.save(file.with_suffix(".webp"), lossless=True)


def ppo_planes(file: Path) -> None:
    """Learning curves with and without planes of influence, as `python -m research.ppo` found."""
    from matplotlib.figure import Figure

    curves = json.loads((DOCS.parent / "research" / "ppo" / "ppo.json").read_text())
    figure = Figure(figsize=(8, 4), dpi=100, layout="constrained")
    axes = figure.subplots()
    for (kind, runs), color in zip(curves.items(), ("#9aa0aa", "#e08a3c", "#2f7fd0"), strict=True):
        for number, run in enumerate(runs):
            steps, shares = np.array(run).T
            axes.plot(steps / 1e6, 100 * shares, color=color, label=None if number else kind)
    axes.axhline(80, color="#d65f5f", linewidth=0.8)
    axes.set(xlabel="million agent steps", ylabel="caught, %", ylim=(0, 100), xlim=(0, 4))
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(file)


DRAWN: dict[str, Callable[[Path], None]] = {
    "decay_curves": decay_curves,
    "ppo": ppo,
    "ppo_planes": ppo_planes,
    "logo": logo,
}
"""Drawn by a function of this file."""


def command(line: str) -> None:
    """Runs `fieldcraft` or a script with this Python, at the root of the repository."""
    first, *rest = shlex.split(line)
    program = [sys.executable, *([first] if first.endswith(".py") else ["-m", first])]
    subprocess.run([*program, *rest], cwd=DOCS.parent, check=True, stdout=subprocess.DEVNULL)


def draw(name: str) -> None:
    """Draws one picture into `docs/images`."""
    file = IMAGES / f"{name}.png"
    if name in EXAMPLES:
        command(f"examples/{name}.py --picture {file}")
    elif name in GAMES:
        command(PLAY.format(game=GAMES[name], file=file))
    elif name in EXPERIMENTS:
        command(f"research experiment draw {EXPERIMENTS[name]} --out {IMAGES}")
    elif name in RECIPES:
        recipe, written = RECIPES[name]
        with tempfile.TemporaryDirectory() as folder:
            command(f"fieldcraft run {recipe} --out {folder} --quiet")
            (Path(folder) / written).replace(file)
    elif name in PAGES:
        write_of_page(name)
    elif name in BENCH:
        command(f"bench {name}")
        (DOCS.parent / "out" / "bench" / f"{name}.png").replace(file)
    else:
        DRAWN[name](file)


def write_of_page(name: str) -> None:
    """Runs the code of a page and takes the pictures that it writes: of the cookbook all, as
    WebP.
    """
    import contextlib

    from PIL import Image

    text = (DOCS / PAGES[name]).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        names: dict[str, object] = {"__name__": "docs"}
        for block in re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
            exec(compile(block, PAGES[name], "exec", dont_inherit=True), names)
        for written in Path(folder).glob("*.png"):
            if name == "cookbook":
                with Image.open(written) as image:
                    image.save(IMAGES / name / f"{written.stem}.webp", lossless=True)
            elif written.stem == name:
                written.replace(IMAGES / written.name)


def known() -> list[str]:
    """The names of all pictures that can be drawn here; benchmarks last, since they take long."""
    return [*EXAMPLES, *RECIPES, *GAMES, *EXPERIMENTS, *PAGES, *DRAWN, *BENCH]


if __name__ == "__main__":
    for chosen in sys.argv[1:] or known():
        print(chosen, flush=True)
        draw(chosen)
