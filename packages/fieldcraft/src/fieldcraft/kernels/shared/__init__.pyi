# The families of kernels for type checkers and editors; see `compiling/kernel_table.py`.
from fieldcraft.kernels.shared import agent_neighbors as agent_neighbors
from fieldcraft.kernels.shared import links as links
from fieldcraft.kernels.shared import moves as moves
from fieldcraft.kernels.shared import nearest as nearest
from fieldcraft.kernels.shared import places as places
