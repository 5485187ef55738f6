"""Models on Mesa 3 and 4: fieldcraft maps of Mesa spaces, and layers as properties of their cells.

Coordinates (x, y) of a Mesa grid are positions on its map: `layer.sample(cell.coordinate)`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, needs
from fieldcraft.base.words import Corners
from fieldcraft.layers import Layer, SpreadLayer
from fieldcraft.layers.propagation import Diffuse, Trail
from fieldcraft.layers.stamped_layer import StampedLayer
from fieldcraft.space import Graph, Grid, HexGrid, Space

__all__ = ["attach", "positions", "repair", "space_of"]

_SQRT3 = 3**0.5
_LAYERS = "_fieldcraft_layers"
_WRITABLE = "_fieldcraft_writable"


def space_of(place: Any, *, walls: ArrayLike | None = None, corners: Corners = "never") -> Space:
    """Return a space with the cells of a Mesa space.

    - `OrthogonalMooreGrid` becomes a Grid of tiles with 8 neighbors. With `corners="cut"` diagonals
      pass walls, as Mesa's Moore neighborhood does; see `Grid`.
    - `OrthogonalVonNeumannGrid` becomes a Grid of tiles with 4 neighbors.
    - `HexGrid` becomes a HexGrid of pointy hexagons, mirrored, because Mesa moves its even rows.
    - `Network` becomes a Graph of its networkx graph, with positions from the attribute "pos".
    - `VoronoiGrid` becomes a Graph of its centroids.

    A torus stays a torus. Cells that were removed with `remove_cell` are walls. A grid of which
    other connections were removed or added becomes a Graph, with a vertex for each cell of the
    grid, row by row; `attach` and `positions` work with it. Later changes of cells and connections
    are not in the map: call `space_of` again.

    Parameters
    ----------
    place : mesa.discrete_space.DiscreteSpace
        The Mesa space.
    walls : array_like of shape (width, height), optional
        Walls of a grid, bool, indexed [x, y] as property layers are.
    corners : {"never", "cut", "if-one-open"}, optional
        See `Grid`.

    Raises
    ------
    InvalidValue
        For other spaces.
    MissingLibrary
        Without Mesa.
    """
    spaces = _mesa("space_of")
    if not isinstance(place, spaces.DiscreteSpace):
        raise InvalidValue(
            "space_of takes a space of mesa.discrete_space",
            got=type(place).__name__,
            remedy=(
                "Use OrthogonalMooreGrid, OrthogonalVonNeumannGrid, HexGrid, Network or VoronoiGrid"
            ),
        )
    if isinstance(place, spaces.Network | spaces.VoronoiGrid):
        if walls is not None:
            raise InvalidValue(
                "Walls by [x, y] belong to grids",
                got=type(place).__name__,
                remedy="Call set_walls on the result",
            )
        if isinstance(place, spaces.Network):
            return Graph.from_networkx(place.G)
        return _graph_of_cells(place)
    if len(place.dimensions) != 2:
        raise InvalidValue(
            "A map has two dimensions",
            got=f"{len(place.dimensions)} of them",
            remedy="Use a grid of (width, height)",
        )
    width, height = place.dimensions
    blocked = _removed_cells(place)
    if walls is not None:
        rule = f"walls are bool of shape {(width, height)}, [x, y]"
        remedy = "Pass them so"
        blocked |= checks.array_of(walls, (width, height), "b", rule, remedy)
    if isinstance(place, spaces.HexGrid):
        shown = blocked[::-1]
    else:
        shown = blocked
    space = _regular(place, shown.T, corners)
    return _with_connections(place, space)


def _regular(
    place: Any, walls: NDArray[np.bool_] | None, corners: Corners = "never"
) -> Grid | HexGrid:
    """Return the space of a Mesa grid with the connections of its kind; walls are (height,
    width).
    """
    spaces = _mesa("space_of")
    width, height = place.dimensions
    if isinstance(place, spaces.HexGrid):
        # Centers of neighbors are 1 apart, and the mirrored row 0 begins at (0, 0).
        size = 1 / _SQRT3
        return HexGrid(
            width,
            height,
            size=size,
            origin=(-0.5, -size),
            walls=walls,
            wrap=place.torus,
        )
    return Grid(
        width,
        height,
        tiles=True,
        neighbors=8 if isinstance(place, spaces.OrthogonalMooreGrid) else 4,
        corners=corners,
        walls=walls,
        wrap=place.torus,
    )


def _removed_cells(place: Any) -> NDArray[np.bool_]:
    """Return which cells were removed from a Mesa grid, (width, height), [x, y]."""
    removed = np.ones(place.dimensions, dtype=np.bool_)
    for cell in place.all_cells:
        try:
            x, y = cell.coordinate
            is_inside = 0 <= x < removed.shape[0] and 0 <= y < removed.shape[1]
        except (TypeError, ValueError):
            is_inside = False
        if not is_inside:
            raise InvalidValue(
                f"The cells of a grid lie on its {removed.shape[0]} x {removed.shape[1]} places",
                got=f"a cell at {cell.coordinate!r}",
                remedy="Make a larger grid, or a Network",
            )
        removed[x, y] = False
    return removed


def _with_connections(place: Any, space: Grid | HexGrid) -> Space:
    """Return the space of a Mesa grid, or a graph if its connections are not those of its kind."""
    spaces = _mesa("space_of")
    width, height = place.dimensions
    count = width * height
    mirrored = isinstance(place, spaces.HexGrid)
    numbers = {id(cell): _number_of(cell, width, mirrored) for cell in place.all_cells}
    found = {
        numbers[id(cell)] * count + numbers[id(other)]
        for cell in place.all_cells
        for other in cell.connections.values()
        if id(other) in numbers and other is not cell
    }
    actual = np.array(sorted(found), dtype=np.int64)
    unchanged = _regular(place, None).adjacency.to_sparse().tocoo()
    regular = unchanged.row.astype(np.int64) * count + unchanged.col
    exists = np.zeros(count, dtype=np.bool_)
    exists[list(numbers.values())] = True
    expected = regular[exists[unchanged.row] & exists[unchanged.col]]
    if np.array_equal(actual, np.sort(expected)):
        return space
    origins, ends = np.divmod(actual, count)
    is_regular = np.isin(actual, regular)
    # Diagonals beside walls are those of the space, whose rule for corners counts.
    steps = space.adjacency.to_sparse().tocoo()
    passes = np.isin(actual, steps.row.astype(np.int64) * count + steps.col)
    blocked = space.walls.reshape(-1)
    remaining = ~is_regular | passes | blocked[origins] | blocked[ends]
    places = space.positions
    lengths = np.linalg.norm(places[ends] - places[origins], axis=1)
    order = np.argsort(regular)
    at = order[np.searchsorted(regular, actual[is_regular], sorter=order)]
    lengths[is_regular] = unchanged.data[at]  # on a torus, around it
    return _graph(
        places,
        np.stack([origins, ends], axis=1)[remaining],
        lengths[remaining],
        blocked=blocked,
        squares=space if isinstance(space, Grid) else None,
    )


def _number_of(cell: Any, width: int, mirrored: bool) -> int:
    """Return the cell of a map that shows a cell of a Mesa grid; hexagons are mirrored."""
    x, y = cell.coordinate
    if mirrored:
        return int(y * width + width - 1 - x)
    return int(y * width + x)


def _graph_of_cells(place: Any) -> Graph:
    """Return the graph of the cells and connections of a VoronoiGrid."""
    cells = list(place.all_cells)
    numbers = {id(cell): number for number, cell in enumerate(cells)}
    edges = [
        (numbers[id(cell)], numbers[id(other)])
        for cell in cells
        for other in cell.connections.values()
        if id(other) in numbers
    ]
    places = np.array([_center(cell) for cell in cells], dtype=np.float64).reshape(-1, 2)
    return _graph(places, np.array(edges, dtype=np.int64).reshape(-1, 2))


def _center(cell: Any) -> Any:
    """Return the centroid of a cell of a VoronoiGrid; from Mesa 3.5 on its coordinate is a
    number.
    """
    if np.ndim(cell.coordinate) == 0:
        return cell.position
    return cell.coordinate


def _graph(
    places: NDArray[np.float64],
    edges: NDArray[np.int64],
    lengths: NDArray[np.float64] | None = None,
    *,
    blocked: NDArray[np.bool_] | None = None,
    squares: Grid | None = None,
) -> Graph:
    """Return a graph, directed if a connection leads one way only."""
    directed = set(map(tuple, edges.tolist())) != set(map(tuple, edges[:, ::-1].tolist()))
    return Graph(places, edges, lengths, directed=directed, blocked=blocked, squares=squares)


def attach(place: Any, layer: Layer, name: str | None = None, *, writable: bool = False) -> None:
    """Show a layer of `space_of(place)` as a live property of each cell of a Mesa grid:
    `cell.scent`, and `grid.scent.data` in Mesa 3 or `grid.scent` in Mesa 4.

    Parameters
    ----------
    place : mesa.discrete_space.Grid
        The grid.
    layer : Layer
        The layer; its values are not copied.
    name : str, optional
        Name of the property; that of the layer if absent.
    writable : bool, optional
        Let cells write to a layer with `Trail` (unless it has `accumulate=False`) or `Diffuse`, or
        with an array: `cell.scent = 3`, and in Mesa 3 `set_cells`, `modify_cells`,
        `grid.scent.data = values` and `grid.scent.data[...] = 1`.
        Else writing is refused. A model with such a layer can be pickled; then call `repair`.

    Raises
    ------
    InvalidValue
        For a layer on another space, a name that is taken, and spaces without properties.
    """
    spaces = _mesa("attach")
    if not isinstance(layer, Layer):
        raise InvalidValue(
            "A layer of a map is attached", got=type(layer).__name__, remedy="Pass imap[name]"
        )
    if not hasattr(place, "add_property_layer"):
        raise InvalidValue(
            "Grids of Mesa have properties",
            got=type(place).__name__,
            remedy="Call layer.sample(positions(agents))",
        )
    if name is None:
        label = layer.name
    else:
        label = checks.text("name", name)
    hexagonal = isinstance(place, spaces.HexGrid)
    if not _lies_on(layer.space, place):
        raise InvalidValue(
            "A layer lies on the ground of the grid",
            got=f"{layer.space!r} for {type(place).__name__} of {tuple(place.dimensions)}",
            remedy="Make its map on adapters.mesa.space_of(grid)",
        )
    if checks.flag("writable", writable) and not _is_writable(layer):
        raise InvalidValue(
            "Cells write to layers with fc.Trail, fc.Diffuse or an array",
            got=repr(layer),
            remedy="Leave writable out, and change its sources or marks",
        )
    if writable and isinstance(layer.propagation, Trail) and not layer.propagation.accumulate:
        raise InvalidValue(
            "Cells write values that last; with accumulate=False a trail forgets them",
            got=repr(layer),
            remedy="Leave writable out, and call layer.deposit(positions, amounts)",
        )
    try:
        if hasattr(spaces, "PropertyLayer"):  # Mesa 3; in Mesa 4 properties are arrays
            width, height = place.dimensions
            live = _live_class()(layer, label, (width, height), hexagonal, writable)
            place.add_property_layer(live)
            _let_read(place, live)
        else:
            _add_array(place, layer, label, hexagonal)
    except ValueError as error:
        raise InvalidValue(
            "A property has a name of its own", got=str(error), remedy="Pass name="
        ) from None
    if writable and _is_writable(layer):
        if not hasattr(place, _WRITABLE):
            setattr(place, _WRITABLE, {})
        getattr(place, _WRITABLE)[label] = (layer, hexagonal)
        _let_write(place, label, layer, hexagonal)


def _is_writable(layer: Layer) -> TypeGuard[StampedLayer | SpreadLayer]:
    """Return whether cells can write to a layer: its values are not those of its sources alone."""
    return isinstance(layer, StampedLayer) or isinstance(layer.propagation, Diffuse)


def _lies_on(space: Space, place: Any) -> bool:
    """Return whether a space has the cells of a Mesa grid."""
    if len(place.dimensions) != 2:
        return False
    if isinstance(space, Graph):
        unchanged = _regular(place, None)
        return space.positions.shape == unchanged.positions.shape and bool(
            (space.positions == unchanged.positions).all()
        )
    hexagonal = isinstance(place, _mesa("attach").HexGrid)
    return space.shape == tuple(place.dimensions)[::-1] and isinstance(space, HexGrid) == hexagonal


def positions(agents: Iterable[Any], place: Any = None) -> NDArray[np.float64]:
    """Return the positions of agents on `space_of(place)`, float64 of shape (N, 2), in their order.

    Parameters
    ----------
    agents : iterable of mesa.Agent
        Agents in cells.
    place : mesa.discrete_space.DiscreteSpace, optional
        Their space; needed on a HexGrid, a Network and a VoronoiGrid, where coordinates are not
        positions.

    Raises
    ------
    InvalidValue
        For an agent without a cell.
    """
    spaces = _mesa("positions")
    cells = []
    for agent in checks.sequence("agents", agents):
        cell = getattr(agent, "cell", None)
        if cell is None:
            raise InvalidValue(
                "An agent is in a cell",
                got=f"{agent!r} in none",
                remedy="Set its cell first, or leave it out",
            )
        if isinstance(place, spaces.VoronoiGrid):
            cells.append(_center(cell))
        else:
            cells.append(cell.coordinate)
    if isinstance(place, spaces.Network):
        if not cells:
            return np.zeros((0, 2))
        nodes = place.G.nodes
        return np.array([nodes[node]["pos"] for node in cells], dtype=np.float64)
    found = np.array(cells, dtype=np.float64).reshape(len(cells), 2)
    if isinstance(place, spaces.HexGrid):
        column = place.dimensions[0] - 1 - found[:, 0]
        row = found[:, 1]
        return np.stack([column + 0.5 * (row % 2), row * (_SQRT3 / 2)], axis=1)
    return found


def repair(place: Any) -> None:
    """Restore the properties of the cells of an unpickled Mesa grid.

    Mesa creates a class for each unpickled cell, of which only the first has the properties, and
    Mesa 4 copies live arrays. Call it in `__setstate__` of the model:
    `self.__dict__ = state; adapters.mesa.repair(self.grid)`. Copy a model by
    `pickle.loads(pickle.dumps(model))`; Mesa's `deepcopy` may copy the cells of agents.

    Raises
    ------
    InvalidValue
        For anything but a grid.
    """
    _mesa("repair")
    if not hasattr(place, "cell_klass") or not hasattr(place, "add_property_layer"):
        raise InvalidValue(
            "Grids of Mesa have properties",
            got=type(place).__name__,
            remedy="Pass the model's grid",
        )
    for cell in place.all_cells:
        if type(cell) is not place.cell_klass:
            cell.__class__ = place.cell_klass
    for name, (layer, mirrored) in getattr(place, _LAYERS, {}).items():
        place.remove_property_layer(name)
        if name in place.__dict__:
            delattr(place, name)
        place.add_property_layer(name, _shown(layer, place.dimensions, mirrored), read_only=True)
    for live in getattr(place, "_mesa_property_layers", {}).values():
        if isinstance(live, _live_class()):
            _let_read(place, live)
    for name, (layer, mirrored) in getattr(place, _WRITABLE, {}).items():
        _let_write(place, name, layer, mirrored)


def _let_read(place: Any, live: Any) -> None:
    """Let cells read a layer on a graph, whose array is another one after each step: Mesa stores
    the array of the moment, from 3.4 on.
    """
    if isinstance(live.layer.space, Graph):
        value = _reader(live.layer, live.dimensions, live.mirrored)

        def refuse(cell: Any, number: float) -> None:
            live.write(number)

        setattr(
            place.cell_klass, live.name, property(value, refuse, doc=f"the layer {live.name!r}")
        )


def _let_write(place: Any, name: str, layer: StampedLayer | SpreadLayer, mirrored: bool) -> None:
    """Make the property of cells writable."""
    width, _ = place.dimensions
    value = _reader(layer, place.dimensions, mirrored)

    def put(cell: Any, number: float) -> None:
        layer.put(_number_of(cell, width, mirrored), number)

    setattr(place.cell_klass, name, property(value, put, doc=f"the layer {name!r}"))


def _reader(layer: Layer, dimensions: tuple[int, int], mirrored: bool) -> Callable[[Any], Any]:
    """Return a function that reads the value of a cell."""
    width, _ = dimensions
    if isinstance(layer.space, Graph):
        return lambda cell: layer.values[_number_of(cell, width, mirrored)]
    shown = _shown(layer, dimensions, mirrored)
    return lambda cell: shown[cell.coordinate]


def _add_array(place: Any, layer: Layer, name: str, mirrored: bool) -> None:
    """Add the values as a property of Mesa 4, and store their layer on the grid for `repair`."""
    place.add_property_layer(name, _shown(layer, place.dimensions, mirrored), read_only=True)
    if not hasattr(place, _LAYERS):
        setattr(place, _LAYERS, {})
    getattr(place, _LAYERS)[name] = (layer, mirrored)


def _shown(layer: Layer, dimensions: tuple[int, int], mirrored: bool) -> NDArray[np.float32]:
    """Return a live, read-only view of the values, of shape (width, height)."""
    width, height = dimensions
    view = layer.values.reshape(height, width).T
    if mirrored:
        return view[::-1]
    return view


@functools.cache
def _live_class() -> Any:
    """Return the class of live property layers, created on first use because its base is Mesa's."""

    class Live(_mesa("A live property").PropertyLayer):  # type: ignore[misc]
        """A property of cells that is a layer's values, [x, y]."""

        def __init__(
            self,
            layer: Layer,
            name: str,
            dimensions: tuple[int, int],
            mirrored: bool,
            writable: bool,
        ) -> None:
            self.layer = layer
            self.name = name
            self.dimensions = dimensions
            self.mirrored = mirrored
            self.writable = writable

        def __reduce__(self) -> Any:
            made_of = (self.layer, self.name, self.dimensions, self.mirrored, self.writable)
            return _unpickled, made_of

        @property
        def data(self) -> _Values:
            """The values now, of shape (width, height)."""
            shown = _shown(self.layer, self.dimensions, self.mirrored).view(_Values)
            shown.write = self.write
            return shown

        @data.setter
        def data(self, values: ArrayLike) -> None:
            self.write(values)

        # Mesa's own methods read and write these attributes.
        @property
        def _mesa_data(self) -> NDArray[np.float32]:
            return _shown(self.layer, self.dimensions, self.mirrored)

        @_mesa_data.setter
        def _mesa_data(self, values: ArrayLike) -> None:
            self.write(values)

        _data = _mesa_data

        def write(self, values: ArrayLike) -> None:
            """Set all values, [x, y]."""
            if not (self.writable and _is_writable(self.layer)):
                raise InvalidValue(
                    "Cells show this layer and don't write to it",
                    got=f"values for {self.name!r}",
                    remedy="Pass writable=True to attach(), or change the layer itself",
                )
            given = self._shaped(values)
            if self.mirrored:
                given = given[::-1]
            self.layer.write(given.T.reshape(self.layer.space.shape))

        def set_cells(self, value: ArrayLike, condition: Any = None) -> None:
            """Set all cells, or those whose values meet a condition."""
            if condition is None:
                is_excluded = False
            else:
                is_excluded = ~np.vectorize(condition)(self.data)
            self.write(np.where(is_excluded, self.data, self._shaped(value)))

        def _shaped(self, values: ArrayLike) -> NDArray[np.float32]:
            """Return a value for each cell, [x, y]."""
            array = checks.array("Values", values)
            try:
                return np.broadcast_to(array.astype(np.float32), self.dimensions)
            except (TypeError, ValueError):
                raise InvalidValue(
                    f"Values of a property are numbers of shape {self.dimensions}, [x, y]",
                    got=f"{array.dtype} of shape {array.shape}",
                    remedy="Pass one number, or one for each cell",
                ) from None

    return Live


class _Values(np.ndarray[Any, np.dtype[np.float32]]):
    """The values of a live property, read-only; assignments write to the layer."""

    write: Callable[[ArrayLike], None] | None = None

    def __setitem__(self, where: Any, value: Any) -> None:
        if self.write is None:
            super().__setitem__(where, value)
        else:
            values = np.array(self)
            values[where] = value
            self.write(values)

    # `grid.scent.data += 1` sets the sum.
    __iadd__ = np.ndarray.__add__  # type: ignore[assignment]
    __isub__ = np.ndarray.__sub__  # type: ignore[assignment]
    __imul__ = np.ndarray.__mul__  # type: ignore[assignment]
    __itruediv__ = np.ndarray.__truediv__  # type: ignore[assignment]
    __ipow__ = np.ndarray.__pow__  # type: ignore[assignment]


def _unpickled(
    layer: Layer, name: str, dimensions: tuple[int, int], mirrored: bool, writable: bool
) -> Any:
    """Return a live property; a class made in a function can't be pickled by its name."""
    return _live_class()(layer, name, dimensions, mirrored, writable)


def _mesa(feature: str) -> Any:
    with needs("Mesa 3.2 or newer", "mesa", feature):
        import mesa.discrete_space as spaces
    return spaces
