"""Generated maps: connected parts against SciPy's, and a first step that loads no SciPy of its
own.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fieldcraft.maps.generate import _blurred, _parts

README = Path(__file__).resolve().parents[4] / "README.md"


@given(st.integers(1, 30), st.integers(1, 23), st.floats(0, 1), st.integers(0, 9999))
def test_parts_are_those_of_scipy(width: int, height: int, share: float, seed: int) -> None:
    from scipy import ndimage

    is_open = np.random.default_rng(seed).random((height, width)) < share
    assert np.array_equal(_parts(is_open), ndimage.label(is_open)[0])


@given(st.integers(1, 40), st.integers(1, 33), st.integers(0, 9999))
def test_blurring_gives_the_bits_of_scipy(width: int, height: int, seed: int) -> None:
    from scipy import ndimage

    values = np.random.default_rng(seed).standard_normal((height, width))
    assert np.array_equal(
        _blurred(_blurred(values, 0), 1), ndimage.gaussian_filter(values, 1.4, mode="wrap")
    )


def test_the_first_step_of_a_map_does_not_load_ndimage() -> None:
    block = (
        README.read_text(encoding="utf-8")
        .split("## Ten lines")[1]
        .split("```python\n")[1]
        .split("```")[0]
    )
    until = block[: block.index("for frame")]
    assert "generate_map" in until and "add_source" in until
    named = "('scipy.ndimage', 'scipy.spatial', 'scipy.sparse')"
    code = (
        f"{until}\nimap.step()\nimport sys\nprint([name for name in {named} if name in"
        " sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
