# The families of kernels for type checkers and editors; see `compiling/table.py`.
from fieldcraft.kernels.pictures import frames as frames
from fieldcraft.kernels.pictures import paint as paint
