"""Every run of the suite takes the same examples, and may take its time over each.

`pytest --hypothesis-profile=explore` looks at others instead, and `thorough` at ten times as many
of each law that is costly (see `support/examples.py`). Kernels use two threads, however many cores
there are, so that the tests go the same ways on every machine.
"""

import os
import signal

import pytest
from hypothesis import settings

from fieldcraft.kernels.compiling import pool

# Workers of clusters are forked from one process that has imported what they need.
os.environ.setdefault("DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD", "forkserver")

# Processes that run tests side by side, and commands that a script starts in the background, ignore
# Ctrl-C. Tests of interruptions send it.
if "PYTEST_XDIST_WORKER" in os.environ or signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "fieldcraft",
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.register_profile("thorough", max_examples=1000, deadline=None, print_blob=True)
settings.load_profile("fieldcraft")


@pytest.fixture(autouse=True)
def _two_threads() -> None:
    pool.set_threads(2)
