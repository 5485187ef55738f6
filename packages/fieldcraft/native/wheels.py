"""Builds a wheel of the library for each platform, all on this machine.

`python packages/fieldcraft/native/wheels.py --out dist` builds five; names of platforms choose.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from build import build

ROOT = Path(__file__).resolve().parents[3]
PLATFORMS = {
    "manylinux_2_28_x86_64": ["linux-x86-64-v2", "linux-x86-64-v3", "linux-x86-64-v4"],
    "manylinux_2_28_aarch64": ["linux-aarch64"],
    "win_amd64": ["windows-x86-64-v2", "windows-x86-64-v3", "windows-x86-64-v4"],
    "macosx_11_0_arm64": ["macos-aarch64"],
    "macosx_11_0_x86_64": ["macos-x86-64-v2", "macos-x86-64-v3"],
}


def main() -> None:
    """Build the wheels that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM", help=", ".join(PLATFORMS))
    parser.add_argument("--out", type=Path, default=Path("dist"), metavar="DIR")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.platforms if name not in PLATFORMS]:
        parser.error(f"platforms are {', '.join(PLATFORMS)}. Got {', '.join(unknown)}.")
    names = chosen.platforms or list(PLATFORMS)
    with tempfile.TemporaryDirectory() as scratch:
        folders = {name: Path(scratch) / name for name in names}
        for folder in folders.values():
            folder.mkdir()
        build([(target, folders[name]) for name in names for target in PLATFORMS[name]])
        command = [sys.executable, "-m", "build", "--wheel", "--outdir", chosen.out]
        for name in names:
            environment = {"FIELDCRAFT_NATIVE": str(folders[name]), "FIELDCRAFT_PLATFORM": name}
            subprocess.run(
                [*command, ROOT / "packages" / "fieldcraft"],
                env={**os.environ, **environment},
                check=True,
            )
            (wheel,) = chosen.out.glob(f"fieldcraft-*-{name}.whl")
            packed = {Path(each).name for each in zipfile.ZipFile(wheel).namelist()}
            libraries = {each for each in packed if each.startswith("_native_")}
            if libraries != {each.name for each in folders[name].iterdir()}:
                sys.exit(f"{wheel} has the libraries of its platform only. Got {libraries}.")


if __name__ == "__main__":
    main()
