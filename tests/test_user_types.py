"""What a type checker says of a user's own small file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
USER = """
import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.layers import Operand

grid: fc.Grid = fc.load_map("level.map", neighbors=8)
imap = fc.InfluenceMap(grid)
threat = imap.add_layer("threat", fc.Spread(0.2))
units = np.zeros((3, 2))

danger: float = threat.sample((1.5, 2.5))
each: NDArray[np.float32] = threat.sample(units)
listed: NDArray[np.float32] = fc.sample(threat, [(1.5, 2.5), (2.5, 0.5)])
here: int = grid.cell_at((1.5, 2.5))
cells: NDArray[np.int64] = grid.cell_at(units)
safety: Operand = 1 - threat
calm: float = safety.sample((1.5, 2.5))
cover: Operand = np.ones(grid.shape) - threat
strongest = float(np.max(threat))
far: float = fc.distance_map(grid, (1.5, 2.5)).sample((3.5, 2.5))
loaded = fc.InfluenceMap.load("level.fieldcraft")
loaded["threat"].sync([1, 2], [(1.5, 2.5), (2.5, 0.5)])
loaded["threat"].add_source((1.5, 2.5), strength=3.0).move((2.5, 0.5))
loaded["smoke"].mark((1.5, 2.5))
after: float = loaded["threat"].sample((1.5, 2.5))
for layer in loaded.layers.values():
    layer.step()
    if isinstance(layer, fc.layer.SourceLayer):
        layer.add_source((1.5, 2.5), 3.0).remove()
    elif isinstance(layer, fc.layer.TrailLayer):
        layer.stamp(fc.Stamp.disc(1.0), (1.5, 2.5))
page = fc.lab.open_lab(loaded)
card = fc.gpu.device()
group = fc.pursuit.Contacts
made: type = fc.question.Clearance
spot = fc.best(np.ones(grid.shape), units, 3.0, space=grid)


def any_space(space: fc.Space, unit: tuple[float, float]) -> int:
    return space.cell_at(unit)
"""
WRONG = """
import fieldcraft as fc

layer = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("a", fc.Spread(0.2))
wrong: str = layer.sample((1.5, 2.5))
layer.add_source((1.5, 2.5), decay=0.5)
fc.Radial(3, metric="euclid")
layer.sample((1.5, 2.5), how="linear")
"""


@pytest.mark.slow
def test_natural_annotations_pass_strict_checks(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(USER)
    (tmp_path / "wrong.py").write_text(WRONG)
    sources = ROOT / "packages/fieldcraft/src"
    cache = str(ROOT / ".mypy_cache/users")
    options = ["--strict", "--follow-imports=silent", "--cache-dir", cache]
    found = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "user.py", "wrong.py"],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(sources)},
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line for line in found.stdout.splitlines() if "error:" in line]
    assert not [line for line in said if line.startswith("user.py")], found.stdout
    assert [line.split(":")[1] for line in said] == ["5", "6", "7", "8"], found.stdout
