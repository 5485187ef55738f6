"""The steps of a grid as lists (CSR)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.csr import starts_of
from fieldcraft.space.grid.grid_layout import GridLayout
from fieldcraft.space.grid.neighborhood import Links, Neighborhood, beside, link_masks
from fieldcraft.space.wrapping import flags_of


def adjacency_of_links(
    links: Links, neighborhood: Neighborhood, layout: GridLayout, closed: NDArray[np.bool_] | None
) -> Adjacency:
    """Return the steps of a grid with these links; none of them leaves a cell that is `closed`."""
    masks = link_masks(neighborhood.steps)
    lengths = neighborhood.lengths(layout.cell_size)
    steps = list(zip(neighborhood.steps, masks, lengths.tolist(), strict=True))
    if not layout.wrap:
        steps.sort(key=lambda step: step[0][1] * layout.width + step[0][0])
    bits = max(len(steps) - 1, 1).bit_length()
    # The cells that each step may leave: by cell, and on grids without wrap then by end.
    leave = np.zeros((layout.height, layout.width, 1 << bits), dtype=np.bool_)
    for k, ((dx, dy), mask, _) in enumerate(steps):
        leave[:, :, k] = beside((links & mask) != 0, dx, dy, False, flags_of(layout.wrap))
    if closed is not None:
        leave[closed] = False
    flat = np.flatnonzero(leave)
    which = flat & ((1 << bits) - 1)
    start = flat >> bits
    sizes = np.array([length for _, _, length in steps])[which]
    count = layout.height * layout.width
    if layout.wrap:
        rows, columns = np.divmod(start, layout.width)
        across, down = np.array([step for step, _, _ in steps]).T
        ends = (rows + down[which]) % layout.height * layout.width + (
            columns + across[which]
        ) % layout.width
        order = np.lexsort((ends, start))
        start = start[order]
        ends = ends[order]
        sizes = sizes[order]
        return Adjacency(starts_of(start, count), ends.astype(np.int32), sizes)
    ends = start + np.array([dy * layout.width + dx for (dx, dy), _, _ in steps])[which]
    return Adjacency(starts_of(start, count), ends.astype(np.int32), sizes)
