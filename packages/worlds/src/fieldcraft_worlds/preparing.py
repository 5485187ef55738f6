"""Kernels compiled before anybody waits for them, with a line on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from fieldcraft.progress import Progress
from fieldcraft.readiness import is_ready, prepare

__all__ = ["on_terminal"]


def on_terminal(names: Sequence[str], stream: TextIO | None) -> None:
    """Compile the kernels that are named, with a line on `stream` if it is a terminal. Nothing
    happens where all lie in the store.
    """
    if is_ready(names):
        return
    with Progress(stream, "Preparing") as bar:

        def tell(done: int, total: int) -> None:
            bar.label = f"Preparing: {done} of {total}"
            bar.show(done / max(total, 1))

        prepare(names, tell)
