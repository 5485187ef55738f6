"""Sliders of a game in a window: the dragged one, and values not yet sent to the game."""

from __future__ import annotations

from collections.abc import Mapping

from fieldcraft_worlds.games.game import Game
from fieldcraft_worlds.play.inputs import sliders_of
from fieldcraft_worlds.view.panel import PanelSlider

Values = Mapping[str, float]


class SliderState:
    """Which slider the mouse drags, and the values that the game has not received yet."""

    def __init__(self, game: Game) -> None:
        self._sliders = {slider.name: slider for slider in sliders_of(game)}
        self._pending: dict[str, float] = {}
        self.dragged: str | None = None

    def take(self, current: Values) -> dict[str, float]:
        """Return the changes for the game, and forget them; `current` are its values."""
        changes = {name: value for name, value in self._pending.items() if value != current[name]}
        self._pending.clear()
        return changes

    def clear(self) -> None:
        """Forget all changes."""
        self._pending.clear()
        self.dragged = None

    def drag(self, name: str, share: float) -> None:
        """Drag a slider to a share of its length."""
        self.dragged = name
        self._pending[name] = self._sliders[name].at(share)

    def wheel(self, name: str, steps: float, current: Values) -> None:
        """Move a slider by a notch."""
        value = self._pending.get(name, current[name])
        notches = -1
        if steps > 0:
            notches = 1
        self._pending[name] = self._sliders[name].moved(value, notches)

    def lines(self, current: Values) -> tuple[PanelSlider, ...]:
        """Return the sliders for the panel, with values that the game has not received yet."""
        lines = []
        for name, slider in self._sliders.items():
            value = self._pending.get(name, current[name])
            lines.append(PanelSlider(name, slider.text, f"{value:.4g}", slider.share(value)))
        return tuple(lines)
