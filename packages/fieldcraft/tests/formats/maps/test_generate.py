"""Generated maps: blurring with the bits of SciPy's, and a first step that loads no SciPy."""

from __future__ import annotations

import subprocess
import sys


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
