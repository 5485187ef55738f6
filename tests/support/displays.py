"""A display for tests of real windows: the one there is, or a virtual one."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def display() -> Iterator[str]:
    """The name of a display, for the environment variable DISPLAY; the test is skipped, with the
    reason, where there is none.
    """
    pytest.importorskip("pygame", reason="pygame-ce is not installed")
    if os.environ.get("DISPLAY"):
        yield os.environ["DISPLAY"]
        return
    server = shutil.which("Xvfb")
    if server is None:
        pytest.skip("no display, and Xvfb is not installed")
    reading, writing = os.pipe()
    command = [
        server,
        "-displayfd",
        str(writing),
        "-screen",
        "0",
        "1280x900x24",
        "-nolisten",
        "tcp",
        "-noreset",
    ]
    running = subprocess.Popen(
        command, pass_fds=(writing,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        if not number:
            pytest.skip("Xvfb did not start")
        yield f":{number}"
    finally:
        running.terminate()
        running.wait()
