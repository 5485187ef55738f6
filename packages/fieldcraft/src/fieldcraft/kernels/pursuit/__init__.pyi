# The families of kernels for type checkers and editors; see `compiling/table.py`.
from fieldcraft.kernels.pursuit import belief as belief
from fieldcraft.kernels.pursuit import flood as flood
from fieldcraft.kernels.pursuit import path_segments as path_segments
from fieldcraft.kernels.pursuit import rollouts as rollouts
