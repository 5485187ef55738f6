from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from fieldcraft_worlds import scene
from fieldcraft_worlds.view import tones


def test_scenes_are_frozen_and_need_only_a_space() -> None:
    seen = scene.Scene(space=None)
    assert (seen.field, seen.marks, seen.facts) == (None, (), ())
    with pytest.raises(FrozenInstanceError):
        seen.title = "x"  # type: ignore[misc]


def test_every_role_has_a_colour_of_its_own() -> None:
    colors = {tones.rgb_of_tone(role) for role in scene.ROLES}
    assert len(colors) == len(scene.ROLES)


def test_scenes_load_no_pictures() -> None:
    code = (
        "import sys, fieldcraft_worlds.scene; print([m for m in ('PIL', 'pygame', 'numba', 'scipy')"
        " if m in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )


def test_all_parts_are_public() -> None:
    assert set(scene.__all__) >= {
        "Areas",
        "Arrows",
        "Cones",
        "Fact",
        "Field",
        "Label",
        "Lines",
        "Marks",
        "Scene",
    }
    assert scene.Marks(np.zeros((0, 2))).shape == "disc"
