"""The share of a team in the presence of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft.values.expression import Expression, expression_of
from fieldcraft.values.operand import Operand

if TYPE_CHECKING:
    from fieldcraft.layers.teams.teams import Teams


class TeamShare(Expression):
    """The map `teams.share(team)`. Pictures tell cells of other teams from cells of none by it."""

    def __init__(self, share: Operand, teams: Teams, team: str) -> None:
        made = expression_of(share)
        super().__init__(made.node, made.ground, made.written)
        self.teams = teams
        self.team = team

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """The cells without a presence of any team."""
        return np.equal(self.teams.tension().values, 0)
