"""Builds the live page of the site: `python docs/live/build.py --out out/live`.

It works from any folder of static files; see it with `python -m http.server --directory out/live`.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "native"))

import api

HERE = Path(__file__).resolve().parent


def build(out: Path) -> None:
    """Write the page, its script and the module of kernels into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        api.build(["wasm"], Path(scratch))
        shutil.copy(Path(scratch) / "wasm" / "fieldcraft.wasm", out)
    for name in ("index.html", "live.js"):
        shutil.copy(HERE / name, out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/live"), metavar="DIR")
    build(parser.parse_args().out)
