"""Generated maps: blurring with the bits of SciPy's, and a first step that loads no SciPy."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fieldcraft.maps.generate import _blurred


@given(st.integers(1, 40), st.integers(1, 33), st.integers(0, 9999))
def test_blurring_gives_the_bits_of_scipy(width: int, height: int, seed: int) -> None:
    from scipy import ndimage

    values = np.random.default_rng(seed).standard_normal((height, width))
    assert np.array_equal(
        _blurred(_blurred(values, 0), 1), ndimage.gaussian_filter(values, 1.4, mode="wrap")
    )


def test_the_first_step_of_a_map_does_not_load_ndimage() -> None:
    until = (
        "import fieldcraft as fc\n"
        "imap = fc.InfluenceMap(fc.generate_map('rooms', 60, 40, seed=7))\n"
        "threat = imap.add_layer('threat', fc.Spread(decay=0.15, momentum=0.4))\n"
        "threat.add_source((10.5, 12.5), strength=8.0, on_wall='nearest')"
    )
    named = "('scipy.ndimage', 'scipy.spatial', 'scipy.sparse')"
    code = (
        f"{until}\nimap.step()\nimport sys\nprint([name for name in {named} if name in"
        " sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
