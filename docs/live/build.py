"""Builds the live page of the site: `python docs/live/build.py --out out/live`.

The page is one file without requests: it works from any static server, and opened as a file.
"""

from __future__ import annotations

import argparse
import base64
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packages" / "fieldcraft" / "native"))

import api

HERE = Path(__file__).resolve().parent


def build(out: Path) -> None:
    """Write the page into a folder, with its script and the module of kernels in it."""
    with tempfile.TemporaryDirectory() as scratch:
        api.build(["wasm"], Path(scratch))
        module = (Path(scratch) / "wasm" / "fieldcraft.wasm").read_bytes()
    page = (HERE / "index.html").read_text(encoding="utf-8")
    page = page.replace("/*KERNELS*/", base64.b64encode(module).decode())
    page = page.replace("/*SCRIPT*/", (HERE / "live.js").read_text(encoding="utf-8"))
    out.mkdir(parents=True, exist_ok=True)
    (out / "index.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/live"), metavar="DIR")
    build(parser.parse_args().out)
