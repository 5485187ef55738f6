# The families of kernels for type checkers and editors; see `compiling/kernel_table.py`.
from fieldcraft.kernels.paths import any_angle as any_angle
from fieldcraft.kernels.paths import any_angle_blocks as any_angle_blocks
from fieldcraft.kernels.paths import danger as danger
from fieldcraft.kernels.paths import flow as flow
from fieldcraft.kernels.paths import graph_flow as graph_flow
from fieldcraft.kernels.paths import graph_search as graph_search
from fieldcraft.kernels.paths import shortest_path_uniform as shortest_path_uniform
from fieldcraft.kernels.paths import shortest_path_weighted as shortest_path_weighted
from fieldcraft.kernels.paths import smoothing as smoothing
