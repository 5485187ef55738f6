"""The layers, teams and maps of a recipe, from their tables to plain parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fieldcraft import checks
from fieldcraft.compose import formula
from fieldcraft.errors import InvalidValue
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.propagation import Radial
from fieldcraft.recipe.parse_kinds import kinds, layer_of
from fieldcraft.recipe.parts import FormulaPart, LayerPart, TeamsPart
from fieldcraft.recipe.section import Problems, Section
from fieldcraft.space import Grid
from fieldcraft.view.colors import parse_color, team_colors

__all__ = ["Names", "indented", "maps_of_teams", "parse_formulas", "parse_layers", "parse_teams"]

_OF_TEAMS = ("radial", "spread")
_NAME = re.compile(r"[^\W\d][\w -]*")
_MOST_TEAMS = 64


@dataclass(frozen=True)
class Names:
    """The names of a recipe, and the things they stand for.

    `acting` are layers and teams by name: what sources go to. `of_teams` are the maps that follow
    from teams, `formulas` those of `[maps]`.
    """

    acting: Mapping[str, LayerPart]
    teams: tuple[str, ...]
    of_teams: tuple[str, ...]
    formulas: tuple[str, ...]

    @property
    def maps(self) -> list[str]:
        """All maps of numbers."""
        return [*self.acting, *self.of_teams, *self.formulas]

    @property
    def pictures(self) -> list[str]:
        """All that can be drawn."""
        return [*self.maps, *(("owner", "share") if self.teams else ())]


def maps_of_teams(teams: tuple[str, ...]) -> tuple[str, ...]:
    """The names of the maps that follow from teams."""
    if not teams:
        return ()
    alone = (
        ("tension", "contested", "vulnerability") if len(teams) == 2 else ("tension", "contested")
    )
    return (
        *alone,
        *(f"{what} {team}" for team in teams for what in ("influence", "share", "vulnerability")),
    )


def parse_layers(root: Section, problems: Problems) -> tuple[LayerPart, ...]:
    """The layers by their tables; a recipe with teams needs none."""
    tables = root.any("layers", {}, lambda value: value)
    if not isinstance(tables, dict) or (not tables and not root.has("teams")):
        problems.add(
            ("layers",),
            "A recipe has at least one layer, or teams. Write [layers.threat] with its keys below,"
            " say.",
        )
        return ()
    parts = []
    for name, table in tables.items():
        section = Section(problems, ("layers", name), table)
        _check_name("layer", name, section)
        parts.append(layer_of(section, name, tuple(kinds())))
        section.finish()
    return tuple(parts)


def parse_teams(
    root: Section, problems: Problems, layers: tuple[LayerPart, ...]
) -> TeamsPart | None:
    """The teams, if the recipe has any."""
    if not root.has("teams"):
        return None
    section = Section(problems, ("teams",), root.any("teams", {}, lambda value: value))
    names = section.names("names", None, "team") or ()
    if len(names) > _MOST_TEAMS:
        problems.add(
            ("teams", "names"),
            f"A recipe has at most {_MOST_TEAMS} teams. Got {len(names)}. Join some.",
        )
        names = names[:_MOST_TEAMS]
    for name in names:
        _check_name("team", name, section)
        if any(layer.name == name for layer in layers):
            problems.add(
                ("teams", "names"),
                f"Teams and layers have different names. Got {name!r} for both. Rename one.",
            )
    colors = section.any("colors", None, lambda value: _colors(value, names))
    part = TeamsPart(
        layer=layer_of(section, "", _OF_TEAMS),
        names=tuple(names),
        colors=tuple(
            colors
            or (
                "#{:02x}{:02x}{:02x}".format(*color)
                for color in team_colors(names, [None] * len(names))
            )
        ),
        owner_by=section.choice("owner_by", ("total", "source"), "total"),
        margin=section.number("margin", 0.0, checks.not_negative),
        stake=section.number("stake", 0.0, checks.not_negative),
        hostile=section.mapping(
            "hostile", None, of=lambda name, enemies: _enemies(name, enemies, names)
        ),
    )
    if part.owner_by == "source" and part.layer.propagation.layer != "radial":
        problems.add(
            ("teams", "owner_by"),
            'owner_by = "source" needs radial teams. Got propagation = "spread". Write owner_by ='
            ' "total".',
        )
    section.finish()
    return part


def parse_formulas(
    root: Section, problems: Problems, acting: tuple[LayerPart, ...], of_teams: tuple[str, ...]
) -> tuple[FormulaPart, ...]:
    """The formulas of `[maps]`, each checked over stand-ins for the maps that it may name."""
    tables = root.any("maps", {}, lambda value: value)
    if not isinstance(tables, dict):
        problems.add(
            ("maps",),
            'maps is a table of formulas. Write [maps] and below it lead = "red - blue", say.',
        )
        return ()
    stand_ins = InfluenceMap(Grid(1, 1))
    named = dict.fromkeys([*(part.name for part in acting if part.name), *of_teams])
    known: dict[str, Any] = {name: stand_ins.add_layer(name, Radial(1.0)) for name in named}
    parts = []
    for name, text in tables.items():
        keys = ("maps", name)
        if not _NAME.fullmatch(name):
            problems.add(
                keys,
                "The name of a map begins with a letter and has letters, digits, _, - and spaces."
                f" Got {name!r}. Rename it.",
            )
        if name in known or name in ("owner", "share"):
            problems.add(
                keys,
                f"Maps, layers and teams have different names. Got {name!r}, which there is. Rename"
                " the map.",
            )
            continue
        try:
            known[name] = formula(text, known)
        except InvalidValue as error:
            problems.add(keys, f"maps.{name}: {indented(error)}")
            known[name] = stand_ins.add_layer(name, Radial(1.0))
            continue
        parts.append(FormulaPart(keys, name, text))
    return tuple(parts)


def indented(error: Exception) -> str:
    """A refusal of several lines as part of a list of problems."""
    return str(error).replace("\n", "\n    ")


def _check_name(what: str, name: str, section: Section) -> None:
    if not _NAME.fullmatch(name):
        section.problems.add(
            section.keys,
            f"The name of a {what} begins with a letter and has letters, digits, _, - and spaces."
            f" Got {name!r}. Rename it.",
        )


def _enemies(name: str, enemies: object, names: tuple[str, ...]) -> tuple[str, ...]:
    listed = enemies if isinstance(enemies, list) else [enemies]
    for each in (name, *listed):
        if each not in names:
            raise InvalidValue(
                "hostile has teams and lists of teams",
                got=repr(each)[:60],
                remedy=f"The teams are: {', '.join(names)}",
            )
    if not isinstance(enemies, list) or name in enemies or len(set(enemies)) < len(enemies):
        raise InvalidValue(
            "A team's enemies are a list of others",
            got=f"{name} = {enemies!r}"[:80],
            remedy='Write hostile = { red = ["blue"] }, say',
        )
    return tuple(enemies)


def _colors(value: Any, names: tuple[str, ...]) -> list[str]:
    if not isinstance(value, list) or len(value) != len(names):
        raise InvalidValue(
            f"colors has one colour for each team: {', '.join(names)}",
            got=repr(value)[:60],
            remedy='Write ["#3fa7f5"]',
        )
    for color in value:
        parse_color(color)
    return value
