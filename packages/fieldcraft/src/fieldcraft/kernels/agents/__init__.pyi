# The families of kernels for type checkers and editors; see `compiling/table.py`.
from fieldcraft.kernels.agents import look_ahead as look_ahead
from fieldcraft.kernels.agents import mesh_moving as mesh_moving
from fieldcraft.kernels.agents import moving as moving
from fieldcraft.kernels.agents import pibt as pibt
from fieldcraft.kernels.agents import swarm as swarm
