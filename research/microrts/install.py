"""Set up the study: Java, a Python environment with JPype, and the game with its bots.

The game is GPL-3 and stays outside of this repository; none of it is imported here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

PYTHON = Path("venv/bin/python")
_GAME = "gym-microrts"
_VERSION = "0.4.3"
_PACKAGES = ("JPype1==1.7.1", "numpy", "scipy", "contourpy", "pillow")
_INSIDE = f"gym-microrts-{_VERSION}/gym_microrts/microrts/"


def missing(folder: Path) -> str:
    """Return what the study lacks in a folder, or an empty text."""
    if shutil.which("java") is None:
        return "Java is not installed"
    for part in (PYTHON, Path("game/microrts.jar")):
        if not (folder / part).exists():
            return f"{folder / part} is missing; run python -m research.microrts setup {folder}"
    return ""


def install(folder: Path) -> None:
    """Install what is missing. Java comes from Debian's packages, which takes root."""
    if shutil.which("java") is None:
        _install_java()
    folder.mkdir(parents=True, exist_ok=True)
    python = folder / PYTHON
    if not python.exists():
        venv.create(folder / "venv", with_pip=True)
    pip = [str(python), "-m", "pip"]
    subprocess.run([*pip, "install", "-q", *_PACKAGES], check=True)
    if not (folder / "game" / "microrts.jar").exists():
        with tempfile.TemporaryDirectory() as place:
            source = ["download", "-q", "--no-deps", "--no-binary", _GAME, f"{_GAME}=={_VERSION}"]
            subprocess.run([*pip, *source], check=True, cwd=place)
            _unpack(next(Path(place).glob("*.tar.gz")), folder / "game")


def _install_java() -> None:
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        sys.exit("Java is not installed. Install a Java runtime of version 11 or later, and retry.")
    subprocess.run(["apt-get", "install", "-y", "-q", "default-jre-headless"], check=True)


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack the jars and the maps."""
    with tarfile.open(archive) as file:
        for member in file:
            inside = member.name.removeprefix(_INSIDE)
            wanted = inside.endswith(".jar") or inside.startswith("maps/")
            if member.isfile() and inside != member.name and wanted:
                member.name = inside
                file.extract(member, folder, filter="data")
