"""Models on Mesa 3 and 4: fieldcraft maps of Mesa spaces, and layers as properties of their cells.

Coordinates (x, y) of a Mesa grid are positions on its map: `layer.sample(cell.coordinate)`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, needs
from fieldcraft.layers import Layer
from fieldcraft.layers.trail_layer import StampedLayer
from fieldcraft.space import Graph, Grid, HexGrid, Space

__all__ = ["attach", "positions", "repair", "space_of"]

_SQRT3 = 3**0.5
_LAYERS, _WRITABLE = "_fieldcraft_layers", "_fieldcraft_writable"


def space_of(place: Any, *, walls: ArrayLike | None = None, corners: str = "never") -> Space:
    """Return a space with the cells of a Mesa space.

    - `OrthogonalMooreGrid` becomes a Grid of tiles with 8 neighbors. With `corners="cut"` diagonals
      pass walls, as Mesa's Moore neighborhood does; see `Grid`.
    - `OrthogonalVonNeumannGrid` becomes a Grid of tiles with 4 neighbors.
    - `HexGrid` becomes a HexGrid of pointy hexagons, mirrored, because Mesa moves its even rows.
    - `Network` becomes a Graph of its networkx graph, with positions from the attribute "pos".
    - `VoronoiGrid` becomes a Graph of its centroids.

    A torus stays a torus. Cells added to a network later are not in the map.

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
        cells = list(place.all_cells)
        numbers = {id(cell): number for number, cell in enumerate(cells)}
        edges = [
            (numbers[id(cell)], numbers[id(other)])
            for cell in cells
            for other in cell.connections.values()
        ]
        return Graph(
            np.asarray(place.centroids_coordinates, dtype=np.float64),
            np.array(edges, dtype=np.int64).reshape(-1, 2),
        )
    if len(place.dimensions) != 2:
        raise InvalidValue(
            "A map has two dimensions",
            got=f"{len(place.dimensions)} of them",
            remedy="Use a grid of (width, height)",
        )
    width, height = place.dimensions
    blocked = None
    if walls is not None:
        rule, remedy = f"walls are bool of shape {(width, height)}, [x, y]", "Pass them so"
        blocked = checks.array_of(walls, (width, height), "b", rule, remedy).T
    if isinstance(place, spaces.HexGrid):
        # Centers of neighbors are 1 apart, and the mirrored row 0 begins at (0, 0).
        size = 1 / _SQRT3
        return HexGrid(
            width,
            height,
            size=size,
            origin=(-0.5, -size),
            walls=None if blocked is None else blocked[:, ::-1],
            wrap=place.torus,
        )
    neighbors = 8 if isinstance(place, spaces.OrthogonalMooreGrid) else 4
    return Grid(
        width,
        height,
        tiles=True,
        neighbors=neighbors,
        corners=corners,
        walls=blocked,
        wrap=place.torus,
    )


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
        Let cells write to a layer with `Trail` or with an array: `cell.scent = 3`, and in Mesa 3
        `set_cells`, `modify_cells`, `grid.scent.data = values` and `grid.scent.data[...] = 1`.
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
    label = layer.name if name is None else checks.text("name", name)
    hexagonal = isinstance(place, spaces.HexGrid)
    if (
        layer.space.shape != tuple(place.dimensions)[::-1]
        or isinstance(layer.space, HexGrid) != hexagonal
    ):
        raise InvalidValue(
            "A layer lies on the ground of the grid",
            got=f"{layer.space!r} for {type(place).__name__} of {tuple(place.dimensions)}",
            remedy="Make its map on adapters.mesa.space_of(grid)",
        )
    if checks.flag("writable", writable) and not isinstance(layer, StampedLayer):
        raise InvalidValue(
            "Cells write to layers with fc.Trail or with an array",
            got=repr(layer),
            remedy="Leave writable out",
        )
    try:
        if hasattr(spaces, "PropertyLayer"):  # Mesa 3; in Mesa 4 properties are arrays
            place.add_property_layer(_live_class()(layer, label, hexagonal, writable))
        else:
            _add_array(place, layer, label, hexagonal)
    except ValueError as error:
        raise InvalidValue(
            "A property has a name of its own", got=str(error), remedy="Pass name="
        ) from None
    if writable and isinstance(layer, StampedLayer):
        if not hasattr(place, _WRITABLE):
            setattr(place, _WRITABLE, {})
        getattr(place, _WRITABLE)[label] = layer, hexagonal
        _let_write(place, label, layer, hexagonal)


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
        # From Mesa 3.5 on cells of a VoronoiGrid have numbers for coordinates.
        cells.append(
            cell.position
            if isinstance(place, spaces.VoronoiGrid) and np.ndim(cell.coordinate) == 0
            else cell.coordinate
        )
    if isinstance(place, spaces.Network):
        where = place.G.nodes
        return np.array([where[node]["pos"] for node in cells], dtype=np.float64).reshape(
            len(cells), -1 if cells else 2
        )
    found = np.array(cells, dtype=np.float64).reshape(len(cells), 2)
    if isinstance(place, spaces.HexGrid):
        column, row = place.dimensions[0] - 1 - found[:, 0], found[:, 1]
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
        place.add_property_layer(name, _shown(layer, mirrored), read_only=True)
    for name, (layer, mirrored) in getattr(place, _WRITABLE, {}).items():
        _let_write(place, name, layer, mirrored)


def _let_write(place: Any, name: str, layer: StampedLayer, mirrored: bool) -> None:
    """Make the property of cells writable."""
    shown, (width, _) = _shown(layer, mirrored), place.dimensions

    def value(cell: Any) -> Any:
        return shown[cell.coordinate]

    def put(cell: Any, number: float) -> None:
        x, y = cell.coordinate
        layer.put(y * width + (width - 1 - x if mirrored else x), number)

    setattr(place.cell_klass, name, property(value, put, doc=f"the layer {name!r}"))


def _add_array(place: Any, layer: Layer, name: str, mirrored: bool) -> None:
    """Add the values as a property of Mesa 4, and store their layer on the grid for `repair`."""
    place.add_property_layer(name, _shown(layer, mirrored), read_only=True)
    if not hasattr(place, _LAYERS):
        setattr(place, _LAYERS, {})
    getattr(place, _LAYERS)[name] = layer, mirrored


def _shown(layer: Layer, mirrored: bool) -> NDArray[np.float32]:
    """Return a live, read-only view of the values, of shape (width, height)."""
    view = layer.values.T
    return view[::-1] if mirrored else view


@functools.cache
def _live_class() -> Any:
    """Return the class of live property layers, created on first use because its base is Mesa's."""

    class Live(_mesa("A live property").PropertyLayer):  # type: ignore[misc]
        """A property of cells that is a layer's values, [x, y]."""

        def __init__(self, layer: Layer, name: str, mirrored: bool, writable: bool) -> None:
            self.layer, self.name, self.mirrored = layer, name, mirrored
            self.writable = writable
            height, width = layer.space.shape
            self.dimensions = (width, height)

        def __reduce__(self) -> Any:
            return _unpickled, (self.layer, self.name, self.mirrored, self.writable)

        @property
        def data(self) -> _Values:
            """The values now, of shape (width, height)."""
            shown = _shown(self.layer, self.mirrored).view(_Values)
            shown.write = self.write
            return shown

        @data.setter
        def data(self, values: ArrayLike) -> None:
            self.write(values)

        @property
        def _mesa_data(self) -> NDArray[np.float32]:
            return _shown(self.layer, self.mirrored)

        @_mesa_data.setter
        def _mesa_data(self, values: ArrayLike) -> None:
            self.write(values)

        _data = _mesa_data

        def write(self, values: ArrayLike) -> None:
            """Set all values, [x, y]."""
            if not (self.writable and isinstance(self.layer, StampedLayer)):
                raise InvalidValue(
                    "Cells show this layer and don't write to it",
                    got=f"values for {self.name!r}",
                    remedy="Pass writable=True to attach(), or change the layer itself",
                )
            given = self._shaped(values)
            self.layer.write((given[::-1] if self.mirrored else given).T)

        def set_cells(self, value: ArrayLike, condition: Any = None) -> None:
            """Set all cells, or those whose values meet a condition."""
            is_excluded = False if condition is None else ~np.vectorize(condition)(self.data)
            self.write(np.where(is_excluded, self.data, self._shaped(value)))

        def _shaped(self, values: ArrayLike) -> NDArray[np.float32]:
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


def _unpickled(layer: Layer, name: str, mirrored: bool, writable: bool) -> Any:
    return _live_class()(layer, name, mirrored, writable)


def _mesa(feature: str) -> Any:
    with needs("Mesa 3.2 or newer", "mesa", feature):
        import mesa.discrete_space as spaces
    return spaces
