"""What a newcomer does, word for word, with a wheel in an empty environment.

`python tools/newcomer.py dist/fieldcraft-*.whl` makes a folder with a virtual environment,
installs the wheel, draws the first picture, runs the code of README and of the first tutorial, and
creates and runs each starter. It prints the seconds that each step took.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 30  # seconds
HOME = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
STARTERS = {
    "pygame": ("", "python main.py --frames 20"),
    "roguelike": ("roguelike", "python main.py --turns 10"),
    "sc2": ("sc2", "python rehearse.py"),
    "mesa": ("solara", "python main.py"),
    "gym": ("gymnasium", "python main.py"),
    "notebook": ("nbconvert ipykernel", "jupyter execute main.ipynb"),
}
"""For each starter: the extras or packages to install beside `view`, and how it is run."""


def code_of(page: str) -> str:
    """Return the code blocks of a page, one after the other."""
    return "\n".join(BLOCK.findall((HOME / page).read_text(encoding="utf-8")))


def main(wheel: str) -> None:
    """Do all steps; stop at the first that fails."""
    with tempfile.TemporaryDirectory() as place:
        folder, started = Path(place), time.perf_counter()
        environment = {
            **os.environ,
            "PATH": f"{folder / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "SDL_VIDEODRIVER": "dummy",
            "MPLBACKEND": "agg",
        }

        def run(command: str, inside: Path = folder) -> None:
            before = time.perf_counter()
            subprocess.run(
                command, shell=True, cwd=inside, env=environment, check=True, capture_output=True
            )
            print(f"{time.perf_counter() - before:7.1f} s  {command}", flush=True)

        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        installed = time.perf_counter()
        file = Path(wheel).resolve()
        run(f"pip install --quiet '{file}[view]'")
        run("fieldcraft demo")
        assert (folder / "out" / "demo.png").stat().st_size > 10_000
        took = time.perf_counter() - installed
        print(f"{took:7.1f} s  from `pip install` to the first picture")
        if took > LIMIT:
            sys.exit(f"The first picture is to be there after at most {LIMIT} seconds")
        (folder / "readme.py").write_text(code_of("README.md"))
        run("python readme.py")
        (folder / "first_map.py").write_text(
            code_of("docs/first_map.md").replace("    play()", "    pass")
        )
        run("python first_map.py")
        for kind, (more, command) in STARTERS.items():
            extra = more if more in ("roguelike", "sc2", "solara") else ""
            names = "view" + (f",{extra}" if extra else "")
            run(f"pip install --quiet '{file}[{names}]' {'' if extra else more}")
            run(f"fieldcraft new {kind} {kind}")
            run(command, folder / kind)
        print(f"{time.perf_counter() - started:7.1f} s  in all")


if __name__ == "__main__":
    main(sys.argv[1])
