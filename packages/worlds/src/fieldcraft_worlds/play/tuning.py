"""The sliders of a game in the inputs of a player."""

from __future__ import annotations

from collections.abc import Mapping

from fieldcraft_worlds.games.game import Game, Slider
from fieldcraft_worlds.play.bindings import SLIDER_KEYS, sliders_of
from fieldcraft_worlds.view.panel import PanelSlider

__all__ = ["Tuning"]

_PATIENCE, _PACE = (
    0.35,
    25.0,
)  # seconds until a key that is held down goes on by itself, and then notches a second


class Tuning:
    """Which slider is chosen, which is dragged, and what the player wants that the game has not
    been told yet.
    """

    def __init__(self, game: Game) -> None:
        self._sliders = {slider.name: slider for slider in sliders_of(game)}
        self._keys = {
            key: (slider.name, by)
            for slider in self._sliders.values()
            for key, by in zip(slider.keys, (-1, 1), strict=False)
        }
        self._chosen = next(iter(self._sliders), "")
        self._dragged: str | None = None
        self._wanted: dict[str, float] = {}
        self._down: dict[str, float] = {}  # keys that are held, and for how long

    @property
    def is_dragging(self) -> bool:
        """Whether the mouse holds a slider."""
        return self._dragged is not None

    def values(self, tuned: Mapping[str, float]) -> dict[str, float]:
        """Where the sliders stand, what is still wanted included; `tuned` is what the game says."""
        return {name: self._wanted.get(name, tuned[name]) for name in self._sliders}

    def take(self, tuned: Mapping[str, float]) -> dict[str, float]:
        """The changes for the game, which are then told."""
        told = {name: value for name, value in self._wanted.items() if value != tuned[name]}
        self._wanted.clear()
        return told

    def forget(self) -> None:
        """Another match: nothing is wanted any more."""
        self._wanted.clear()
        self._dragged = None

    def press(self, key: str, tuned: Mapping[str, float]) -> bool:
        """A key goes down; answers whether it is one of the sliders'."""
        if not self._sliders or (key not in SLIDER_KEYS and key not in self._keys):
            return False
        if key in ("key f3", "key f4"):
            names = list(self._sliders)
            self._chosen = names[(names.index(self._chosen) + SLIDER_KEYS[key]) % len(names)]
        else:
            self._down[key] = 0.0
            self._nudge(key, 1, tuned)
        return True

    def release(self, key: str) -> None:
        """A key comes up."""
        self._down.pop(key, None)

    def release_all(self) -> None:
        """Nothing is held any more."""
        self._down.clear()
        self._dragged = None

    def advance(self, seconds: float, tuned: Mapping[str, float]) -> None:
        """So much time passed: keys that are held go on moving their sliders."""
        for key, since in self._down.items():
            before, after = (
                max(0.0, time - _PATIENCE) * _PACE for time in (since, since + seconds)
            )
            self._down[key] = since + seconds
            if notches := int(after) - int(before):
                self._nudge(key, notches, tuned)

    def grab(self, name: str, share: float) -> None:
        """The mouse takes a slider, at a share of the way."""
        self._dragged = self._chosen = name
        self.drag(share)

    def drag(self, share: float) -> None:
        """The mouse draws the slider that it has to a share of the way."""
        if self._dragged is not None:
            self._wanted[self._dragged] = self._sliders[self._dragged].at(share)

    def drop(self) -> None:
        """The mouse lets go."""
        self._dragged = None

    @property
    def dragged(self) -> str:
        """The slider that the mouse has, "" for none."""
        return self._dragged or ""

    def wheel(self, name: str, steps: float, tuned: Mapping[str, float]) -> None:
        """The wheel turned over a slider."""
        self._chosen = name
        self._move(name, 1 if steps > 0 else -1, tuned)

    def lines(self, tuned: Mapping[str, float]) -> tuple[PanelSlider, ...]:
        """The sliders for the panel."""
        several = len(self._sliders) > 1
        return tuple(
            PanelSlider(
                name,
                slider.text,
                f"{value:.4g}",
                slider.share(value),
                several and name == self._chosen,
            )
            for (name, slider), value in zip(
                self._sliders.items(), self.values(tuned).values(), strict=True
            )
        )

    def said(self, tuned: Mapping[str, float]) -> str:
        """The chosen slider in words, for windows without a panel."""
        slider = self._sliders[self._chosen]
        return f"{slider.text} {self.values(tuned)[self._chosen]:.4g}"

    def help_lines(self) -> tuple[tuple[str, str], ...]:
        """The lines of help on the keys of sliders; empty where there are none."""
        if not self._sliders:
            return ()
        own = [
            (" ".join(key.removeprefix("key ") for key in slider.keys), slider.text)
            for slider in self._sliders.values()
            if slider.keys
        ]
        return (
            *own,
            ("f3 f4", "choose a slider"),
            ("f6 f7", "move it: less, more; so do the wheel and the mouse"),
        )

    def _nudge(self, key: str, notches: int, tuned: Mapping[str, float]) -> None:
        name, by = self._keys.get(key) or (self._chosen, SLIDER_KEYS[key])
        self._chosen = name
        self._move(name, by * notches, tuned)

    def _move(self, name: str, notches: int, tuned: Mapping[str, float]) -> None:
        slider: Slider = self._sliders[name]
        self._wanted[name] = slider.moved(self._wanted.get(name, tuned[name]), notches)
