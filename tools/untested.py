"""Print the source files of the library that hold behavior and have no test file of their name.

The list informs; nothing is checked. A file holds behavior if it has a function with statements.
The tests of `paths/cost.py` are in `test_cost.py`, in the folder of tests for `paths` or below it.
A file of kernels is tested by a test file of its name in any folder, or of its family.
"""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "packages" / "fieldcraft"
SOURCE = PACKAGE / "src" / "fieldcraft"
TESTS = PACKAGE / "tests"


def holds_behavior(file: Path) -> bool:
    """Return whether a file has a function with other statements than a docstring."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(
        not all(isinstance(line, ast.Expr | ast.Pass | ast.Raise) for line in node.body)
        for node in ast.walk(tree)
        if isinstance(node, functions)
    )


def sources() -> list[Path]:
    """Return the files of the library that hold behavior, without templates and `__init__`."""
    return [
        file
        for file in sorted(SOURCE.rglob("*.py"))
        if not file.name.startswith("__") and "templates" not in file.parts and holds_behavior(file)
    ]


def has_test(file: Path) -> bool:
    """Return whether a source file has a test file of its name."""
    top = file.relative_to(SOURCE).parts[0]
    if top == "kernels":
        names = (file.stem, file.parent.name)
        return any(any(TESTS.rglob(f"test_{name}.py")) for name in names)
    return any((TESTS / top).rglob(f"test_{file.stem}.py"))


def main() -> None:
    """Print the list and two counts."""
    files = sources()
    untested = [file for file in files if not has_test(file)]
    for file in untested:
        print(file.relative_to(SOURCE))
    print(f"{len(files) - len(untested)} of {len(files)} have a test file of their name")


if __name__ == "__main__":
    main()
