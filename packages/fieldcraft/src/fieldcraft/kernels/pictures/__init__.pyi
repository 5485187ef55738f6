# The families of kernels for type checkers and editors; see `compiling/kernel_table.py`.
from fieldcraft.kernels.pictures import frame_pixels as frame_pixels
from fieldcraft.kernels.pictures import paint as paint
