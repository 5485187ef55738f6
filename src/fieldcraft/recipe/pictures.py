"""The pictures of a running recipe."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.recipe.parts import OutputPart
from fieldcraft.recipe.world import World
from fieldcraft.view import ColorScale, ScaleLegend, TeamLegend, frame, frame_teams, sheet, tinted
from fieldcraft.view.frame import Team
from fieldcraft.view.text import measure

__all__ = ["SIZES", "Painter", "Panels", "caption_of", "clock", "limits_of", "panels"]

_FADING = {
    "starcraft": "Replays tell positions rarely: a unit stands where it was last seen, and its strength halves every {seconds} s since. "
    "Buildings do not fade.",
    "csv": "Recorded strengths halve every {seconds} s until the next sample.",
}
SIZES = {"still": 960, "film": 640}


@dataclass(frozen=True)
class Panels:
    """The drawn maps of one moment, uint8 of shape (H, W, 4) each, with their titles and the legend for all."""

    frames: list[NDArray[np.uint8]]
    titles: list[str]
    legend: ScaleLegend | TeamLegend


def clock(seconds: float, whole: float) -> str:
    """A moment as people read it: 12.4 s, or 3:05 where the whole lasts two minutes or more."""
    if whole < 120:
        return f"{seconds:.1f} s"
    rounded = math.floor(seconds + 1e-6)
    return f"{rounded // 60}:{rounded % 60:02d}"


def caption_of(worlds: Sequence[World], output: OutputPart) -> str:
    """The caption of an output, with what a viewer must know of recordings whose old positions fade."""
    found: dict[str, set[float]] = {}
    for world in worlds:
        for kind, half_lives in world.fading(output.layers).items():
            found.setdefault(kind, set()).update(half_lives)
    notes = []
    for kind, half_lives in found.items():
        numbers = [f"{seconds:g}" for seconds in sorted(half_lives)]
        several = " or ".join([", ".join(numbers[:-1]), numbers[-1]]) if len(numbers) < 6 else f"{numbers[0]} to {numbers[-1]}"
        notes.append(_FADING[kind].format(seconds=numbers[0] if len(numbers) == 1 else several))
    return " ".join([output.look.get("caption", ""), *notes]).strip()


def limits_of(worlds: Iterable[World], output: OutputPart) -> tuple[float, float]:
    """The values at the ends of an output's colours: the recipe's `limits`, or all that anything brings in, 0 included."""
    if output.look.get("limits"):
        low, high = output.look["limits"]
        return (low, high)
    ranges = [world.strongest(name) for world in worlds for name in output.layers]
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    return (low, high) if low < high else (0.0, 1.0)


def panels(world: World, output: OutputPart, limits: tuple[float, float], size: int) -> Panels:
    """The maps of this moment, at most `size` pixels along a side unless the recipe says otherwise.

    One layer has a colour bar. Several are drawn together in one hue each, or, where one may have negative values or the recipe says
    `together = false`, side by side.
    """
    look = output.look
    threshold, colors = look.get("threshold", 0.0), look.get("colors")
    drawing: dict[str, Any] = {"space": world.imap.space, "size": look.get("size", size)}
    if world.ground is not None:
        drawing["ground"] = world.ground
    drawing.update((key, look[key]) for key in ("scale", "crop", "sources") if key in look)
    layers = [world.imap[name] for name in output.layers]
    never_negative = min(limits[0], *(world.strongest(name)[0] for name in output.layers)) >= 0
    if len(layers) > 1 and look.get("together", True) and never_negative:
        hues = colors or [None] * len(layers)
        teams = [(layer, hue, layer.name) for layer, hue in zip(layers, hues, strict=True)]
        drawn = frame_teams(teams, limits=limits, threshold=threshold, **drawing)
        return Panels([drawn], [""], TeamLegend(Team.all_of(teams), ColorScale(*limits, threshold)))
    table = tinted(colors[0]) if colors and len(layers) == 1 else None
    scale = ColorScale(*limits, threshold, table)
    beyond = (
        any(bool((layer.values < np.float32(scale.low)).any()) for layer in layers),
        any(bool((layer.values > np.float32(scale.high)).any()) for layer in layers),
    )
    names = [layer.name for layer in layers]
    legend = ScaleLegend(scale, names[0] if len(names) == 1 else "", beyond=beyond)
    return Panels([frame(layer, colors=scale, **drawing) for layer in layers], names if len(names) > 1 else [""], legend)


class Painter:
    """Draws one output of one world, or of several side by side, moment by moment.

    All its pictures have the same size, and the same colours for the same values. `names` are the titles of the worlds, `size` the
    pixels along a side of each map at most, `columns` how many maps stand beside each other.
    """

    def __init__(
        self, worlds: Sequence[World], output: OutputPart, *, size: int, names: Sequence[str] = ("",), columns: int | None = None
    ) -> None:
        self.worlds, self.output, self.size = worlds, output, size
        self.names, self.columns = names, columns
        self.limits = limits_of(worlds, output)
        self.caption = caption_of(worlds, output)
        self._shape: tuple[int, int] | None = None

    def draw(self) -> NDArray[np.uint8]:
        """The whole picture of this moment: uint8 of shape (H, W, 4)."""
        recipe = self.worlds[0].recipe
        whole = recipe.run.seconds
        if self._shape is None:
            # A title can be wider than the maps, and some digits are wider than others.
            widest = max("0123456789", key=measure)
            self._shape = self._page(re.sub(r"\d", widest, clock(whole, whole))).shape[:2]
        page = self._page(clock(self.worlds[0].seconds, whole))
        missing = [max(0, most - now) for most, now in zip(self._shape, page.shape[:2], strict=True)]
        padded = np.pad(page, ((0, missing[0]), (0, missing[1]), (0, 0)), mode="edge")
        return padded[: self._shape[0], : self._shape[1]]

    def _page(self, moment: str) -> NDArray[np.uint8]:
        frames, titles = [], []
        for world, name in zip(self.worlds, self.names, strict=True):
            shown = panels(world, self.output, self.limits, self.size)
            frames += shown.frames
            titles += [", ".join(part for part in (name, title) if part) for title in shown.titles]
        recipe = self.worlds[0].recipe
        title = str(self.output.look.get("title", recipe.title))
        if recipe.run.seconds:
            title += f", {moment}"
        names = titles if any(titles) else None
        return sheet(frames, names, columns=self.columns, legend=shown.legend, title=title, caption=self.caption)
