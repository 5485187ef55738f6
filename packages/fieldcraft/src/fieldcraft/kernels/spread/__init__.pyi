# The families of kernels for type checkers and editors; see `compiling/table.py`.
from fieldcraft.kernels.spread import diffuse as diffuse
from fieldcraft.kernels.spread import graph_spread as graph_spread
from fieldcraft.kernels.spread import spread as spread
from fieldcraft.kernels.spread import spread_settled as spread_settled
from fieldcraft.kernels.spread import spread_tiles as spread_tiles
