# The families of kernels for type checkers and editors; see `compiling/kernel_table.py`.
from fieldcraft.kernels.spread import diffuse_steps as diffuse_steps
from fieldcraft.kernels.spread import graph_spread as graph_spread
from fieldcraft.kernels.spread import spread_settled as spread_settled
from fieldcraft.kernels.spread import spread_steps as spread_steps
from fieldcraft.kernels.spread import spread_tiles as spread_tiles
