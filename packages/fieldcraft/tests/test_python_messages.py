"""Public names in messages of Python."""

from __future__ import annotations

import inspect
import operator

import pytest

import fieldcraft as fc
from fieldcraft.commands import names
from fieldcraft.commands.names import public_names


def test_messages_of_python_name_public_classes() -> None:
    public = {"Mapping"}  # of which `Questions` is one
    public.add("_Led")  # the base of motions: beliefs call its methods, not users
    modules = [fc, *(operator.attrgetter(name)(fc) for name in names.SUBMODULES)]
    for module in modules:
        public |= set(public_names(module))
    shown = {
        getattr(thing, method).__qualname__.split(".")[0]
        for module in modules
        for thing in (getattr(module, name) for name in public_names(module))
        if inspect.isclass(thing)
        for method, _ in inspect.getmembers(thing, inspect.isfunction)
        if not method.startswith("_")
    }
    assert shown - public == set()
    with pytest.raises(TypeError, match=r"^InfluenceMap\.advance\(\) missing"):
        fc.InfluenceMap(fc.Grid(3, 2)).advance()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^HexGrid\.wrapped\(\) missing"):
        fc.HexGrid(3, 2).wrapped()  # type: ignore[call-arg]
