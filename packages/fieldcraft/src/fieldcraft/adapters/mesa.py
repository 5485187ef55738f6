"""Models on Mesa 3 and 4: a fieldcraft map on the ground of a Mesa space, its layers live in the
space's cells.

Cells of a Mesa grid have the coordinates (x, y), and so have positions on the map that belongs to
it: `layer.sample(cell.coordinate)`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, MissingLibrary
from fieldcraft.layer import Layer
from fieldcraft.layer.trail_layer import StampedLayer
from fieldcraft.space import Graph, Grid, HexGrid, Space

__all__ = ["attach", "mend", "positions", "space_of"]

_SQRT3 = 3**0.5
_LAYERS, _WRITABLE = "_fieldcraft_layers", "_fieldcraft_writable"


def space_of(place: Any, *, walls: ArrayLike | None = None, corners: str = "never") -> Space:
    """The ground of a Mesa space, for an `InfluenceMap` beside it.

    - `OrthogonalMooreGrid` becomes a Grid of tiles with 8 neighbors. With `corners="cut"` diagonals
      pass walls, as Mesa's Moore neighborhood does; see `Grid`.
    - `OrthogonalVonNeumannGrid` becomes a Grid of tiles with 4 neighbors.
    - `HexGrid` becomes a HexGrid of pointy hexagons, mirrored, because Mesa moves its even rows.
    - `Network` becomes a Graph of its networkx graph, with positions from the attribute "pos".
    - `VoronoiGrid` becomes a Graph of its centroids.

    A torus stays one. `walls` is bool of shape (width, height), indexed [x, y] as a property layer
    is, for grids. The map is made once: what is added to a network later is not seen. Raises
    `InvalidValue` for other spaces and `MissingLibrary` without Mesa.
    """
    spaces = _mesa("space_of")
    if not isinstance(place, spaces.DiscreteSpace):
        raise InvalidValue(
            "A ground is made of a space of mesa.discrete_space",
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
                remedy="Call set_walls on what you get",
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
    shut = None if walls is None else np.asarray(_table(walls, (width, height)).T)
    if isinstance(place, spaces.HexGrid):
        # Middles of neighbors are 1 apart, and the mirrored row 0 begins at (0, 0).
        size = 1 / _SQRT3
        return HexGrid(
            width,
            height,
            size=size,
            origin=(-0.5, -size),
            walls=None if shut is None else shut[:, ::-1],
            wrap=place.torus,
        )
    neighbors = 8 if isinstance(place, spaces.OrthogonalMooreGrid) else 4
    return Grid(
        width,
        height,
        tiles=True,
        neighbors=neighbors,
        corners=corners,
        walls=shut,
        wrap=place.torus,
    )


def attach(place: Any, layer: Layer, name: str | None = None, *, writable: bool = False) -> None:
    """Show a layer as a property of each cell of a Mesa grid, live and without a copy:
    `cell.scent`, and `grid.scent.data` in Mesa 3 or `grid.scent` in Mesa 4.

    The layer lies on `space_of(place)`. It is read there, by `select_cells` and by SolaraViz, and
    written through the layer alone: Mesa's own writing is refused. With `writable`, for layers with
    `Trail` or an array of their own, agents write to it cell by cell as to any property,
    `self.cell.scent = 3`, which all see at once (`layer.put`), and in Mesa 3 `set_cells`,
    `modify_cells`, `grid.scent.data = values` and `grid.scent.data[...] = 1` write whole arrays
    (`layer.write`). A model with it can be pickled; then call `mend`. `name` is the layer's own if
    not given. Raises `InvalidValue` for a layer on other ground, a name that is taken, and spaces
    without properties (networks, Voronoi).
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
        if _has_classes(spaces):
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
    """Where agents are on `space_of(place)`, float64 of shape (N, 2), in their order: what sources,
    samples and steps take.

    `place` is their space; it must be given where coordinates are no positions: on a HexGrid, a
    Network and a VoronoiGrid. Raises `InvalidValue` for an agent
    that is in no cell.
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


def mend(place: Any) -> None:
    """Give the cells of an unpickled Mesa grid their properties back; a grid that needs none of it
    stays as it is.

    Mesa makes a class for each cell then, of which only the first has the properties, its own as
    well; and Mesa 4 makes copies of what is live. Call it in the model's
    `__setstate__`: `self.__dict__ = state; adapters.mesa.mend(self.grid)`. Copy a model by
    `pickle.loads(pickle.dumps(model))`: a `deepcopy` of Mesa's may put agents into cells of their
    own. Raises `InvalidValue` for anything but a grid.
    """
    _mesa("mend")
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
    """Let cells write to a layer, too."""
    shown, (width, _) = _shown(layer, mirrored), place.dimensions

    def value(cell: Any) -> Any:
        return shown[cell.coordinate]

    def put(cell: Any, number: float) -> None:
        x, y = cell.coordinate
        layer.put(y * width + (width - 1 - x if mirrored else x), number)

    setattr(place.cell_klass, name, property(value, put, doc=f"the layer {name!r}"))


def _has_classes(spaces: Any) -> bool:
    """Whether this Mesa has a class of property layers, as Mesa 3; in Mesa 4 they are arrays."""
    return hasattr(spaces, "PropertyLayer")


def _add_array(place: Any, layer: Layer, name: str, mirrored: bool) -> None:
    """Add the values as Mesa 4 takes them; the grid remembers whose they are, for `mend`."""
    place.add_property_layer(name, _shown(layer, mirrored), read_only=True)
    if not hasattr(place, _LAYERS):
        setattr(place, _LAYERS, {})
    getattr(place, _LAYERS)[name] = layer, mirrored


def _shown(layer: Layer, mirrored: bool) -> NDArray[np.float32]:
    """The values now and later, read-only, of shape (width, height)."""
    view = layer.values.T
    return view[::-1] if mirrored else view


@functools.cache
def _live_class() -> Any:
    """The class of live property layers, made when it is first asked for, as its base is Mesa's;
    `_unpickled` unpickles it.
    """

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
            kept = False if condition is None else ~np.vectorize(condition)(self.data)
            self.write(np.where(kept, self.data, self._shaped(value)))

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
    """The values of a live property, read-only: what is written to them goes through the layer."""

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


def _table(walls: ArrayLike, shape: tuple[int, int]) -> NDArray[np.bool_]:
    table = checks.array("walls", walls)
    if table.shape != shape or table.dtype != np.bool_:
        raise InvalidValue(
            f"walls are bool of shape {shape}, [x, y]",
            got=f"{table.dtype} of shape {table.shape}",
            remedy="Transpose them?",
        )
    return table


def _mesa(feature: str) -> Any:
    try:
        import mesa.discrete_space as spaces
    except ImportError:
        raise MissingLibrary("Mesa 3.2 or newer", "mesa", feature) from None
    return spaces
