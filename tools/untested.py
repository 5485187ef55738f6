"""Print the source files of the library that hold behavior and have no test file of their name.

The list informs; nothing is checked. A file holds behavior if it has a function with statements.
The tests of `paths/cost.py` are in `test_cost.py`, in the folder of tests for `paths` or below it.
A file of kernels may also be tested by the test file of its family, in the folder of tests for
`kernels`, or by that of a file of the library that calls it.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "packages" / "fieldcraft"
SOURCE = PACKAGE / "src" / "fieldcraft"
TESTS = PACKAGE / "tests"


def has_behavior(file: Path) -> bool:
    """Return whether a file has a function with other statements than a docstring."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(
        not all(isinstance(line, ast.Expr | ast.Pass | ast.Raise) for line in node.body)
        for node in ast.walk(tree)
        if isinstance(node, functions)
    )


@cache
def all_sources() -> list[Path]:
    """Return the files of the library, without templates and files such as `__init__`."""
    files = sorted(SOURCE.rglob("*.py"))
    return [file for file in files if file.name[:2] != "__" and "templates" not in file.parts]


def sources() -> list[Path]:
    """Return the files of the library that hold behavior."""
    return [file for file in all_sources() if has_behavior(file)]


@cache
def users(kernel: Path) -> list[Path]:
    """Return the files that use a file of kernels."""
    family, name = kernel.parent.name, kernel.stem
    module = rf"kernels\.{family}"
    used = re.compile(rf"{module}\.{name}\b|{module} import .*\b{name}\b")
    others = (file for file in all_sources() if file != kernel)
    return [file for file in others if used.search(file.read_text(encoding="utf-8"))]


def has_test(file: Path, seen: frozenset[Path] = frozenset()) -> bool:
    """Return whether a source file has a test file of its name."""
    top = TESTS / file.relative_to(SOURCE).parts[0]
    if any(top.rglob(f"test_{file.stem}.py")):
        return True
    if top.name != "kernels":
        return False
    if any(top.rglob(f"test_{file.parent.name}.py")):
        return True
    return any(has_test(user, seen | {file}) for user in users(file) if user not in seen)


def main() -> None:
    """Print the list and two counts."""
    files = sources()
    untested = [file for file in files if not has_test(file)]
    for file in untested:
        print(file.relative_to(SOURCE))
    print(f"{len(files) - len(untested)} of {len(files)} have a test file of their name")


if __name__ == "__main__":
    main()
