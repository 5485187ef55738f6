# The families of kernels for type checkers and editors; see `compiling/table.py`.
from fieldcraft.kernels.shared import links as links
from fieldcraft.kernels.shared import moves as moves
from fieldcraft.kernels.shared import nearest as nearest
from fieldcraft.kernels.shared import neighbors as neighbors
from fieldcraft.kernels.shared import places as places
