"""Teams: their influence, the ground that each owns, and front lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from operator import add
from types import MappingProxyType
from typing import Any, Protocol, cast, runtime_checkable

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, NameTaken, UnknownName
from fieldcraft.base.missing_names import Suggesting, SuggestingArguments
from fieldcraft.base.pictured import Pictured
from fieldcraft.base.words import Strongest
from fieldcraft.layers import Layer, SourceLayer
from fieldcraft.layers.propagation import Propagation
from fieldcraft.layers.teams.front_lines import FrontLine, front_lines, graph_front_lines
from fieldcraft.layers.teams.owners import Owners, owners, regions
from fieldcraft.layers.teams.share import TeamShare
from fieldcraft.layers.teams.survey import Survey, Surveyed
from fieldcraft.space import Grid
from fieldcraft.space.regions import Regions
from fieldcraft.values import functions
from fieldcraft.values.expression import expression_of
from fieldcraft.values.layered import Layered
from fieldcraft.values.operand import Operand


@runtime_checkable
class LayerOwner(Layered, Protocol):
    """An influence map, to which layers can be added."""

    @property
    def layers(self) -> Mapping[str, Layer]:
        """The layers by name."""
        ...

    @property
    def add_layer(self) -> Callable[..., Layer]:
        """Add a layer."""
        ...


class Teams(Pictured, Suggesting, SuggestingArguments):
    """Layers of one influence map, each the influence of one team, and the maps that follow from
    them.

    `imap.add_teams(names, ...)` adds the layers, and `imap.teams` has the teams, also on a copy or
    a loaded map; `Teams(imap, names)` uses existing layers. `teams["red"]` is the layer of red,
    which takes sources. Teams are numbered in the order of their names.

    The presence of a team in a cell is the magnitude of its layer there. All maps are made of
    presences, except `influence`, which is signed. Maps are expressions: they follow the layers and
    can be used wherever a layer can. A map with the same arguments is the same object.

    Parameters
    ----------
    imap : InfluenceMap
        The influence map that has the layers.
    names : iterable of str
        The names of one layer or more.
    hostile : mapping of str to iterable of str, optional
        The enemies of each team; a team without an entry has none. By default all teams are enemies
        of each other. It matters for `influence`, `vulnerability(team)` and `front_lines`.

    Raises
    ------
    UnknownName
        If there is no layer of a name.
    InvalidValue
        If a name comes twice, or the layers have different cells.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(5, 1))
    >>> teams = imap.add_teams(["red", "blue"], fc.Radial(4, "linear", metric="straight"))
    >>> red = teams["red"].add_source((0.5, 0.5), 4)
    >>> blue = teams["blue"].add_source((4.5, 0.5), 4)
    >>> imap.step()
    >>> teams.influence("red").values
    array([[ 4.,  2.,  0., -2., -4.]], dtype=float32)
    >>> teams.owner()
    array([[0, 0, 0, 1, 1]], dtype=int32)
    """

    def __init__(
        self,
        imap: LayerOwner,
        names: Iterable[str],
        *,
        hostile: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        checks.instance(
            imap, LayerOwner, "Teams are layers of an influence map", "Pass fc.InfluenceMap(space)"
        )
        self._layers = {
            name: cast(SourceLayer, _layer(imap, name)) for name in _checked_names(names)
        }
        self._numbers = {name: number for number, name in enumerate(self._layers)}
        self._made: dict[object, Operand] = {}
        self._surveys = {"total": Survey(tuple(self._layers.values()), "total")}
        self._hostile = _checked_table(hostile, tuple(self._layers))

    def __getitem__(self, name: str) -> SourceLayer:
        return self._layers[self._checked(name)]

    def __contains__(self, name: object) -> bool:
        return name in self._layers

    def __iter__(self) -> Iterator[str]:
        return iter(self._layers)

    def __len__(self) -> int:
        return len(self._layers)

    def __repr__(self) -> str:
        return f"<Teams {', '.join(self._layers)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The names; a team's number is its place here."""
        return tuple(self._layers)

    @property
    def layers(self) -> Mapping[str, SourceLayer]:
        """The layers by the names of their teams, read-only."""
        return MappingProxyType(self._layers)

    @property
    def hostile(self) -> Mapping[str, tuple[str, ...]]:
        """The enemies of each team, `{name: names of its enemies}`, read-only."""
        return MappingProxyType(self._hostile)

    # Maps

    def influence(self, team: str) -> Operand:
        """Return the team's layer minus the layers of its enemies: above 0 where it is stronger."""
        own = self[team]
        enemies = [self[name] for name in self._hostile[team]]
        make = lambda: own - reduce(add, enemies) if enemies else expression_of(own)  # noqa: E731
        return self._map(("influence", team), f"influence of {team}", make)

    def tension(self) -> Operand:
        """Return the sum of the presences of all teams."""
        return self._surveyed("tension", "total")

    def contested(self) -> Operand:
        """Return twice the presence of all teams but the strongest, for any number of teams; 0
        where one team is alone.
        """
        return self._surveyed("contested", "contested")

    def vulnerability(self, team: str | None = None, *, stake: float = 0.0) -> Operand:
        """Return where influences meet.

        Parameters
        ----------
        team : str, optional
            Without it, for two teams: tension minus the magnitude of influence, `T - |I|`. For
            layers that are not negative this is twice the weaker presence, the same bits as
            `contested()`. With it: twice the smaller of the team's presence and that of its enemies
            together.
        stake : float
            Least presence of the team, in cells with less the value is 0.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(4, 1))
        >>> red = imap.add_layer("red", values=[[3, 2, 1, 0]])
        >>> blue = imap.add_layer("blue", values=[[0, 1, 2, 3]])
        >>> teams = fc.Teams(imap, ["red", "blue"])
        >>> teams.vulnerability().values
        array([[0., 2., 2., 0.]], dtype=float32)
        >>> teams.vulnerability("red", stake=2).values
        array([[0., 2., 0., 0.]], dtype=float32)
        """
        least = checks.not_negative("stake", stake)
        if team is not None:
            name = self._checked(team)
            make = lambda: self._vulnerable(name, least)  # noqa: E731
            return self._map(("vulnerability", name, least), f"vulnerability of {name}", make)
        if least or len(self) != 2:
            raise InvalidValue(
                "vulnerability() without a team compares two teams, and has no stake",
                got=f"{len(self)} teams and stake={stake!r}",
                remedy="Use contested(), or pass a team's name",
            )
        return self._surveyed("vulnerability", "contested")

    def share(self, team: str) -> Operand:
        """Return the team's presence over that of all teams: 0 to 1, and 0 where there is none."""
        own = self[team]
        make = lambda: TeamShare(abs(own) / self.tension(), self, team)  # noqa: E731
        return self._map(("share", team), f"share of {team}", make)

    # Ownership

    def owner(self, by: Strongest = "total", *, margin: float = 0.0) -> Owners:
        """Return the owner of each cell, an array that can be sampled and used as a map.

        Parameters
        ----------
        by : {"total", "source"}
            By "total" the team with the largest presence owns a cell, by "source" the one with the
            strongest single source. That takes layers with `fc.Radial`; it is as of their last
            step, or after a load, as of the sources.
        margin : float
            Least lead over the second team.

        Returns
        -------
        Owners
            An int32 array in the space's shape: numbers of teams, -1 where no team leads by the
            margin; of equals the first team owns. Read-only and valid until the next change; the
            other maps of teams are expressions, which follow the layers. With `values`, `space` and
            `sample` it can be used where a map can.

        Raises
        ------
        InvalidValue
            If an argument has a wrong value.
        """
        survey = self._survey(by)
        ahead = checks.not_negative("margin", margin)
        if ahead > 0:
            numbers = survey.lead(ahead)
        else:
            numbers = survey.leader
        return owners(numbers, survey, ahead)

    def front_lines(self, by: Strongest = "total") -> list[FrontLine]:
        """Return the lines between the ground of hostile teams, as polylines in world units.

        On a grid a line runs where two teams are equally strong, between the centers of cells of
        both. It ends at walls, at the rim, and where no team or a third one owns; on a torus it may
        cross the rim by half a cell to meet the other end there. In a corridor or an opening one
        cell wide the line runs straight across the step between the two cells, and is as long as a
        cell is wide.

        On hexagons and meshes a line follows the sides between cells of two teams, where an open
        edge crosses them. On a graph without polygons each open edge between two teams is a front
        of a single point.

        Parameters
        ----------
        by : {"total", "source"}
            As in `owner`.

        Returns
        -------
        list[FrontLine]
            Each with `teams`, `points`, `length` and, on a graph, `edges`.
        """
        survey = self._survey(by)

        def hostile(one: int, other: int) -> bool:
            first = self.names[one]
            second = self.names[other]
            return second in self._hostile[first] or first in self._hostile[second]

        space = survey.space
        found = (self.names, survey.leader, survey.presence, hostile)
        if isinstance(space, Grid):
            return front_lines(space, *found)
        return graph_front_lines(space, *found)

    def regions(self, by: Strongest = "total", *, margin: float = 0.0) -> Regions:
        """Return the connected regions of cells with one owner.

        Cells belong together if a step of the space leads from one to the other, in either
        direction.

        Parameters
        ----------
        by, margin
            As in `owner`.
        """
        survey = self._survey(by)
        return regions(survey.space, self.names, self.owner(by, margin=margin), survey.presence)

    def _checked(self, team: str) -> str:
        if not isinstance(team, str) or team not in self._layers:
            raise UnknownName("team", team, self._layers)
        return team

    def _map(self, key: object, name: str, make: Callable[[], Operand]) -> Operand:
        """Return the map of a key, made once."""
        if key not in self._made:
            made = self._made[key] = make()
            made.name = name
        return self._made[key]

    def _surveyed(self, name: str, column: str) -> Operand:
        survey = self._surveys["total"]
        return self._map(name, name, lambda: expression_of(Surveyed(survey, name, column)))

    def _vulnerable(self, team: str, stake: float) -> Operand:
        own = abs(self[team])
        enemies = [abs(self[name]) for name in self._hostile[team]]
        if not enemies:
            return 0 * own
        threatened = 2 * functions.minimum(own, reduce(add, enemies))
        if stake:
            return functions.where(own >= stake, threatened, 0)
        return threatened

    def _survey(self, by: Strongest) -> Survey:
        if checks.choice("by", by, ("total", "source")) not in self._surveys:
            self._surveys[by] = Survey(tuple(self._layers.values()), by)
        return self._surveys[by]


def add_teams(
    imap: LayerOwner,
    names: Iterable[str],
    propagation: Propagation,
    *,
    hostile: Mapping[str, Iterable[str]] | None,
    **settings: Any,
) -> Teams:
    """See `InfluenceMap.add_teams`."""
    wanted = _checked_names(names)
    taken = [name for name in wanted if name in imap.layers]
    if taken:
        raise NameTaken(
            "Layer names differ",
            got=f"{taken[0]!r}, which exists",
            remedy="Choose others, or use fc.Teams(imap, names)",
        )
    _checked_table(hostile, wanted)
    if propagation is None:
        raise InvalidValue(
            "A team's influence propagates",
            got="None",
            remedy="Pass fc.Radial(radius), or fc.Spread(decay, momentum)",
        )
    for name in wanted:
        imap.add_layer(name, propagation, **settings)
    return Teams(imap, wanted, hostile=hostile)


def _layer(imap: LayerOwner, name: str) -> Layer:
    if name not in imap.layers:
        raise UnknownName("layer", name, imap.layers)
    return imap.layers[name]


def _checked_names(names: Iterable[str]) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidValue(
            "Teams are named by a list of words", got=repr(names), remedy='Pass ["red", "blue"]'
        )
    listed = tuple(checks.sequence("names", names))
    wrong = [name for name in listed if not isinstance(name, str) or not name]
    if wrong or not listed:
        raise InvalidValue(
            "There is at least one team, and a team's name is a word or more",
            got=repr(wrong[0]) if wrong else "no names",
            remedy='Pass ["red", "blue"]',
        )
    if len(set(listed)) != len(listed):
        twice = next(name for name in listed if listed.count(name) > 1)
        raise InvalidValue(
            "Teams have different names",
            got=f"{twice!r} twice",
            remedy="Give each team its own name",
        )
    return listed


def _checked_table(table: Any, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the enemies of each team, in the order of `names`."""
    if table is None:
        return {name: tuple(other for other in names if other != name) for name in names}
    if not isinstance(table, Mapping):
        raise InvalidValue(
            "hostile is a table of teams and their enemies",
            got=repr(table)[:80],
            remedy='Pass {"red": ["blue"], "blue": ["red"]}',
        )
    found: dict[str, tuple[str, ...]] = {}
    for name, enemies in table.items():
        if isinstance(enemies, str) or not isinstance(enemies, Iterable):
            raise InvalidValue(
                "A team's enemies are a list",
                got=f"{enemies!r} for {name!r}",
                remedy='Pass {"red": ["blue"]}',
            )
        listed = list(enemies)
        for each in (name, *listed):
            if each not in names:
                raise UnknownName("team", each, names)
        if name in listed:
            raise InvalidValue(
                "A team is not its own enemy",
                got=f"{name!r} among the enemies of {name!r}",
                remedy="Leave it out",
            )
        found[name] = tuple(other for other in names if other in listed)
    return {name: found.get(name, ()) for name in names}
