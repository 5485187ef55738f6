"""The context of a question: a map, its layers, and named arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.layers.teams.teams import Teams
from fieldcraft.paths import DistanceMap
from fieldcraft.space import Space
from fieldcraft.space.kinds import checked_space
from fieldcraft.space.lines import line_of
from fieldcraft.values.expression import Expression
from fieldcraft.values.formula import formula
from fieldcraft.values.layered import Layered
from fieldcraft.values.operand import Operand


class _Names(dict[str, Any]):
    """The maps and numbers that a formula may name, and the names that were read."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        super().__init__(known)
        self.read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        self.read[name] = super().__getitem__(name)
        return self.read[name]


class Formulas:
    """The formulas of a question as expressions, cached while their names have the same values."""

    def __init__(self) -> None:
        self._cached: dict[str, tuple[dict[str, Any], Expression]] = {}

    def __reduce__(self) -> tuple[type[Formulas], tuple[()]]:
        return Formulas, ()

    def expression(self, text: str, known: Mapping[str, Any]) -> Expression:
        """Return the expression of a text."""
        read, found = self._cached.get(text, ({}, None))
        if found is None or any(known.get(name) is not value for name, value in read.items()):
            names = _Names(known)
            found = formula(text, names)
            self._cached[text] = (names.read, found)
        return found


class Context:
    """The map of one question and the values of its names.

    `imap` is an influence map, or a space for questions that read no layers. `given` are positions,
    maps, numbers and teams by name.
    """

    def __init__(self, imap: Layered | Space, given: Mapping[str, Any], formulas: Formulas) -> None:
        if isinstance(imap, Space):
            self.space: Space = imap
            self._known: dict[str, Any] = {}
        else:
            self.space = checked_space(getattr(imap, "space", imap), "A question is asked on")
            self._known = dict(imap.layers)
        self._map = imap
        self._formulas = formulas
        self._given = {}
        for name, value in given.items():
            self._given[name] = value
            if isinstance(value, np.ndarray):
                # Positions may move while an answer is under way.
                self._given[name] = value.copy()
            elif isinstance(value, (Operand, float, int)):
                self._known[name] = value
        self.cached: dict[object, Any] = {}

    def once(self, key: object, make: Callable[[], Any]) -> Any:
        """Return the result of `make`, cached by key."""
        if key not in self.cached:
            self.cached[key] = make()
        return self.cached[key]

    def given(self, name: str, what: str) -> Any:
        """Return the value of a name."""
        if name not in self._given:
            raise UnknownName(f"{what} passed to ask()", name, self._given)
        return self._given[name]

    def teams_with(self, owner: str, name: str) -> Teams:
        """Return the teams that are passed under a name, or else those of the map, one of which is
        called `owner`.
        """
        if name in self._given:
            remedy = f"Pass {name}=imap.add_teams(...)"
            rule = f"The name {name!r} stands for teams"
            candidates: tuple[Teams, ...] = (
                checks.instance(self._given[name], Teams, rule, remedy),
            )
        else:
            candidates = getattr(self._map, "teams", ())
        if not candidates:
            raise InvalidValue(
                "A place is owned by a team of the map, or of teams passed to ask()",
                got=f"owner={owner!r} on a map without teams",
                remedy=f"Pass {name}=fc.Teams(imap, names), or call imap.add_teams(...) before",
            )
        for teams in candidates:
            if owner in teams:
                return teams
        raise UnknownName("team", owner, [each for teams in candidates for each in teams.names])

    def places(self, places: str | ArrayLike) -> Floats:
        """Return positions, or the positions of a name, as (N, 2) or (N, 3) on the map; possibly
        none.
        """
        key = places if isinstance(places, str) else id(places)
        return np.asarray(self.once(("places", key), lambda: self._checked_places(places)))

    def some_places(self, places: str | ArrayLike) -> Floats:
        """Return positions as `places` does, at least one."""
        points = self.places(places)
        if not len(points):
            raise InvalidValue(
                "Candidates are generated from one position or more",
                got=f"{places!r} without any"[:80],
                remedy="Ask only while there are some",
            )
        return points

    def _checked_places(self, places: str | ArrayLike) -> Floats:
        if isinstance(places, str):
            name = places
            value = self.given(places, "position")
        else:
            name = "points"
            value = places
        points, _ = checks.positions(
            line_of(value), dimensions=self.space.dimensions, what=f"The positions {name!r}"
        )
        self.space.cell_at(points)
        return points

    def directions(self, facing: str | ArrayLike) -> Floats:
        """Return (x, y) directions, or the directions of a name, (N, 2)."""
        if isinstance(facing, str):
            value = self.given(facing, "direction")
        else:
            value = facing
        return checks.positions(value, what="Directions")[0]

    def heights(self, heights: str | ArrayLike) -> ArrayLike:
        """Return heights of the ground, or those of a name or a formula, in the space's shape."""

        def found() -> ArrayLike:
            if isinstance(heights, str) and heights in self._given:
                given: ArrayLike = self._given[heights]
                return given
            if isinstance(heights, str):
                if heights.isidentifier() and heights not in self._known:
                    names = [*self._known, *self._given]
                    raise UnknownName("layer, and no array passed to ask(),", heights, names)
                return self.map_of(heights).values
            return heights

        key = heights if isinstance(heights, str) else id(heights)
        made: ArrayLike = self.once(("heights", key), found)
        return made

    def map_of(self, value: str | Operand) -> Operand:
        """Return the map of a formula, or the map itself."""
        if isinstance(value, str):
            found: Operand = self._formulas.expression(value, self._known)
        else:
            found = value
        if not found.space.same_cells(self.space):
            raise InvalidValue(
                "A question reads maps of the cells that it is asked on",
                got=f"{found.space!r} for {self.space!r}",
                remedy="Use on() for maps with larger cells",
            )
        return found

    def values_at(self, value: str | Operand, cells: Ints) -> Floats:
        """Return the values of a map in some cells, (N,)."""
        found = self.once(("map", id(value)), lambda: self.map_of(value))
        if isinstance(found, Expression):
            return found.values_at(cells).astype(np.float64)
        if isinstance(found, DistanceMap):  # searches only as far as these cells need
            return found.measured(cells)
        return np.asarray(found.values.reshape(-1)[cells], dtype=np.float64)
