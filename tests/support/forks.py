"""Python programs in processes of their own that begin with fieldcraft loaded: forks of one that
has done so already.

Starting Python and importing what a program needs takes a hundred times as long as most of these
programs. A program about what is loaded, or about how fieldcraft starts, runs in a process that was
started for it instead.
"""

from __future__ import annotations

import atexit
import functools
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

TESTS = str(Path(__file__).resolve().parents[1])

_SERVER = """
import os, pickle, sys, traceback
import numpy, fieldcraft, fieldcraft_cluster, fieldcraft.view
from fieldcraft import kernels
if kernels.compiled():
    import numba

asked, told = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
program = None
while program is None:
    try:
        job = pickle.load(asked)
    except EOFError:
        break
    child = os.fork()
    if child:
        status = os.waitpid(child, 0)[1]
        pickle.dump(os.waitstatus_to_exitcode(status), told)
        told.flush()
        continue
    program, environment, out, err = job
    for number, path in ((0, os.devnull), (1, out), (2, err)):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
    os.environ.update(environment)
if program is not None:
    del asked, told, job
    exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
"""


class _Server:
    """A process from which others are forked; `environment` is what it is started with beside that
    of this process.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        paths = os.pathsep.join(
            filter(None, [TESTS, str(Path(TESTS).parent), os.environ.get("PYTHONPATH")])
        )
        self._process: Any = subprocess.Popen(
            [sys.executable, "-c", _SERVER],
            env={**os.environ, "PYTHONPATH": paths, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        atexit.register(self.stop)

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def run(self, program: str, environment: dict[str, str]) -> tuple[int, str, str]:
        with tempfile.TemporaryDirectory() as folder:
            out, err = Path(folder) / "out", Path(folder) / "err"
            try:
                pickle.dump((program, environment, str(out), str(err)), self._process.stdin)
                self._process.stdin.flush()
                code = pickle.load(self._process.stdout)
            except (
                BaseException
            ):  # a time limit, say: what was asked must not be answered to the next
                self.stop()
                raise
            return code, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")

    def stop(self) -> None:
        if self.is_alive:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()


@functools.cache
def _servers() -> dict[tuple[tuple[str, str], ...], _Server]:
    return {}


def forked(
    program: str, started: dict[str, str] | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What became of a program: as `subprocess.run([sys.executable, "-c", program],
    capture_output=True, text=True)`.

    `started` are variables that have to be there as fieldcraft is imported; `environment` are set
    before the program begins.
    """
    wanted = tuple(sorted((started or {}).items()))
    server = _servers().get(wanted)
    if server is None or not server.is_alive:
        server = _servers()[wanted] = _Server(dict(wanted))
    return subprocess.CompletedProcess(program, *server.run(program, environment))
