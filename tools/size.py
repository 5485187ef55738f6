"""Print the size of the repository beside its limits: `make size`.

Statements are Python statements without docstrings, so formatting does not change them. The exit
code is 1 where a limit does not hold and `--check` is given.
"""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("fieldcraft", "gpu", "lab", "cluster", "worlds")
MODULES = ["fieldcraft", "fieldcraft_gpu", "fieldcraft_lab", "fieldcraft_cluster"]
MODULES += ["fieldcraft_worlds", "research"]
MOST_ARGUMENTS = 12
MOST_LINES = 400


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
    return len({(name, id(getattr(m, name))) for m in modules for name in m.__all__})


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


def long_files() -> list[str]:
    """Return the files outside of the kernels that have more than `MOST_LINES` lines."""
    return [
        f"{path.relative_to(ROOT)} ({count})"
        for path in sources()
        if "kernels" not in path.parts
        and (count := len(path.read_text(encoding="utf-8").splitlines())) > MOST_LINES
    ]


def circles() -> list[str]:
    """Return the sets of modules that import each other in a circle.

    Imports for type checking only do not count.
    """
    sys.path.insert(0, str(ROOT))  # for the package of studies
    graph = grimp.build_graph(*MODULES, exclude_type_checking_imports=True, cache_dir=None)
    after = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    return [", ".join(sorted(group)) for group in components(after) if len(group) > 1]


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


def rows() -> list[tuple[str, int, int]]:
    """Return each limit as its name, the measured number and the largest allowed number."""
    rest = ("packages/gpu/src", "packages/lab/src", "packages/cluster/src")
    research = [path for path in python_files("research") if "tests" not in path.parts]
    worlds = [*python_files("packages/worlds/src"), *research]
    names = len(importlib.import_module("fieldcraft").__all__)
    library = statements(python_files("packages/fieldcraft/src"))
    return [
        ("statements in packages/fieldcraft", library, 32_000),
        ("statements in gpu, lab and cluster", statements(python_files(*rest)), 6_000),
        ("statements in worlds and research", statements(worlds), 12_500),
        ("statements in tests, oracles included", statements(tests()), 34_000),
        ("names in fieldcraft.__all__", names, 60),
        ("names in all public modules", public_names(), 280),
        ("own modules loaded by import fieldcraft", loaded_modules(), 120),
        (f"functions with over {MOST_ARGUMENTS} arguments", len(long_signatures()), 40),
        (f"files over {MOST_LINES} lines, kernels aside", len(long_files()), 0),
        ("circles of imports between files", len(circles()), 0),
    ]


def main() -> int:
    """Print the table, and with `--list` the functions, files and circles behind it."""
    table = rows()
    print(f"{'':<44} {'now':>8} {'limit':>8}")
    for name, now, limit in table:
        print(f"{name:<44} {now:>8,} {limit:>8,}{'' if now <= limit else '  over'}")
    if "--list" in sys.argv:
        for found in (*long_signatures(), *long_files(), *circles()):
            print(found)
    return int("--check" in sys.argv and any(now > limit for _, now, limit in table))


if __name__ == "__main__":
    sys.exit(main())
