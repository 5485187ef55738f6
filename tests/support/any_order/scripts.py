"""Scripts for two worlds: B runs the lines of a script, A runs them too, and more.

A script is a list of lines of Python. Four kinds of lines are not:

- `A: pickle`, `A: deepcopy`: all objects of A are replaced by their copies.
- `A: copy`, `A: save`: A's influence map is replaced by a copy, or by one that was loaded.
- `A: pieces 3`: A's next `imap.advance` runs within budgets of 3 units of work.
- `A: threads 2`: A's next line runs with 2 threads.
- `A: state belief`: an object of A is replaced by a new one with its state.
- `A: undo`: the layers of A take two steps, and continue from the state before them.
- `A: peek CODE`: an expression that changes nothing is evaluated in A.
- `new NAME: CODE`: at comparisons the object equals the value of this expression, unless it says
  that it is outdated.
- `live NAME: CODE`: the object is made by this expression, and is made again from a copied map; at
  comparisons it equals a new one.
- `compare`: all objects of A and B are read, and have equal bits.

`first_difference` runs a script, `shrunk` shortens one that fails, and `replay` runs one from its
text.
"""

from __future__ import annotations

import ast
import copy
import math
import pickle
import re
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

import fieldcraft as fc
from fieldcraft.base.errors import FieldcraftError
from fieldcraft.kernels.compiling import pool
from fieldcraft.layers.schedule import Advance
from fieldcraft.space import Space
from fieldcraft.values.operand import Operand
from support import worlds

Reading = Callable[[Any], dict[str, Any]]
READINGS: list[tuple[type, Reading]] = []
"""What is compared of the objects of each class."""

_ADVANCE = re.compile(r"imap\.advance\((?P<dt>[^,]+), max_steps=(?P<most>\d+)\)")
_MOST_PIECES = 100_000


def reading(kind: type) -> Callable[[Reading], Reading]:
    """Decorate a function that returns what is compared of the objects of a class, by name."""

    def register(read: Reading) -> Reading:
        READINGS.append((kind, read))
        return read

    return register


class World:
    """The objects of one world, by the names that a script gives them."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"np": np, "fc": fc, "worlds": worlds}
        self.new: dict[str, str] = {}
        self.live: dict[str, str] = {}
        self.made: dict[str, str] = {}
        """How each object was made."""
        self.pieces = 0

    def run(self, line: str) -> Any:
        """Run a line that both worlds run; return its value, or the error that it raises."""
        if line.startswith(("new ", "live ")):
            self._declare(line)
            return None
        advance = _ADVANCE.fullmatch(line)
        if self.pieces and advance is not None:
            self._advance_in_pieces(advance["dt"], int(advance["most"]))
            return None
        if line.startswith("space.") and self._has_loaded_its_map():
            self._run(line.replace("space.", "imap.space.", 1))
        return self._run(line)

    def _run(self, line: str) -> Any:
        parsed = ast.parse(line)
        last = parsed.body[-1]
        try:
            if isinstance(last, ast.Expr) and len(parsed.body) == 1:
                found = eval(line, self.names)
                # How many units of work steps took is not compared.
                return None if isinstance(found, Advance) else found
            exec(line, self.names)
        except fc.FieldcraftError as error:
            return error
        if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
            self.made[last.targets[0].id] = line
        return None

    def _has_loaded_its_map(self) -> bool:
        """Return whether the map is on another space than the followers."""
        imap = self.names.get("imap")
        return imap is not None and imap.space is not self.names.get("space")

    def _declare(self, line: str) -> None:
        kind, rest = line.split(" ", 1)
        name, code = rest.split(": ", 1)
        if kind == "new":
            self.new[name] = code
            return
        self.live[name] = code
        self._run(f"{name} = {code}")

    def _advance_in_pieces(self, dt: str, most: int) -> None:
        imap, pieces = self.names["imap"], self.pieces
        self.pieces = 0
        imap.advance(float(dt), max_steps=most, budget_work=pieces)
        for _ in range(_MOST_PIECES):
            if not any(layer.lag for layer in imap.layers.values()):
                return
            imap.advance(0.0, max_steps=most, budget_work=pieces)
        raise Difference(f"imap.advance({dt}) in pieces of {pieces} units does not end")

    def treat(self, treatment: str) -> None:
        """Run a line that only A runs, without its "A: "."""
        kind, _, rest = treatment.partition(" ")
        match kind:
            case "pickle":
                self._replace(lambda objects: pickle.loads(pickle.dumps(objects)))
            case "deepcopy":
                self._replace(copy.deepcopy)
            case "copy":
                self._use_map(self.names["imap"].copy())
            case "save":
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "a.fieldcraft"
                    self.names["imap"].save(path)
                    self._use_map(fc.InfluenceMap.load(path))
            case "pieces":
                self.pieces = int(rest)
            case "threads":
                pool.set_threads(int(rest))
            case "state":
                self._renew(rest)
            case "undo":
                self._undo()
            case "peek":
                self._run(rest)
            case _:
                raise ValueError(f"no treatment is called {treatment!r}")

    def _replace(self, copied: Callable[[Any], Any]) -> None:
        others = ("np", "fc", "worlds", "__builtins__")
        objects = {name: each for name, each in self.names.items() if name not in others}
        self.names.update(copied(objects))

    def _use_map(self, imap: fc.InfluenceMap) -> None:
        self.names["imap"] = imap
        for name in list(self.names):
            if name in imap:
                self.names[name] = imap[name]
        for name, code in self.live.items():
            self._run(f"{name} = {code}")

    def _undo(self) -> None:
        """Take steps of all layers, and undo them."""
        imap = self.names["imap"]
        before = imap.state()
        for layer in imap.layers.values():
            with suppress(FieldcraftError):
                layer.step(2)
        imap.restore(before)

    def _renew(self, name: str) -> None:
        """Replace an object by a new one with its state."""
        if name not in self.names:
            return
        memory = self.names[name].state()
        if name in self.made:
            self._run(self.made[name])
        self.names[name].restore(memory)

    def objects(self) -> dict[str, Any]:
        """The objects that are compared, by name."""
        return {name: each for name, each in self.names.items() if name != "_" and _readings(each)}


class Difference(AssertionError):
    """Two worlds that are not equal, or an object that differs from a new one."""


def _readings(each: Any) -> list[Reading]:
    return [read for kind, read in READINGS if isinstance(each, kind)]


def _read(read: Reading, each: Any) -> Any:
    """Return what is compared of an object, or the error that it raises."""
    try:
        return read(each)
    except fc.FieldcraftError as error:
        return error


def differs(one: Any, other: Any) -> str:
    """Return how two results differ; "" if they are equal to the bit or cannot be compared."""
    if isinstance(one, BaseException) or isinstance(other, BaseException):
        if type(one) is type(other) and str(one) == str(other):
            return ""
        return f"{_brief(one)} and {_brief(other)}"
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return _arrays_differ(one, other)
    if isinstance(one, Operand) and isinstance(other, Operand):
        return differs(one.values, other.values)
    if type(one) is not type(other):
        return f"{_brief(one)} and {_brief(other)}"
    if isinstance(one, float):
        same = one == other or (math.isnan(one) and math.isnan(other))
        return "" if same else f"{one!r} and {other!r}"
    if isinstance(one, (tuple, list)):
        if len(one) != len(other):
            return f"{len(one)} and {len(other)} items"
        return next(filter(None, map(differs, one, other)), "")
    if isinstance(one, dict):
        if one.keys() != other.keys():
            return f"keys {list(one)} and {list(other)}"
        return next(filter(None, (differs(one[key], other[key]) for key in one)), "")
    if is_dataclass(one):
        names = [each.name for each in fields(one)]
        return next(
            filter(None, (differs(getattr(one, name), getattr(other, name)) for name in names)), ""
        )
    if one is None or isinstance(one, (int, str, bytes, np.generic)):
        return "" if one == other else f"{one!r} and {other!r}"
    return ""


def _arrays_differ(one: np.ndarray, other: np.ndarray) -> str:
    if one.shape != other.shape or one.dtype != other.dtype:
        return f"{one.dtype} {one.shape} and {other.dtype} {other.shape}"
    if one.tobytes() == other.tobytes():
        return ""
    places = np.argwhere(one != other)
    if one.dtype.kind == "f":
        places = np.argwhere((one != other) & ~(np.isnan(one) & np.isnan(other)))
    if not len(places):
        return "0 and -0"
    place = tuple(places[0].tolist())
    return f"{one[place]!r} and {other[place]!r} at {place}, {len(places)} of {one.size} differ"


def _brief(result: Any) -> str:
    if isinstance(result, BaseException):
        return f"{type(result).__name__}: {result}"
    return repr(result)[:100]


def first_difference(script: Sequence[str]) -> str:
    """Run a script; return the line and the difference where it fails, "" if it does not."""
    a, b = World(), World()
    threads = pool.threads()
    try:
        for number, line in enumerate(script):
            where = f"line {number}, {line[:100]}: "
            try:
                _run_line(a, b, line)
            except Difference as difference:
                return where + str(difference)
            except NameError:
                if not _is_shortened(a, b, line):
                    raise
            except Exception as error:
                return where + f"{type(error).__name__}: {error}"
    finally:
        pool.set_threads(threads)
    return ""


def _run_line(a: World, b: World, line: str) -> None:
    if line.startswith("A: "):
        a.treat(line.removeprefix("A: "))
        return
    if line == "compare":
        _compare(a, b)
        return
    threads = pool.threads()
    pool.set_threads(1)
    plain = _run_in(b, "B", line)
    if isinstance(plain, BaseException):
        a.pieces = 0  # an error ends the steps of all layers, in pieces at another moment
    pool.set_threads(threads)
    other = _run_in(a, "A", line)
    pool.set_threads(1)
    if found := differs(other, plain):
        raise Difference(f"A and B return {found}")


def _run_in(world: World, name: str, line: str) -> Any:
    try:
        return world.run(line)
    except (Difference, NameError):
        raise
    except Exception as error:
        raise Difference(f"{name} raises {type(error).__name__}: {error}") from error


def _is_shortened(a: World, b: World, line: str) -> bool:
    """Return whether a line names an object that neither world has."""
    names = {each.id for each in ast.walk(ast.parse(_code_of(line))) if isinstance(each, ast.Name)}
    return bool(names - a.names.keys()) and bool(names - b.names.keys())


def _code_of(line: str) -> str:
    for prefix in ("A: peek ",):
        if line.startswith(prefix):
            return line.removeprefix(prefix)
    if line.startswith(("new ", "live ")):
        return line.split(": ", 1)[1]
    return line


def _compare(a: World, b: World) -> None:
    ours, theirs = a.objects(), b.objects()
    for name in theirs:
        if name not in ours:
            raise Difference(f"A has no {name}")
        for read in _readings(theirs[name]):
            if found := differs(_read(read, ours[name]), _read(read, theirs[name])):
                raise Difference(f"{name} ({read.__name__}) of A and B are {found}")
    for world, which in ((a, "A"), (b, "B")):
        _compare_with_new(world, which)


def _compare_with_new(world: World, which: str) -> None:
    """Compare the objects that follow others with new ones."""
    for name, code in (world.new | world.live).items():
        held = world.names.get(name)
        if held is None or _is_outdated(held):
            continue
        fresh = world._run(code)
        if isinstance(fresh, BaseException):
            continue
        for read in _readings(held):
            if read.__name__.startswith("history"):
                continue
            if found := differs(_read(read, held), _read(read, fresh)):
                raise Difference(f"{name} of {which} and a new one ({read.__name__}) are {found}")


def _is_outdated(each: Any) -> bool:
    """Return whether an object says that it does not show the present."""
    followed = getattr(each, "distance_map", each)
    return bool(getattr(followed, "outdated", False))


def kind_of(difference: str) -> str:
    """Return the part of a difference that says what fails, without numbers."""
    message = difference.split(": ", 1)[-1]
    return re.sub(r"[-\d.e+]+", "#", message)[:40]


def shrunk(script: Sequence[str], *, tries: int = 600) -> list[str]:
    """Return a shorter script that fails in the same way."""
    lines = list(script)
    found = first_difference(lines)
    kind = kind_of(found)
    size = max(len(lines) // 2, 1)
    while size:
        start = 0
        while start < len(lines) and tries > 0:
            shorter = lines[:start] + lines[start + size :]
            tries -= 1
            if _fails_alike(shorter, kind):
                lines = shorter
            else:
                start += size
        size //= 2
    return lines


def _fails_alike(script: Sequence[str], kind: str) -> bool:
    try:
        found = first_difference(script)
    except Exception:
        return False
    return bool(found) and kind_of(found) == kind


def replay(text: str) -> str:
    """Run a script from its text, one line each; return how it fails, "" if it does not."""
    return first_difference([line.strip() for line in text.splitlines() if line.strip()])


def report(script: Sequence[str]) -> str:
    """Return a message about a script that fails: the difference, and a short script."""
    short = shrunk(script)
    ground = [line for line in short if line.startswith("space = ")]
    about = ""
    if ground:
        world = World()
        world.run(ground[0])
        space: Space = world.names["space"]
        about = f"# {space!r}, walls {np.flatnonzero(space.walls).tolist()}\n"
    body = "\n".join(short)
    return (
        f"{first_difference(short)}\n\n{about}from support.any_order import replay\n"
        f'print(replay("""\n{body}\n"""))\n'
    )
