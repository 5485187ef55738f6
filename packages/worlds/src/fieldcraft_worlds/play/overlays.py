"""Which overlays of a game are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fieldcraft.base.errors import UnknownName
from fieldcraft_worlds.games.game import Game, World, shown_first
from fieldcraft_worlds.scene import Lines, Scene
from fieldcraft_worlds.view.extent import step_of
from fieldcraft_worlds.view.panel import PanelKey

_ANGLES = np.linspace(0, 2 * np.pi, 49)
_ROUND = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)


class Overlays:
    """Which overlays of a game are shown."""

    def __init__(self, game: Game, names: Sequence[str] | None = None) -> None:
        self._all = {overlay.name: overlay for overlay in game.overlays}
        self._shown = set(shown_first(game.overlays))
        if names is not None:
            self._shown.clear()
            for name in names:
                if name not in self._all:
                    raise UnknownName("overlay", name, self._all)
                self.toggle(name)

    def toggle(self, name: str) -> None:
        """Show an overlay in place of others of its group, or hide it."""
        if name in self._shown:
            self._shown.remove(name)
            return
        group = self._all[name].group
        if group:
            self._shown = {other for other in self._shown if self._all[other].group != group}
        self._shown.add(name)

    @property
    def shown(self) -> frozenset[str]:
        """Return the names of those that are shown."""
        return frozenset(self._shown)

    def keys(self) -> tuple[PanelKey, ...]:
        """Return the lines of the legend."""
        return tuple(
            PanelKey(overlay.key.upper(), overlay.name, overlay.name in self._shown)
            for overlay in self._all.values()
        )


def with_brush(
    scene: Scene, world: World, state: Any, position: tuple[float, float] | None
) -> Scene:
    """Return the scene with the outline of the brush around the pointer, in worlds that are
    painted.
    """
    if position is None or not hasattr(world, "brush"):
        return scene
    radius = max(float(world.brush(state)), 0.5 * step_of(scene.space))
    outline = np.array(position) + radius * _ROUND
    ring = Lines((outline,), color="ink", width=1.4, opacity=0.8)
    return replace(scene, lines=(*scene.lines, ring))
