# The families of kernels for type checkers and editors; see `compiling/kernel_table.py`.
from fieldcraft.kernels.sight import line_cells as line_cells
from fieldcraft.kernels.sight import sees as sees
from fieldcraft.kernels.sight import shot_cells as shot_cells
from fieldcraft.kernels.sight import visible as visible
