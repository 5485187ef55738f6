"""Stores in this process: what a coordinator drives where there is no cluster."""

from __future__ import annotations

from typing import Any, Protocol

from fieldcraft.errors import FieldcraftError
from fieldcraft_cluster.store import Store

__all__ = ["LocalStores", "Stores", "WorkerLost"]


class WorkerLost(FieldcraftError, RuntimeError):
    """A worker died, or did not answer within the time limit; `worker` says which."""

    def __init__(self, worker: str, got: str) -> None:
        self.worker = worker
        super().__init__(
            "Workers answer within the time limit",
            got=f"{got} of worker {worker}",
            remedy="Look at its log; raise timeout=",
        )


class Stores(Protocol):
    """All stores of a world, wherever they are."""

    count: int
    can_be_lost: bool

    def open(self, folder: str, label: str, memory: float) -> None:
        """Have empty stores, in place of all that were there; raises `WorkerLost` where no worker
        is left.
        """
        ...

    def each(self, verb: str, arguments: list[tuple[Any, ...] | None]) -> list[Any]:
        """Call a verb of every store that has arguments, side by side, and answer what came, None
        for the others.

        Raises
        ------
        WorkerLost
            What the others have done is then not to be trusted.
        """
        ...

    def close(self) -> None:
        """Let go of them."""
        ...


class LocalStores:
    """Stores in this process, one after the other; one is as fast as several, which are for
    tests.
    """

    can_be_lost = False

    def __init__(self, count: int = 1) -> None:
        self.count = count
        self.stores: list[Store] = []

    def open(self, folder: str, label: str, memory: float) -> None:
        """Have empty stores."""
        share = memory / self.count
        self.stores = [
            Store(place, self.count, folder, label, share) for place in range(self.count)
        ]

    def each(self, verb: str, arguments: list[tuple[Any, ...] | None]) -> list[Any]:
        """Call a verb of every store that has arguments."""
        return [
            None if given is None else getattr(store, verb)(*given)
            for store, given in zip(self.stores, arguments, strict=True)
        ]

    def close(self) -> None:
        """Let go of them."""
        self.stores = []
