# The families of kernels for type checkers and editors; see `compiling/kernel_table.py`.
from fieldcraft.kernels.pursuit import belief_steps as belief_steps
from fieldcraft.kernels.pursuit import flood_steps as flood_steps
from fieldcraft.kernels.pursuit import path_segment_steps as path_segment_steps
from fieldcraft.kernels.pursuit import rollout_steps as rollout_steps
