"""A map that a program or a notebook goes on using, as pages see it."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, ClassVar

from fieldcraft.errors import InvalidValue
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer.operand import Operand
from fieldcraft_lab import answers, protocol
from fieldcraft_lab.knobs import settings
from fieldcraft_lab.live import shortest_interval
from fieldcraft_lab.obeying import obey
from fieldcraft_lab.orders import ORDERS
from fieldcraft_lab.pictures import Painter
from fieldcraft_lab.planes import shape_of
from fieldcraft_lab.showing import described, state_of
from fieldcraft_lab.stage import Stage

__all__ = ["Program"]


class Program:
    """Answers pages about a map, whose settings, walls and sources they may change."""

    kind: ClassVar[str]

    def __init__(self, imap: InfluenceMap) -> None:
        self.stage = Stage()
        self._imap = imap
        self._painter = Painter()
        self._shape = shape_of(imap.space)
        self._beginnings = {name: settings(layer) for name, layer in imap.layers.items()}

    def _live(self, maps: Mapping[str, Operand] | None = None) -> Any:
        """The map as a live world; `maps` stand for its layers."""
        imap = self._imap
        return SimpleNamespace(
            title="",
            kind=self.kind,
            step_seconds=shortest_interval(imap),
            end=None,
            maps=imap.layers if maps is None else maps,
            imap=imap,
            space=imap.space,
        )

    def hello(self) -> dict[str, Any]:
        """The greeting of a page."""
        live = self._live()
        session: Any = SimpleNamespace(live=live, beginnings=self._beginnings)
        return {**described(session, self._shape.told), "sides": {"a": state_of(live)}}

    def _done(self, message: Any) -> dict[str, Any] | None:
        if isinstance(message, answers.QUESTIONS):
            return answers.answered(message, self._live(), self._painter.map_of)
        if isinstance(message, protocol.Ask):
            return {"hello": self.hello()}
        if not isinstance(message, ORDERS):
            raise InvalidValue(
                f"Time belongs to the {self.kind} that uses the map",
                got=type(message).__name__.lower(),
                remedy="Open a copy with fc.lab.serve(imap) to go back in time, fork and keep",
            )
        obey(message, self._imap)
        return None

    def _status(self, live: Any, seconds: float, *, playing: bool) -> dict[str, Any]:
        moment = round(seconds / live.step_seconds)
        return {
            "moment": moment,
            "seconds": seconds,
            "furthest": moment,
            "playing": playing,
            "speed": 1.0,
            "orders": 0,
            "totals": {"a": self._painter.totals(live)},
        }
