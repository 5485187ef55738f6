"""What type checkers and editors say of a user's own small programs."""

from __future__ import annotations

import inspect
import json
import logging
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
SOURCES = [str(ROOT / "packages" / name / "src") for name in ("fieldcraft", "lab")]
PROGRAMS = sorted((Path(__file__).parent / "typed_programs").glob("*.py"))
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
strongest = float(np.max(threat.values)) + float(np.sum(np.asarray(threat)))
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
layer.sample((1.5, 2.5), outside="ignore")
layer.add_source((1.5, 2.5), on_wall="ignore")
fc.shortest_path(layer.space, (1.5, 2.5), (2.5, 2.5), on_wall="through")
fc.Grid(5, 3, corners="always")
fc.generate_map("caves", 40, 30)
fc.InfluenceMap(layer.space).register_type("barrier").add_dynamic((1.5, 2.5))
"""


def checked_by_mypy(folder: Path, *files: str) -> list[str]:
    """What mypy finds in files of a folder in its strict mode, one line for each error."""
    pytest.importorskip("mypy")
    cache = str(ROOT / ".mypy_cache/users")
    options = ["--strict", "--follow-imports=silent", "--cache-dir", cache]
    found = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *files],
        cwd=folder,
        env=os.environ | {"MYPYPATH": os.pathsep.join(SOURCES)},
        capture_output=True,
        text=True,
        check=False,
    )
    return [line for line in found.stdout.splitlines() if "error:" in line]


@pytest.mark.slow
def test_natural_annotations_pass_strict_checks(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(USER)
    (tmp_path / "wrong.py").write_text(WRONG)
    found = checked_by_mypy(tmp_path, "user.py", "wrong.py")
    assert not [line for line in found if line.startswith("user.py")], found
    lines = [int(line.split(":")[1]) for line in found]
    assert lines == list(range(5, 5 + len(lines))), found
    assert len(lines) == len(WRONG.splitlines()) - 4


@pytest.mark.slow
def test_numpy_functions_take_maps(tmp_path: Path) -> None:
    if np.lib.NumpyVersion(np.__version__) >= "2.5.0":
        pytest.skip("NumPy 2.5 declares np.max by the protocol of array - map")
    (tmp_path / "largest.py").write_text(
        "import numpy as np\n"
        "import fieldcraft as fc\n"
        'threat = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("threat", fc.Spread(0.2))\n'
        "strongest = float(np.max(threat))\n"
    )
    assert checked_by_mypy(tmp_path, "largest.py") == []


@pytest.mark.slow
def test_programs_from_the_docs_pass_mypy() -> None:
    names = [program.name for program in PROGRAMS]
    assert len(names) >= 20
    assert checked_by_mypy(PROGRAMS[0].parent, *names) == []


@pytest.mark.slow
def test_programs_from_the_docs_pass_pyright(tmp_path: Path) -> None:
    pyright = shutil.which("pyright")
    if pyright is None:
        pytest.skip("pyright is not installed")
    # It ignores folders outside of the project.
    shutil.copytree(PROGRAMS[0].parent, tmp_path / "programs")
    settings = {"include": ["programs"], "extraPaths": SOURCES, "typeCheckingMode": "strict"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [pyright, "--project", str(tmp_path), "--pythonpath", sys.executable, "--outputjson"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(found.stdout)
    assert report["summary"]["filesAnalyzed"] == len(PROGRAMS)
    assert report["generalDiagnostics"] == []


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_typed_programs_run(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = logging.getLogger("fieldcraft")
    level = log.level  # a program sets it for itself
    try:
        runpy.run_path(str(program))
    finally:
        log.setLevel(level)


def offered(text: str) -> set[str]:
    """The names that jedi offers at the end of a text, as notebooks do."""
    jedi = pytest.importorskip("jedi")
    import fieldcraft

    found = jedi.Interpreter(text, [{"fc": fieldcraft}]).complete()
    return {each.name for each in found if not each.name.startswith("_")}


def test_notebooks_offer_public_names() -> None:
    import fieldcraft as fc

    assert offered("fc.") == {name for name in dir(fc) if not name.startswith("_")}
    assert offered("fc.maps.") == set(fc.maps.__all__)


# Public modules that a file reaches as `fc.NAME`; they are listed by `dir` only in part.
MODULES = [
    "adapters",
    "compose",
    "errors",
    "fitting",
    "layer",
    "maps",
    "propagation",
    "pursuit",
    "query",
    "question",
    "recipe",
    "recordings",
    "settings",
    "steering",
    "view",
]


def offered_in_a_file(name: str) -> dict[str, str]:
    """The names that jedi offers after `name.` in a file that nobody has run, with their kinds,
    but for what every module has. jedi always lists folders and files; those of submodules are
    left out.
    """
    jedi = pytest.importorskip("jedi")
    found = jedi.Script(f"import fieldcraft as fc\n{name}.").complete()
    names = {each.name: each.type for each in found if not each.name.startswith("_")}
    folders = {each for each, kind in names.items() if kind in ("module", "namespace")}
    return {each: kind for each, kind in names.items() if each not in folders or name == "fc"}


def test_files_are_offered_public_names_and_folders() -> None:
    import fieldcraft as fc

    public = {name for name in dir(fc) if not name.startswith("_")}
    folders = {each.parent.name for each in Path(fc.__file__).parent.glob("*/__init__.py")}
    packages = {"gpu", "lab"}
    assert set(offered_in_a_file("fc")) | packages == public | folders | packages | set(MODULES)


@pytest.mark.parametrize("module", [each for each in MODULES if each not in ("adapters", "errors")])
def test_files_are_offered_what_a_module_exports(module: str) -> None:
    import fieldcraft as fc

    home = getattr(fc, module)
    exported = {each for each in home.__all__ if not inspect.ismodule(getattr(home, each))}
    assert set(offered_in_a_file(f"fc.{module}")) == exported


@pytest.mark.parametrize(
    "package", sorted((ROOT / "packages").iterdir()), ids=lambda each: each.name
)
def test_every_package_says_that_it_is_typed(package: Path) -> None:
    """Type checkers ignore annotations of installed packages without this file (PEP 561)."""
    assert list(package.glob("src/*/py.typed"))
