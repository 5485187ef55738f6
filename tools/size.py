"""Print the size of the repository: `make size`. The figures inform; nothing is checked.

Statements are Python statements without docstrings, so formatting does not change them.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import grimp

from fieldcraft.commands import names
from fieldcraft.kernels.compiling.signatures import Argument, parse

ROOT = Path(__file__).resolve().parents[1]

PACKAGES = ("fieldcraft", "gpu", "lab", "cluster", "worlds")
MODULES = ["fieldcraft", "fieldcraft_gpu", "fieldcraft_lab", "fieldcraft_cluster"]
MODULES += ["fieldcraft_worlds", "research"]
MOST_ARGUMENTS = 12


def python_files(*folders: str) -> Iterator[Path]:
    """Yield the Python files below some folders of the repository, templates left out."""
    for folder in folders:
        files = sorted((ROOT / folder).rglob("*.py"))
        yield from (path for path in files if "templates" not in path.parts)


def statements(paths: Iterable[Path]) -> int:
    """Return the number of statements in files, docstrings left out."""
    return sum(
        not is_text(node)
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.stmt)
    )


def is_text(node: ast.stmt) -> bool:
    """Return whether a statement is only a string, such as a docstring."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def sources() -> list[Path]:
    """Return the files of all packages and studies, tests left out."""
    folders = [f"packages/{package}/src" for package in PACKAGES]
    research = [path for path in python_files("research") if "tests" not in path.parts]
    return [*python_files(*folders), *research]


def tests() -> list[Path]:
    """Return the files of all tests, with what they share."""
    return [
        *python_files(*(f"packages/{package}/tests" for package in PACKAGES)),
        *python_files("research/tests", "tests"),
        ROOT / "conftest.py",
    ]


def public_modules() -> list[str]:
    """Return the modules that docs/public.md lists as public, those for packages left out."""
    page = (ROOT / "docs" / "public.md").read_text(encoding="utf-8").split("\n## ")[0]
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `fieldcraft")]
    return [name for row in rows for name in re.findall(r"`([\w.]+)`", row)]


def public_names() -> int:
    """Return the number of names that all public modules export, each object once."""
    modules = [importlib.import_module(name) for name in public_modules()]
    return len({(name, id(getattr(m, name))) for m in modules for name in names.public_names(m)})


def loaded_modules() -> int:
    """Return the number of own modules that `import fieldcraft` loads."""
    code = "import fieldcraft, json, sys; print(json.dumps(list(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return sum(name.split(".")[0] == "fieldcraft" for name in json.loads(shown.stdout))


def long_signatures() -> list[str]:
    """Return the functions that take more than `MOST_ARGUMENTS` positional arguments."""
    return [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and len(node.args.posonlyargs) + len(node.args.args) > MOST_ARGUMENTS
    ]


def kernels_by_arguments(count: Callable[[Argument], int]) -> dict[str, int]:
    """Return the number of arguments of each kernel, the largest of its versions, by a count for
    each declared argument.
    """
    found = {}
    for path in sorted((ROOT / "packages" / "fieldcraft" / "native" / "bitcode").glob("*.json")):
        described = json.loads(path.read_text(encoding="utf-8"))
        for name, versions in described["kernels"].items():
            takes = [parse(version["takes"]) for version in versions]
            found[name] = max(sum(map(count, arguments)) for arguments in takes)
    return found


def named(argument: Argument) -> int:
    """Return 1 for a record, and for a plain tuple the number of its items."""
    if argument.name or not argument.items:
        return 1
    return sum(map(named, argument.items))


def leaves(argument: Argument) -> int:
    """Return the number of arrays and numbers in an argument."""
    return sum(map(leaves, argument.items)) if argument.items else 1


def circles() -> list[set[str]]:
    """Return the sets of modules that import each other in a circle, largest first.

    Imports for type checking count.
    """
    sys.path.insert(0, str(ROOT))  # for the package of studies
    graph = grimp.build_graph(*MODULES, cache_dir=None)
    after = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    found = [group for group in components(after) if len(group) > 1]
    return sorted(found, key=len, reverse=True)


def components(after: dict[str, set[str]]) -> Iterator[set[str]]:
    """Yield the strongly connected components of a directed graph (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    for root in sorted(after):
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        work = [(root, iter(sorted(after[root])))]
        while work:
            name, rest = work[-1]
            other = next(rest, None)
            if other is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    at = stack.index(name)
                    yield set(stack[at:])
                    del stack[at:]
            elif other not in index:
                index[other] = low[other] = len(index)
                stack.append(other)
                work.append((other, iter(sorted(after[other]))))
            elif other in stack:
                low[name] = min(low[name], index[other])


def syntax_nodes(paths: Iterable[Path]) -> int:
    """Return the number of nodes of the syntax trees of files."""
    texts = (path.read_text(encoding="utf-8") for path in paths)
    return sum(1 for text in texts for _ in ast.walk(ast.parse(text)))


def rows() -> list[tuple[str, int]]:
    """Return each figure as its name and the measured number."""
    rest = ("packages/gpu/src", "packages/lab/src", "packages/cluster/src")
    research = [path for path in python_files("research") if "tests" not in path.parts]
    worlds = [*python_files("packages/worlds/src"), *research]
    count = len(names.public_names(importlib.import_module("fieldcraft")))
    library = list(python_files("packages/fieldcraft/src"))
    found = circles()
    by_name = [name for name, most in kernels_by_arguments(named).items() if most > MOST_ARGUMENTS]
    by_leaf = [name for name, most in kernels_by_arguments(leaves).items() if most > MOST_ARGUMENTS]
    return [
        ("statements in packages/fieldcraft", statements(library)),
        ("syntax nodes in packages/fieldcraft", syntax_nodes(library)),
        ("statements in gpu, lab and cluster", statements(python_files(*rest))),
        ("statements in worlds and research", statements(worlds)),
        ("statements in tests, oracles included", statements(tests())),
        ("public names in fieldcraft", count),
        ("names in all public modules", public_names()),
        ("own modules loaded by import fieldcraft", loaded_modules()),
        (f"functions with over {MOST_ARGUMENTS} arguments", len(long_signatures())),
        (f"kernels with over {MOST_ARGUMENTS} arguments, a record as one", len(by_name)),
        (f"kernels with over {MOST_ARGUMENTS} arrays and numbers in all", len(by_leaf)),
        ("circles of imports between files", len(found)),
        ("files in the largest circle", max(map(len, found), default=0)),
    ]


def main() -> None:
    """Print the table, and with `--list` the functions and circles behind it."""
    for name, count in rows():
        print(f"{name:<52} {count:>9,}")
    if "--list" in sys.argv:
        for signature in long_signatures():
            print(signature)
        for kernel, most in kernels_by_arguments(named).items():
            if most > MOST_ARGUMENTS:
                print(kernel, most)
        for circle in circles():
            print(len(circle), ", ".join(sorted(circle)))


if __name__ == "__main__":
    main()
