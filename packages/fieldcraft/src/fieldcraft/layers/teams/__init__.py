"""Teams: who controls which ground."""

from fieldcraft.layers.teams.teams import Teams

__all__ = ["Teams"]
