# The families of kernels for type checkers and editors; see `compiling/table.py`.
from fieldcraft.kernels.trail import fade as fade
from fieldcraft.kernels.trail import graph_trail as graph_trail
from fieldcraft.kernels.trail import stamps as stamps
from fieldcraft.kernels.trail import trail as trail
from fieldcraft.kernels.trail import trail_plan as trail_plan
