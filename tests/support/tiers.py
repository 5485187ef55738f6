"""Programs by the kernels that serve in this process, and by the others."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

from fieldcraft import kernels

TESTS = str(Path(__file__).resolve().parents[1])


def told_twice(program: str) -> tuple[list[str], list[str]]:
    """The words that a program prints by the compiled kernels, and those that it prints by the plain references."""
    here = io.StringIO()
    with redirect_stdout(here):
        exec(compile(program, "<program>", "exec", dont_inherit=True), {"__name__": "told"})
    paths = os.pathsep.join(filter(None, [TESTS, os.environ.get("PYTHONPATH")]))
    others = {**os.environ, "FIELDCRAFT_REFERENCE": str(int(kernels.compiled())), "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", program], env=others, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = (here.getvalue().split(), done.stdout.split())
    return told if kernels.compiled() else told[::-1]
