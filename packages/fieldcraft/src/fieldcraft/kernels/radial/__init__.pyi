# The families of kernels for type checkers and editors; see `compiling/table.py`.
from fieldcraft.kernels.radial import changes as changes
from fieldcraft.kernels.radial import graph_radial as graph_radial
from fieldcraft.kernels.radial import radial as radial
