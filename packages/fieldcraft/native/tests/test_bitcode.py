"""The bitcode in the repository is that of the present kernels."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

NATIVE = Path(__file__).resolve().parents[1]
AGAIN = """
import json, sys
from pathlib import Path
import lower
module, description = lower.lower("uphill")
Path(sys.argv[1]).write_bytes(module)
print(json.dumps(description))
"""


@pytest.fixture
def bitcode(monkeypatch):
    monkeypatch.syspath_prepend(str(NATIVE))
    import bitcode

    return bitcode


def test_all_bitcode_was_made_from_the_present_sources(bitcode):
    names = [*bitcode.families(), bitcode.EMBEDDED]
    assert bitcode.stale(names) == [], "run: make kernels"
    notes = {path.stem for path in bitcode.FOLDER.glob("*.json")}
    modules = {path.stem for path in bitcode.FOLDER.glob("*.bc")}
    assert notes == modules - {f"{bitcode.EMBEDDED}_32"} == set(names)


def test_no_bitcode_has_a_path_of_the_machine_that_made_it(bitcode):
    for path in bitcode.FOLDER.glob("*.bc"):
        content = path.read_bytes()
        for word in (b".py", b"site-packages", str(NATIVE.parent).encode()):
            assert word not in content, path.name


def test_a_changed_source_makes_the_bitcode_of_all_that_import_it_stale(bitcode, tmp_path):
    kernels = tmp_path / "fieldcraft" / "kernels"
    (kernels / "one").mkdir(parents=True)
    (kernels / "one" / "below.py").write_text("LIMIT = 3\n")
    (kernels / "one" / "above.py").write_text("from fieldcraft.kernels.one.below import LIMIT\n")
    (kernels / "one" / "beside.py").write_text("LIMIT = 3\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bitcode, "_SOURCES", tmp_path)
        patch.setattr(bitcode, "_KERNELS", kernels)
        before = [bitcode.made_of(name) for name in ("above", "beside")]
        (kernels / "one" / "below.py").write_text("LIMIT = 4\n")
        after = [bitcode.made_of(name) for name in ("above", "beside")]
    assert before[0] != after[0]
    assert before[1] == after[1]


def test_translating_again_gives_the_same_bytes(bitcode, tmp_path):
    numba = pytest.importorskip("numba", reason="Numba translates the kernels")
    stored = bitcode.described("uphill")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    here = f"Numba {numba.__version__}, Python {version}"
    if stored["made with"] != here:
        pytest.skip(f"the bitcode was made with {stored['made with']}, and here is {here}")
    again = tmp_path / "uphill.bc"
    command = [sys.executable, "-c", AGAIN, str(again)]
    done = subprocess.run(command, cwd=NATIVE, capture_output=True, text=True, check=True)
    assert again.read_bytes() == (bitcode.FOLDER / "uphill.bc").read_bytes()
    assert json.loads(done.stdout) == stored


def test_the_owners_of_arrays_are_known_by_two_pointers():
    pytest.importorskip("numba", reason="Numba translates the kernels")
    code = (
        "import lower\n"
        "from llvmlite import ir\n"
        "number = ir.IntType(64)\n"
        "pointer = ir.IntType(8).as_pointer()\n"
        "# Counts, owner, items, their size, data, the shape, and the strides.\n"
        "array = [pointer, pointer, number, number, pointer, number, number]\n"
        "kinds = [number, *array, *array, ir.DoubleType()]\n"
        "print([at for at in range(-1, len(kinds)) if lower._is_owner(kinds, at)])\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=NATIVE, capture_output=True, text=True, check=True)
    assert done.stdout == "[1, 8]\n"


def test_a_build_with_other_sources_says_what_changed(bitcode, monkeypatch):
    import build

    monkeypatch.setattr(build, "stale", lambda names: ["uphill"])
    with pytest.raises(RuntimeError, match=r"These have changed since: uphill\. Run"):
        build.build([("linux-x86-64-v2", Path())])


def test_a_build_in_a_clone_makes_all_stale_bitcode_anew(bitcode, monkeypatch, tmp_path):
    """That of the module for programs without Python too, which no library for Python needs."""
    import build

    shutil.copytree(bitcode.FOLDER, tmp_path / "bitcode", ignore=shutil.ignore_patterns("*.bc"))
    monkeypatch.setattr(bitcode, "FOLDER", tmp_path / "bitcode")
    for name in ("uphill", bitcode.EMBEDDED):
        note = tmp_path / "bitcode" / f"{name}.json"
        note.write_text(json.dumps(bitcode.described(name) | {"made of": "other sources"}))
    made = []
    monkeypatch.setitem(sys.modules, "lower", SimpleNamespace(update=made.extend))
    build.update_bitcode()
    assert made == ["uphill", bitcode.EMBEDDED]


def test_make_kernels_makes_all_bitcode_anew(bitcode):
    pytest.importorskip("numba", reason="Numba translates the kernels")
    code = (
        "import runpy, sys, lower, multiprocessing\n"
        "sys.argv = ['lower.py', '--all']\n"
        "class Pool:\n"
        "    def __init__(self, **options): pass\n"
        "    def __enter__(self): return self\n"
        "    def __exit__(self, *error): pass\n"
        "    def imap_unordered(self, function, names): print(sorted(names)); return []\n"
        "multiprocessing.Pool = Pool\n"
        "runpy.run_path('lower.py', run_name='__main__')\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=NATIVE, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(sorted([*bitcode.families(), bitcode.EMBEDDED]))
    makefile = (NATIVE.parents[2] / "Makefile").read_text()
    assert "$(BIN)/python packages/fieldcraft/native/lower.py --all" in makefile


def test_bitcode_calls_the_functions_in_c(bitcode):
    """A kernel that is imported before `lower.py` has set up calls of C has its Python text
    translated, which gives the same bits many times slower.
    """
    called = {
        "spread_steps": (b"fieldcraft_wave",),
        "graph_spread": (b"fieldcraft_step_slices", b"fieldcraft_strongest_slices"),
    }
    for name, symbols in called.items():
        module = (bitcode.FOLDER / f"{name}.bc").read_bytes()
        for symbol in symbols:
            assert symbol in module, (name, symbol)
