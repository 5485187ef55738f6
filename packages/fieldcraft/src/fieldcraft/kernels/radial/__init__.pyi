# The families of kernels for type checkers and editors; see `compiling/kernel_table.py`.
from fieldcraft.kernels.radial import exclusion as exclusion
from fieldcraft.kernels.radial import graph_radial as graph_radial
from fieldcraft.kernels.radial import radial_search as radial_search
from fieldcraft.kernels.radial import source_changes as source_changes
