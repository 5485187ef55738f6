# The families of kernels for type checkers and editors; see `compiling/kernel_table.py`.
from fieldcraft.kernels.agents import look_ahead as look_ahead
from fieldcraft.kernels.agents import mesh_moving as mesh_moving
from fieldcraft.kernels.agents import moving as moving
from fieldcraft.kernels.agents import pibt_steps as pibt_steps
from fieldcraft.kernels.agents import swarm_steps as swarm_steps
