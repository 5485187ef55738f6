# The families of kernels for type checkers and editors; see `compiling/kernel_table.py`.
from fieldcraft.kernels.trail import fade_steps as fade_steps
from fieldcraft.kernels.trail import graph_trail as graph_trail
from fieldcraft.kernels.trail import stamp_sums as stamp_sums
from fieldcraft.kernels.trail import trail_plan as trail_plan
from fieldcraft.kernels.trail import trail_steps as trail_steps
