"""Break lines of the library at random, and report the breaks that no test notices: `make breaks`.

Each break changes one place in a copy of the repository: a comparison is negated, a statement is
dropped, a whole number is changed by one, a minimum becomes a maximum, or a function returns early.
Then the test files named after the source run, and those of its folder, until the first test fails;
that test has to pass without the break. A break that passes all of them is a survivor: write the
test that fails, or delete code that has no effect.

    python tools/breaks.py                    # 40 breaks in all folders
    python tools/breaks.py --count 10 --seed 7 paths space
    python tools/breaks.py --list --count 5   # only show them

The breaks follow from the seed. The exit code is the number of survivors.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = Path("packages/fieldcraft/src/fieldcraft")
TESTS = Path("packages/fieldcraft/tests")
FOLDERS = {
    "paths": ["paths"],
    "layers/propagation": ["layers/propagation"],
    "layers": ["layers"],
    "space": ["space"],
}
"""The tests of each folder of the library, both below their own folders. A file is broken for the
first folder that contains it.
"""
NATIVE = "kernels/_native_*"
LONGEST = 900  # seconds of the tests of one break
OPPOSITE = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}


@dataclass(frozen=True)
class Break:
    """One change of one place.

    Parameters
    ----------
    path : Path
        The file, below the root of the repository.
    line : int
        Where the place begins.
    about : str
        What is changed.
    begin, end : int
        The place, in bytes.
    text : str
        What replaces it.
    """

    path: Path
    line: int
    about: str
    begin: int
    end: int
    text: str

    def applied(self, source: bytes) -> bytes:
        """Return a file with this change."""
        return source[: self.begin] + self.text.encode() + source[self.end :]


def breaks_of(path: Path, source: bytes) -> Iterator[Break]:
    """Yield all breaks of a file, in the order of its lines."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in _live_nodes(ast.parse(source)):
        begin = starts[node.lineno - 1] + node.col_offset
        assert node.end_lineno is not None and node.end_col_offset is not None
        end = starts[node.end_lineno - 1] + node.end_col_offset
        code = source[begin:end].decode()
        for about, text in _changes(node, code):
            yield Break(path, node.lineno, about, begin, end, text)


def _live_nodes(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield the expressions and statements that run, without annotations and errors."""
    if isinstance(tree, ast.If) and ast.unparse(tree.test).endswith("TYPE_CHECKING"):
        return
    if isinstance(tree, ast.Raise):
        return
    for name, field in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        children = field if isinstance(field, list) else [field]
        for child in children:
            if isinstance(child, (ast.expr, ast.stmt)) and not _is_docstring(child):
                yield child
            if isinstance(child, ast.AST) and not _is_negative(child):
                yield from _live_nodes(child)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_negative(node: ast.AST) -> bool:
    """Return whether a node is a negative whole number."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            return True
    return False


def _changes(node: ast.expr | ast.stmt, code: str) -> Iterator[tuple[str, str]]:
    """Yield what a node may be replaced by: (what is changed, the new code)."""
    match node:
        case ast.Compare():
            yield f"negate {code}", f"(not ({code}))"
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            yield f"{value} becomes {value + 1}", str(value + 1)
        case ast.UnaryOp(operand=ast.Constant(value=int(value))) if _is_negative(node):
            # Not -2 for -1: to a reshape, for example, all negative numbers are the same.
            yield f"-{value} becomes {1 - value}", str(1 - value)
        case ast.Name(id=name) if name in OPPOSITE:
            yield f"{name} becomes {OPPOSITE[name]}", OPPOSITE[name]
        case ast.Attribute(attr=name) if name in OPPOSITE:
            yield f"{name} becomes {OPPOSITE[name]}", code[: -len(name)] + OPPOSITE[name]
        case ast.Expr() | ast.AugAssign():
            yield f"drop {code}", "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield f"drop {code}", "pass"
        case ast.For() | ast.While() | ast.If():
            yield f"return before {code.splitlines()[0]}", "return"


def chosen(folders: list[str], count: int, seed: int) -> list[tuple[str, Break]]:
    """Return random breaks, each with its folder; files are as likely as they are long."""
    found = []
    seen: set[Path] = set()
    for folder in FOLDERS:
        for path in sorted((ROOT / SOURCES / folder).rglob("*.py")):
            if path in seen:
                continue
            seen.add(path)
            if folder in folders:
                relative = path.relative_to(ROOT)
                found += [(folder, each) for each in breaks_of(relative, path.read_bytes())]
    valid = [pair for pair in found if _compiles(pair[1])]
    return random.Random(seed).sample(valid, min(count, len(valid)))


def _compiles(change: Break) -> bool:
    """Return whether a file is still a program; a `return` outside of a function is not."""
    source = (ROOT / change.path).read_bytes()
    try:
        compile(change.applied(source), str(change.path), "exec")
    except SyntaxError:
        return False
    return True


def copied(target: Path) -> None:
    """Copy the files of the repository, and the compiled kernels."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = [name for name in listed.stdout.split("\0") if name]
    natives = [path.relative_to(ROOT) for path in (ROOT / SOURCES).glob(NATIVE)]
    for name in (*names, *natives):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def tested(root: Path, folder: str, change: Break) -> str:
    """Run the tests of a folder on a break, those named after its file first; return how they
    failed, "" if they passed. Exits if they fail without the break, too.
    """
    place = root / change.path
    source = place.read_bytes()
    named = sorted((root / TESTS).rglob(f"test_{place.stem}.py"))
    of_folder = [root / TESTS / name for name in FOLDERS[folder]]
    how = ""
    place.write_bytes(change.applied(source))
    try:
        for paths in (named, of_folder):
            if paths and not how:
                how = failure(root, paths)
    finally:
        place.write_bytes(source)
    if how.startswith(("FAILED", "ERROR")):
        test = test_of(how)
        if again := failure(root, [root / test]):
            sys.exit(f"{test} fails without a break: {again}")
    return how


def test_of(line: str) -> str:
    """Return the name of the test in a line of pytest, such as `FAILED a.py::test[b c] - error`; of
    the file where it says `ERROR a.py`.
    """
    return line.split(" ", 1)[1].split(" - ")[0]


def failure(root: Path, paths: list[Path]) -> str:
    """Run tests; return how they failed, "" if they passed."""
    options = ["-x", "-q", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, *map(str, paths)]
    own = str(root / SOURCES.parent)
    environment = {**os.environ, "PYTHONPATH": own, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        run = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, timeout=LONGEST
        )
    except subprocess.TimeoutExpired:
        return f"no end within {LONGEST} s"
    if run.returncode == 0:
        return ""
    lines = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return lines[0] if lines else f"exit code {run.returncode}"


def main() -> None:
    """Break lines, and print what the tests say about each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", default=list(FOLDERS), metavar="folder")
    parser.add_argument("--count", type=int, default=40, help="number of breaks (40)")
    parser.add_argument("--seed", type=int, default=0, help="of the random choice (0)")
    parser.add_argument("--list", action="store_true", help="show the breaks, and run no test")
    options = parser.parse_args()
    if unknown := set(options.folders) - FOLDERS.keys():
        parser.error(f"folders are {', '.join(FOLDERS)}; got {', '.join(sorted(unknown))}")
    changes = chosen(options.folders, options.count, options.seed)
    survivors = []
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        if not options.list:
            copied(root)
        for folder, change in changes:
            where = f"{change.path.relative_to(SOURCES)}:{change.line}: {change.about}"
            if options.list:
                print(where)
                continue
            begun = time.monotonic()
            how = tested(root, folder, change)
            spent = time.monotonic() - begun
            print(f"{'found   ' if how else 'SURVIVED'} {spent:5.0f} s  {where}  {how}", flush=True)
            if not how:
                survivors.append(where)
    if not options.list:
        print(f"\n{len(survivors)} of {len(changes)} breaks survived", *survivors, sep="\n")
    sys.exit(len(survivors))


if __name__ == "__main__":
    main()
