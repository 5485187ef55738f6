"""Every public function checks every argument: it raises one of fieldcraft's errors, or returns a
sound value; never another exception.

The functions and their parameters are read from the signatures, so that new ones are tested at
once.
"""

from __future__ import annotations

import inspect
import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
import fieldcraft_lab as lab
from fieldcraft.base.errors import FieldcraftError
from fieldcraft.commands import command_line as cli
from fieldcraft.commands.names import public_names
from support.hostile import HOSTILE
from support.public_calls import (
    CONTEXTS,
    GOOD_VALUES,
    INTERNAL,
    NOT_FINITE,
    OBJECTS,
    PUBLIC_MODULES,
    RETURNED,
    SKIPPED,
    World,
)

VALUES = int(
    os.environ.get("FIELDCRAFT_HOSTILE_VALUES", "3")
)  # hostile values for each parameter; all of them with FIELDCRAFT_HOSTILE_VALUES=99
LONGEST = 5.0  # seconds for one call, however loaded the machine: more is a hang

Get = Callable[[World], Callable[..., Any]]


def _targets() -> Iterator[tuple[str, Get]]:
    """Every public function and method once, under the first name that it is found by, and how to
    get at it.
    """
    seen: set[Any] = set()
    for label, get, thing in _found():
        function = inspect.unwrap(getattr(thing, "__func__", thing))
        if (
            function not in seen
            and not {label, label.split(".")[-1]} & INTERNAL
            and label not in SKIPPED
        ):
            seen.add(function)
            yield label, get


def _found() -> Iterator[tuple[str, Get, Any]]:
    for module in PUBLIC_MODULES:
        for name in public_names(module):
            thing = getattr(module, name)
            if not callable(thing) or (inspect.isclass(thing) and issubclass(thing, BaseException)):
                continue
            if name not in RETURNED:
                yield (
                    f"{module.__name__.replace('fieldcraft_', 'fc.').replace('fieldcraft', 'fc')}.{name}",
                    lambda w, thing=thing: thing,
                    thing,
                )
            if not inspect.isclass(thing):
                continue
            for method, member in inspect.getmembers(thing, callable):
                if method.startswith("_"):
                    continue
                if any(
                    isinstance(vars(base).get(method), (classmethod, staticmethod))
                    for base in thing.__mro__
                ):
                    yield (
                        f"{name}.{method}",
                        lambda w, thing=thing, method=method: getattr(thing, method),
                        member,
                    )
                elif name in OBJECTS:
                    yield (
                        f"{name}.{method}",
                        lambda w, name=name, method=method: getattr(OBJECTS[name](w), method),
                        member,
                    )


class Hang(BaseException):
    """A call took longer than any call may."""


@contextmanager
def no_longer_than(seconds: float) -> Iterator[None]:
    """The block raises `Hang` when it takes more time of the processor than that."""

    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        found = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        return []
    return [p for p in found if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]


def _good(label: str, parameter: str, world: World) -> Any:
    make = GOOD_VALUES.get(
        f"{label}.{parameter}",
        GOOD_VALUES.get(f"{label.removeprefix('fc.')}.{parameter}", GOOD_VALUES.get(parameter)),
    )
    if make is None:
        raise LookupError(f"{label}({parameter}=): say in GOOD_VALUES what a good value is")
    return make(world)


def fault(label: str, get: Get, parameter: str, value: str, world: World) -> str | None:
    """What goes wrong when a parameter gets a hostile value: another exception than fieldcraft's
    own, a hang, NaN or infinity.

    "" for nothing, None for a refusal.
    """
    function = get(world)
    given = {
        p.name: _good(label, p.name, world)
        for p in _parameters(function)
        if p.default is p.empty and p.name != parameter
    }
    try:
        with no_longer_than(LONGEST):
            returned = function(**given, **{parameter: HOSTILE[value]()})
            if inspect.isgenerator(returned):
                next(returned, None)
            elif isinstance(returned, AbstractContextManager) and label in CONTEXTS:
                with returned:
                    pass
        if label not in NOT_FINITE and not _is_finite(returned):
            return f"{label}({parameter}={value}): an returned that is not finite"
    except FieldcraftError:
        return None
    except Hang:
        return f"{label}({parameter}={value}): hangs"
    except Exception as error:
        return f"{label}({parameter}={value}): {type(error).__name__}: {str(error)[:90]}"
    return ""


def _is_finite(returned: Any) -> bool:
    """Whether there is no NaN and no infinity in numbers, in arrays of them, and in the values of
    maps.
    """
    if isinstance(returned, tuple):
        return all(_is_finite(part) for part in returned)
    numbers = (
        returned
        if isinstance(returned, (float, np.floating, np.ndarray))
        else getattr(returned, "values", None)
    )
    return (
        not isinstance(numbers, (float, np.floating, np.ndarray))
        or np.asarray(numbers).dtype.kind != "f"
        or bool(np.isfinite(numbers).all())
    )


def _sample(label: str, parameter: str) -> list[str]:
    """Some of the hostile values, always the same for the same parameter."""
    return random.Random(f"{label}({parameter})").sample(list(HOSTILE), min(VALUES, len(HOSTILE)))


TARGETS = dict(_targets())


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    """A list of one world, replaced after each call that was not refused."""
    folder = tmp_path_factory.mktemp("calls")
    return [World(folder)]


@pytest.mark.parametrize("label", TARGETS)
@pytest.mark.filterwarnings("ignore")
def test_every_argument_is_checked(label, worlds, monkeypatch):
    monkeypatch.chdir(worlds[0].folder)
    get, found = TARGETS[label], []
    for parameter in _parameters(get(worlds[0])):
        if parameter.name == "device":
            continue  # a graphics card takes seconds to find
        for value in _sample(label, parameter.name):
            outcome = fault(label, get, parameter.name, value, worlds[0])
            found += [outcome] if outcome else []
            if outcome is not None:
                worlds[0] = World(worlds[0].folder)
    assert not found


RECIPE = """
[map]
generate = "open"
width = 8
height = 5
[layers.threat]
decay = 0.2
[[sources]]
layer = "threat"
position = [4.5, 2.5]
[run]
seconds = 0.2
[[outputs]]
file = "totals.csv"
"""
TEXTS = (
    "",
    "x",
    "-1",
    "nan",
    "inf",
    "1e308",
    "99999999999999999999",
    "0",
    "\0",
    "a=b",
    "é" * 300,
    "/dev/null",
    "1,2,3",
    "[]",
    "-",
)
GIVEN = {
    "run": ["r.toml"],
    "info": ["r.toml"],
    "compare": [
        "r.toml",
        "--param",
        "layers.threat.decay",
        "--values",
        "0.1",
        "--out",
        "sheet.csv",
    ],
    "replay": ["s.lab"],
    "diff": ["s.lab", "s.lab"],
}


@pytest.mark.parametrize("command", GIVEN)
@pytest.mark.filterwarnings("ignore")
def test_options_of_the_command_are_checked(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("r.toml").write_text(RECIPE)
    session = lab.Session(fc.InfluenceMap(fc.Grid(5, 4)))
    session.step(2)
    session.save("s.lab")
    _, commands = cli._parser()
    options = [action for action in commands.choices[command]._actions if action.nargs != 0]
    for action in options:
        for text in random.Random(f"{command} {action.dest}").sample(
            TEXTS, min(VALUES, len(TEXTS))
        ):
            given = (
                [*GIVEN[command], f"{action.option_strings[-1]}={text}"]
                if action.option_strings
                else [text]
            )
            try:
                code = cli.main([command, *given])
            except SystemExit as refused:
                code = refused.code
            assert code in (0, 1, 2), (given, code)
    capsys.readouterr()
