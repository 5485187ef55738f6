"""The cells of a grid that agents can hit from the cells that they can walk to."""

from __future__ import annotations

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = ["hits"]


@kernel
def _is_inside(reached, number, y, x, wrap):
    """Return whether this agent can walk to the four cells beside a cell."""
    height, width = reached.shape
    for side in range(4):
        row, column = y, x
        if side == 0:
            row -= 1
        elif side == 1:
            row += 1
        elif side == 2:
            column -= 1
        else:
            column += 1
        if wrap & WRAP_X != 0:
            column %= width
        if wrap & WRAP_Y != 0:
            row %= height
        if row < 0 or row >= height or column < 0 or column >= width:
            return False
        if reached[row, column] != number:
            return False
    return True


@kernel(
    "b1[:,::1], i8[::1], i8[::1], i8[::1], i8, f8, i8, out f8[:,::1], out f8[:,::1], out i4[:,::1],"
    " out i4[:,::1]"
)
def hits(walls, cells, reaches, widths, wrap, strength, number, total, most, last, reached):
    """Add what one agent can do to each open cell within its range of one of `cells`, which it can
    walk to: to `total`, and to `most` if it is more.

    A cell is within range if it is `dy` rows away and at most `widths[dy]` columns; `reaches` holds
    the number of rows and of columns to each side. `last` and `reached` hold the number of the last
    agent that hits a cell, and that can walk to it; `number` is that of this one, larger than all
    before.

    A cell whose four neighbors are among `cells` is left out: whatever is in range of it, other
    than itself, is nearer to one of these.
    """
    height, width = walls.shape
    rows, columns = reaches[0], reaches[1]
    for k in range(cells.shape[0]):
        r = cells[k] // width
        c = cells[k] - r * width
        reached[r, c] = number
        if not walls[r, c]:
            last[r, c] = number
            total[r, c] += strength
            most[r, c] = max(most[r, c], strength)
    for k in range(cells.shape[0]):
        r = cells[k] // width
        c = cells[k] - r * width
        if _is_inside(reached, number, r, c, wrap):
            continue
        for dy in range(-rows, rows + 1):
            y = r + dy
            if wrap & WRAP_Y != 0:
                y %= height
            if y < 0 or y >= height:
                continue
            across = min(widths[abs(dy)], columns)
            first, end = c - across, c + across + 1
            if wrap & WRAP_X == 0:
                first, end = max(first, 0), min(end, width)
            for column in range(first, end):
                x = column
                if x < 0 or x >= width:
                    x %= width
                if walls[y, x] or last[y, x] == number:
                    continue
                last[y, x] = number
                total[y, x] += strength
                most[y, x] = max(most[y, x], strength)
