"""Maps of teams that a page shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.layers.teams import Teams
from fieldcraft.values.operand import Operand
from fieldcraft.view.own_scales import share_table
from fieldcraft_lab.function_map import FunctionMap

OWNER = "owner"
"""The name of the map of owners."""


def owner_map(teams: Teams, owner: Callable[[], ArrayLike]) -> FunctionMap:
    """Return the map of the number of each cell's team, as `owner` returns it."""
    space = teams[teams.names[0]].space
    return FunctionMap(OWNER, space, owner, lambda: teams.tension().version)


def maps_of(teams: Teams) -> dict[str, Operand]:
    """Return the owner of each cell and the other maps that follow from teams, by name."""
    found: dict[str, Operand] = {
        OWNER: owner_map(teams, teams.owner),
        "tension": teams.tension(),
        "contested": teams.contested(),
    }
    for name in teams.names:
        found[f"influence {name}"] = teams.influence(name)
        found[f"share {name}"] = teams.share(name)
    return found


def share_tables(
    teams: Sequence[tuple[str, str]], *, light: bool = False
) -> dict[str, NDArray[np.uint8]]:
    """Return the color table of the share of each team, by the name of the map; `teams` are names
    and colors.
    """
    names = [name for name, _ in teams]
    colors = [color for _, color in teams]
    return {f"share {name}": share_table(names, colors, name, light=light) for name in names}
