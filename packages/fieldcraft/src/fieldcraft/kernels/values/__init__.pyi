# The families of kernels for type checkers and editors; see `compiling/kernel_table.py`.
from fieldcraft.kernels.values import best as best
from fieldcraft.kernels.values import best_on_foot as best_on_foot
from fieldcraft.kernels.values import compose as compose
from fieldcraft.kernels.values import explore as explore
from fieldcraft.kernels.values import narrow_places as narrow_places
from fieldcraft.kernels.values import peaks as peaks
from fieldcraft.kernels.values import region_labels as region_labels
from fieldcraft.kernels.values import route as route
from fieldcraft.kernels.values import sample as sample
from fieldcraft.kernels.values import team_sums as team_sums
from fieldcraft.kernels.values import uphill as uphill
