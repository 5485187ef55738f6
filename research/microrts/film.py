"""Films of matches: who holds the ground, and where units stand."""

from __future__ import annotations

from pathlib import Path

from fieldcraft.view import ColorScale, Film, Placement, draw_dots, frame
from research.microrts.board import Settings
from research.microrts.game import State
from research.microrts.maps import Maps

_OWN = "#ff9d3c"
_FOE = "#4db8ff"
_DEPOSIT = "#7ee081"
_DOTS = {"Base": 1.0, "Barracks": 0.85, "Heavy": 0.7, "Light": 0.55, "Ranged": 0.45}
_SCALE = 24  # pixels a cell
_EVERY = 5  # cycles


class Camera:
    """Films a match as it is played; `watch` goes to `Arena.play`.

    Colors are the presence of the agent's fighters (warm) less that of the enemy's (cool); dots are
    units, the larger the heavier, and squares in green deposits.
    """

    def __init__(self, path: Path) -> None:
        self._film = Film(path, fps=20, quality=60)
        self._maps: Maps | None = None
        self._next = 0

    def watch(self, state: State) -> None:
        """Take a frame every few cycles."""
        if state.time < self._next:
            return
        self._next = state.time + _EVERY
        if self._maps is None:
            self._maps = Maps(state, Settings())
        self._maps.update(state)
        grid = self._maps.grid
        held = self._maps.presence(False) - self._maps.presence(True)
        scale = ColorScale(-12, 12, None)
        picture = frame(held, space=grid, colors=scale, scale=_SCALE)
        place = Placement(grid, scale=_SCALE)
        for unit in state.units:
            if unit.player < 0:
                color = _DEPOSIT
            elif unit.player == state.me:
                color = _OWN
            else:
                color = _FOE
            width = _SCALE * _DOTS.get(unit.kind.name, 0.3)
            draw_dots(picture, place, unit.cell, color=color, width=width)
        self._film.add(picture)

    def close(self) -> None:
        """Write the film."""
        self._film.close()
