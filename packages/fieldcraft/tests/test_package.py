"""The package as a whole: what importing it loads, what it exports, and that the reference can
serve alone.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import pkgutil
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.commands.names import public_names
from support.tiers import told_twice

OPTIONAL = {
    "pygame",
    "PIL",
    "av",
    "zstd",
    "cv2",
    "numba",
    "trimesh",
    "matplotlib",
    "wgpu",
}


def python(code: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    env = {
        name: value for name, value in os.environ.items() if name != "FIELDCRAFT_REFERENCE"
    } | environment
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_importing_loads_no_optional_library() -> None:
    loaded = set(
        json.loads(
            python(
                "import fieldcraft, sys, json; print(json.dumps(sorted({name.split('.')[0] for name"
                " in sys.modules})))"
            )
        )
    )
    assert "fieldcraft" in loaded
    assert not loaded & OPTIONAL


def test_importing_loads_no_kernels() -> None:
    code = """
import fieldcraft as fc, sys
families = {f"fieldcraft.kernels.{name}" for name in fc.kernels.FAMILIES}
print(len(families & set(sys.modules)), "fieldcraft.kernels.compiling.native" in sys.modules)
fc.sees(fc.Grid(5, 3), (0.5, 0.5), (4.5, 2.5), radius=9)
print(len(families & set(sys.modules)), "fieldcraft.kernels.compiling.native" in sys.modules)
"""
    before, native_before, after, native_after = python(code).split()
    assert (before, native_before) == ("0", "False")
    assert int(after) > 0
    assert native_after == "True"


def test_importing_loads_few_modules_and_names_load_theirs() -> None:
    code = """
import fieldcraft as fc, sys
print("fieldcraft.pursuit" in sys.modules, "Belief" in dir(fc))
fc.Belief, fc.maps.load_map
print("fieldcraft.pursuit" in sys.modules, "fieldcraft.formats.maps" in sys.modules)
"""
    found = python(code).split()
    assert found == ["False", "True", "True", "True"]


def test_a_first_map_loads_only_the_compiler() -> None:
    code = """
import fieldcraft as fc, sys, json
imap = fc.InfluenceMap(fc.Grid(9, 6))
layer = imap.add_layer("a", fc.Spread(0.2, 0.5))
layer.add_source((0.5, 0.5), 3)
imap.step(3)
print(layer)
print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))
"""
    loaded = set(json.loads(python(code).splitlines()[-1]))
    assert loaded & OPTIONAL <= {"numba"}  # none with the native library
    # Uncompiled kernels need no compiler at all: this is how they run where there is none.
    alone = set(json.loads(python(code, FIELDCRAFT_REFERENCE="1").splitlines()[-1]))
    assert not alone & OPTIONAL


def test_dir_lists_what_is_public_and_no_internal_module() -> None:
    assert {*public_names(fc), "errors", "maps", "view"} <= set(dir(fc))
    assert not {"checks", "clock", "compose", "hooks", "kernels", "propagation"} & set(dir(fc))


def test_what_is_exported_is_there() -> None:
    for name in public_names(fc):
        assert getattr(fc, name) is not None
    public = {
        name
        for name, value in vars(fc).items()
        if not name.startswith("_") and not inspect.ismodule(value)
    }
    assert public == {name for name in public_names(fc) if name not in ("steering", "view")}


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(str(fc.__file__)).read_text(encoding="utf-8"))
    exported = [
        ast.literal_eval(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    assert exported == [public_names(fc)]


def test_a_star_imports_all_names() -> None:
    code = "from fieldcraft import *; print(Belief.__name__, Grid.__name__, best.__name__)"
    assert python(code).split() == ["Belief", "Grid", "best"]


def test_every_module_exports_what_it_says() -> None:
    names = [
        module.name
        for module in pkgutil.walk_packages(fc.__path__, "fieldcraft.")
        if not module.name.endswith("__main__") and "._native" not in module.name
    ]
    assert "fieldcraft.kernels.spread.spread_steps" in names
    for name in names:
        if (
            name.startswith("fieldcraft.kernels.")
            and not kernels.compiled()
            and not name.endswith((".pool", ".arrays"))
        ):
            continue
        try:
            module = importlib.import_module(name)
        except fc.errors.MissingLibrary:  # an adapter of a library that is not here
            continue
        for exported in getattr(module, "__all__", []):
            assert hasattr(module, exported), f"{name}.{exported}"


def test_public_things_have_docstrings() -> None:
    for name in public_names(fc):
        thing = getattr(fc, name)
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for attribute, value in vars(thing).items():
                if not attribute.startswith("_") and (
                    callable(value) or isinstance(value, property)
                ):
                    assert inspect.getdoc(value), f"{name}.{attribute}"


def test_the_example_in_the_docstring_runs() -> None:
    import doctest

    result = doctest.testmod(fc)
    assert result.attempted > 4
    assert result.failed == 0


def test_version_is_that_of_the_distribution() -> None:
    from importlib import metadata

    try:
        assert metadata.version("fieldcraft") == fc.__version__
    except metadata.PackageNotFoundError:
        pytest.skip("run from the source tree, not installed")


RUN = """
import hashlib, numpy as np, fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.base import packages
from fieldcraft.commands import names
from fieldcraft.commands.names import public_names
rng = np.random.default_rng(5)
digest = hashlib.sha256()
spreads = [fc.Spread(0.2, 0.4), fc.Spread(0.2, 0.4, falloff="linear"), fc.Spread(0.1, 1.0, falloff="quadratic", half_life=0.3),
           fc.Spread(0.1, 0.7, falloff="cubic", floor=0.0), fc.Spread(0.0, 0.5, stack="sum")]
for neighbors in (4, 8, [(1, 2), (-3, 1), (0, -1)]):
    for wrap in (False, True):
        walls = rng.random((23, 37)) < 0.2
        imap = fc.InfluenceMap(fc.Grid(37, 23, walls=walls, neighbors=neighbors, wrap=wrap))
        for k, spread in enumerate(spreads):
            layer = imap.add_layer(str(k), spread)
            layer.add_sources(imap.space.position_of(rng.choice(37 * 23, 6)), rng.random(6) * 8 - 3, on_wall="through", lifetimes=1.2)
        imap.step(9)
        imap.advance(0.8)
        for layer in imap.layers.values():
            digest.update(layer.values.tobytes())
            layer.settle()
            digest.update(layer.values.tobytes())
print(kernels.compiled(), digest.hexdigest())
"""


def test_uncompiled_kernels_give_the_same_bits() -> None:
    (fast, *fast_bits), (slow, *slow_bits) = told_twice(RUN)
    assert (slow, fast) == ("False", "True")
    assert slow_bits == fast_bits


def test_reference_0_means_compiled() -> None:
    code = "from fieldcraft import kernels; print(kernels.compiled())"
    assert [python(code, FIELDCRAFT_REFERENCE=value).strip() for value in ("", "0", "1")] == [
        "True",
        "True",
        "False",
    ]


def test_help_leads_on_from_its_first_lines() -> None:
    """`help(fc)` begins with the package's docstring, which names what to look at next."""
    named = re.findall(r"`(?:fc\.)?([A-Za-z_]+)`", str(fc.__doc__))
    assert len(named) > 25 and all(hasattr(fc, name) for name in named)
    lines = pydoc.render_doc(fc, renderer=pydoc.plaintext).splitlines()
    assert any("help(fc.distance_map)" in line for line in lines[:50])
    assert any("fc.names()" in line for line in lines[:50])
    assert len(lines) < 100
