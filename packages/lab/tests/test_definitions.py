"""An editor follows a stroke of the lab to the method of the library that it calls."""

from __future__ import annotations

from pathlib import Path

import pytest

import fieldcraft_lab
from support.definitions import definitions

LAB = Path(fieldcraft_lab.__file__).parent
STROKE = [
    # the name, in which file and after which text it is, and the file and name of its definition
    ("controller.py", "side.apply(message", "apply", "session.py", "apply"),
    ("session.py", "self.live.apply(order)\n\n\nclass", "apply", "live.py", "apply"),
    ("live_recipe.py", "apply(order, self.imap, release", "apply", "apply.py", "apply"),
    ("apply.py", "            _paint(order", "_paint", "apply.py", "_paint"),
    ("apply.py", "imap.space.set_walls(", "set_walls", "space.py", "set_walls"),
    ("apply.py", "layer.add_source(position", "add_source", "source_layer.py", "add_source"),
]


@pytest.mark.parametrize(("file", "text", "name", "target", "found"), STROKE)
def test_go_to_definition_leads_on(
    file: str, text: str, name: str, target: str, found: str
) -> None:
    places = {(path.name, each) for path, each in definitions(LAB, file, text, name)}
    assert (target, found) in places, places
