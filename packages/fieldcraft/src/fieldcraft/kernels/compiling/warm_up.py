"""Threads, and preparation of kernels before the first frame."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import Literal, overload

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.kernels.compiling import pool


def set_threads(count: int) -> int:
    """Set the number of threads that fieldcraft uses, the calling one included; return the number
    before.

    Results don't depend on it; by default all cores.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> before = fc.set_threads(1)
    >>> fc.set_threads(before)
    1
    """
    before = pool.threads()
    pool.set_threads(checks.integer("count", count, minimum=1))
    return before


@overload
def warm_up(
    *, background: Literal[True], progress: Callable[[int, int], None] | None = None
) -> threading.Thread: ...
@overload
def warm_up(
    *, background: bool = False, progress: Callable[[int, int], None] | None = None
) -> threading.Thread | None: ...
def warm_up(
    *, background: bool = False, progress: Callable[[int, int], None] | None = None
) -> threading.Thread | None:
    """Prepare all kernels now, so that no frame stalls later.

    With the native library, which wheels and `make setup` bring, this takes a tenth of a second.
    Without it, Numba compiles every kernel, once for all programs of this user: some minutes.

    Parameters
    ----------
    background : bool, optional
        Return at once with the thread that does it, which a loading screen can join.
    progress : callable, optional
        Called with the number of families of kernels that are ready and that of all of them.

    Returns
    -------
    threading.Thread or None
        The thread, with `background=True`.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> loading = fc.warm_up(background=True)
    >>> loading.join()
    """
    if progress is not None:
        checks.function("progress", progress)
    if checks.flag("background", background):
        thread = threading.Thread(
            target=_prepare, args=(progress,), name="fieldcraft warm-up", daemon=True
        )
        thread.start()
        return thread
    _prepare(progress)
    return None


def _prepare(progress: Callable[[int, int], None] | None) -> None:
    """Load all kernels, and compile those that Numba serves; see `warm_up`."""
    for done, family in enumerate(kernels.FAMILIES, start=1):
        module = importlib.import_module(f"fieldcraft.kernels.{family}")
        for kernel in list(vars(module).values()):
            if hasattr(kernel, "prepare"):  # Numba compiles it
                kernel.prepare()
        if progress is not None:
            progress(done, len(kernels.FAMILIES))
