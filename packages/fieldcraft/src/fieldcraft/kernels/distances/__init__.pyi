# The families of kernels for type checkers and editors; see `compiling/kernel_table.py`.
from fieldcraft.kernels.distances import cells_in_reach as cells_in_reach
from fieldcraft.kernels.distances import distance as distance
from fieldcraft.kernels.distances import distance_repair as distance_repair
from fieldcraft.kernels.distances import distance_search as distance_search
from fieldcraft.kernels.distances import guides as guides
from fieldcraft.kernels.distances import hits as hits
from fieldcraft.kernels.distances import step_down as step_down
