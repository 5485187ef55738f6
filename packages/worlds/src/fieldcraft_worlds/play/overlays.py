"""Which overlays of a game are shown."""

from __future__ import annotations

from collections.abc import Sequence

from fieldcraft.errors import UnknownName
from fieldcraft_worlds.games.game import Game, shown_first
from fieldcraft_worlds.view.panel import PanelKey

__all__ = ["Overlays"]


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
        self._shown = {
            other for other in self._shown if not group or self._all[other].group != group
        } | {name}

    @property
    def shown(self) -> frozenset[str]:
        """The names of those that are shown."""
        return frozenset(self._shown)

    def keys(self) -> tuple[PanelKey, ...]:
        """Lines for the legend."""
        return tuple(
            PanelKey(overlay.key.upper(), overlay.name, overlay.name in self._shown)
            for overlay in self._all.values()
        )
