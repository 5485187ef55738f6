# The families of kernels for type checkers and editors; see `compiling/table.py`.
from fieldcraft.kernels.values import best as best
from fieldcraft.kernels.values import best_on_foot as best_on_foot
from fieldcraft.kernels.values import choke_points as choke_points
from fieldcraft.kernels.values import compose as compose
from fieldcraft.kernels.values import explore as explore
from fieldcraft.kernels.values import peaks as peaks
from fieldcraft.kernels.values import regions as regions
from fieldcraft.kernels.values import route as route
from fieldcraft.kernels.values import sample as sample
from fieldcraft.kernels.values import teams as teams
from fieldcraft.kernels.values import uphill as uphill
