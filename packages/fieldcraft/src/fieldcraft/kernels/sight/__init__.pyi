# The families of kernels for type checkers and editors; see `compiling/table.py`.
from fieldcraft.kernels.sight import sees as sees
from fieldcraft.kernels.sight import shots as shots
from fieldcraft.kernels.sight import visible as visible
