"""The account that a world in blocks gives of a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Report"]


@dataclass(frozen=True)
class Report:
    """The outcome of a call that took steps.

    `steps` by layer. A *superstep* is up to `halo_steps` steps, after which blocks hear of each
    other; `blocks_run` and `blocks_asleep` count blocks over all supersteps, those that don't
    exist in neither. `bytes_between_blocks` are all halos that had changed,
    `bytes_between_workers` those of them that went from one process to another. `workers_lost` are
    the addresses of workers that died or did not answer, whose part was done again.
    """

    steps: Mapping[str, int]
    supersteps: int = 0
    blocks_run: int = 0
    blocks_asleep: int = 0
    bytes_between_blocks: int = 0
    bytes_between_workers: int = 0
    workers_lost: tuple[str, ...] = ()
    checkpoints: int = 0

    def __str__(self) -> str:
        made = ", ".join(f"{name} {count}" for name, count in self.steps.items()) or "none"
        lost = f"; lost {', '.join(self.workers_lost)}" if self.workers_lost else ""
        return (
            f"steps: {made}; {self.supersteps} supersteps, {self.blocks_run:,} blocks run and"
            f" {self.blocks_asleep:,} asleep; {self.bytes_between_blocks / 1e6:,.1f} MB between"
            f" blocks, {self.bytes_between_workers / 1e6:,.1f} MB between workers{lost}"
        )
