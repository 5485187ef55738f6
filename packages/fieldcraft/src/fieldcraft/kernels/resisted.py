"""Walks that cells resist: how far it is to the cells around one, where entering each costs way."""

from __future__ import annotations

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.heap import sift_down, sift_up

__all__ = ["path"]


@kernel(
    "u1[:,::1], u1[::1], i8[:,::1], i8[::1], i8[:,::1], i8, i8, b1, out i8[:,::1], out i8[:,::1],"
    " i8, out i8[::1], out i8[::1], out i8[::1], out i8[::1], out i8[::1], i8",
    "u8[:,::1], u8[::1], i8[:,::1], i8[::1], i8[:,::1], i8, i8, b1, out i8[:,::1], out i8[:,::1],"
    " i8, out i8[::1], out i8[::1], out i8[::1], out i8[::1], out i8[::1], i8",
)
def path(
    links,
    masks,
    steps,
    lengths,
    extra,
    cell,
    limit,
    wrap,
    best,
    seen,
    mark,
    keys,
    nodes,
    state,
    cells,
    gone,
    most,
):
    """Search outwards by walking distance up to `limit`, nearest first: up to `most` cells a call.

    A step is as long as `lengths` (K,) says and what `extra` (height, width) says of the cell that
    it enters, whole numbers both. `cells` and `gone` receive each cell once with its distance.
    `best` and `seen` are scratch of shape (2 r + 1, 2 r + 1) around the cell; `seen` holds `mark`
    where a cell waits, `mark + 1` where it is final, so marks go up by two. `keys` and `nodes`
    (steps of these cells + 1,) are the heap. `state` = [waiting, found, begun]; all 0 begins a
    search; it is over when none waits.
    """
    height, width = links.shape
    row, column = cell // width, cell % width
    r = seen.shape[0] // 2
    left, above = (width - 1) // 2, (height - 1) // 2
    if state[2] == 0:
        best[r, r] = 0
        seen[r, r] = mark
        keys[0] = 0
        nodes[0] = cell
        state[0] = 1
        state[2] = 1
    waiting, found, taken = state[0], state[1], 0
    while waiting > 0 and taken < most:
        here, distance = nodes[0], keys[0]
        waiting -= 1
        if waiting > 0:
            keys[0], nodes[0] = keys[waiting], nodes[waiting]
            sift_down(keys, nodes, waiting)
        taken += 1
        y, x = here // width, here % width
        dy, dx = y - row, x - column
        if wrap:
            dy, dx = (dy + above) % height - above, (dx + left) % width - left
        if seen[r + dy, r + dx] == mark + 1:
            continue
        seen[r + dy, r + dx] = mark + 1
        cells[found] = here
        gone[found] = distance
        found += 1
        for k in range(steps.shape[0]):
            ny = y + steps[k, 1]
            nx = x + steps[k, 0]
            if wrap:
                ny = ny % height
                nx = nx % width
            elif ny < 0 or ny >= height or nx < 0 or nx >= width:
                continue
            if links[ny, nx] & masks[k] == 0:
                continue
            after = distance + lengths[k] + extra[ny, nx]
            if after > limit:
                continue
            dy, dx = ny - row, nx - column
            if wrap:
                dy, dx = (dy + above) % height - above, (dx + left) % width - left
            known = seen[r + dy, r + dx]
            if known == mark + 1 or (known == mark and after >= best[r + dy, r + dx]):
                continue
            best[r + dy, r + dx] = after
            seen[r + dy, r + dx] = mark
            keys[waiting], nodes[waiting] = after, ny * width + nx
            sift_up(keys, nodes, waiting)
            waiting += 1
    state[0], state[1] = waiting, found
