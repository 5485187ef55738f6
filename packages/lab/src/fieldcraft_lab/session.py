"""The session: a live world, the log of orders that it was given, and keyframes; any moment of it
comes back bit for bit.
"""

from __future__ import annotations

import copy
import math
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from fieldcraft import checks, packing
from fieldcraft.errors import BadSaveFile, FieldcraftError, InvalidValue
from fieldcraft.files import damaged, newer, sealed, write_sealed
from fieldcraft.influence_map import InfluenceMap
from fieldcraft_lab.keyframes import Keyframe, Keyframes
from fieldcraft_lab.knobs import settings
from fieldcraft_lab.live import Live, LiveMap, begun

__all__ = ["MAGIC", "MOST_STEPS", "Session"]

MAGIC = b"fieldcraft lab session\n"
_VERSION = 1
_KEYFRAME_SECONDS = 1.0
_MOST_SHARE = 0.05  # of the time goes into keyframes, at most
_MOST_BYTES = 1 << 28
MOST_STEPS = 1 << 40
_MOST_FILE = 1 << 30

Log = list[tuple[int, Any]]


class Session:
    """A run of a live world in whole steps, which can be gone back to, forked, saved and replayed.

    `moment` is the number of steps made; `furthest` the last moment there was; `returns` how often
    the world was taken from a keyframe; `beginnings` the settings of its layers at the beginning.
    An order is done at once, between two steps, and logged with its moment. Who goes back and gives
    an order begins another future; the old one is gone.

    Parameters
    ----------
    world : Live or InfluenceMap
        An influence map, of which the session runs a copy, or a live world before its first step.
    memory : int, optional
        Bytes that keyframes may take.
    """

    def __init__(self, world: Live | InfluenceMap, *, memory: int = _MOST_BYTES) -> None:
        live = LiveMap(world) if isinstance(world, InfluenceMap) else world
        needed = ("origin", "keyframe", "obey", "step_seconds", "digest")
        if not all(hasattr(live, name) for name in needed):
            raise InvalidValue(
                "A session runs an influence map",
                got=type(world).__name__,
                remedy="Pass fc.InfluenceMap, or a world for the lab",
            )
        self.live = live
        self._origin = live.origin()
        self._log: Log = []
        self._obeyed = 0
        self._edits: list[int] = []  # where in the log each edit begins
        self._undone: list[Log] = []
        self.moment = 0
        self.furthest = 0
        self._interval = max(round(_KEYFRAME_SECONDS / live.step_seconds), 1)
        self._keyframes = Keyframes(checks.integer("memory", memory))
        self._started = live.digest()
        self.returns = 0
        imap = getattr(live, "imap", None)
        layers = {} if imap is None else imap.layers
        self.beginnings = {name: settings(layer) for name, layer in layers.items()}
        self._keep()

    @property
    def seconds(self) -> float:
        """The time of the world."""
        return self.moment * self.live.step_seconds

    @property
    def log(self) -> tuple[tuple[int, Any], ...]:
        """All orders, with the moments at which they were given."""
        return tuple(self._log)

    @property
    def keyframes(self) -> list[int]:
        """The moments that are kept whole."""
        return self._keyframes.moments

    @property
    def edits(self) -> list[tuple[int, tuple[Any, ...]]]:
        """The edits up to this moment, the last one last: its moment, and its orders."""
        begins = [begin for begin in self._edits if begin < self._obeyed]
        return [
            (self._log[begin][0], tuple(order for _, order in self._log[begin:end]))
            for begin, end in zip(begins, [*begins[1:], self._obeyed], strict=False)
        ]

    @property
    def undone(self) -> list[tuple[Any, ...]]:
        """The orders of the edits that `redo` brings back, the next one last."""
        return [tuple(order for _, order in group) for group in self._undone]

    def undo(self) -> None:
        """Take back the last edit before this moment, and come to this moment again without it."""
        begin = max((begin for begin in self._edits if begin < self._obeyed), default=None)
        if begin is None:
            raise InvalidValue("An edit can be undone", got="none", remedy="Change something first")
        self._undone.append(self._log[begin : self._obeyed])
        self._revise(self._log[:begin], self._log[begin][0], self.moment)

    def redo(self) -> None:
        """Do again what `undo` took back last."""
        if not self._undone:
            raise InvalidValue("What was undone is done again", got="nothing", remedy="Undo first")
        group = self._undone.pop()
        log = self._log[: self._obeyed]
        self._edits = [*(begin for begin in self._edits if begin < len(log)), len(log)]
        self._revise([*log, *group], group[0][0], max(self.moment, group[-1][0]))

    def _revise(self, log: Log, since: int, moment: int) -> None:
        """Go to a moment with another log, which differs from this one since an earlier moment."""
        self._keyframes.forget_after(since, min(len(log), self._obeyed))
        self._log, self._edits = log, [begin for begin in self._edits if begin < len(log)]
        self._take(self._keyframes.before(moment))
        while self.moment < moment:
            self._step()
        self.furthest = moment

    def obey(self, order: Any, *, joined: bool = False) -> None:
        """Do as an order says, from this moment on; what was known of the future is forgotten.

        With `joined` it belongs to the same edit as the last one, for `undo`. Raises a
        `FieldcraftError` where the world refuses it; then nothing has changed.
        """
        if type(order) not in self.live.orders:
            kinds = ", ".join(kind.__name__ for kind in self.live.orders)
            raise InvalidValue(
                f"Orders to this world are {kinds}",
                got=type(order).__name__,
                remedy="Pass one of these",
            )
        self.live.obey(order)
        del self._log[self._obeyed :]
        self._edits = [begin for begin in self._edits if begin < self._obeyed]
        if not (joined and self._edits):
            self._edits.append(self._obeyed)
        self._undone = []
        self._log.append((self.moment, order))
        self._obeyed += 1
        self._keyframes.forget_after(self.moment)
        self.furthest = self.moment

    def step(self, count: int = 1) -> None:
        """Go on by some steps. Orders that lie in the future, because time was gone back, are given
        again.
        """
        for _ in range(checks.integer("count", count)):
            self._step()

    def _step(self) -> None:
        moment = self.moment
        try:
            self._go_on()
        except FieldcraftError:
            self._take(self._keyframes.before(moment))
            while self.moment < moment:
                self._go_on()
            raise
        self.furthest = max(self.furthest, self.moment)
        if self.moment % self._interval == 0 and self.moment > self._keyframes.moments[-1]:
            self._keep()

    def _go_on(self) -> None:
        self.live.step()
        self.moment += 1
        self._obey_again()

    def _obey_again(self) -> None:
        while self._obeyed < len(self._log) and self._log[self._obeyed][0] == self.moment:
            self.live.obey(self._log[self._obeyed][1])
            self._obeyed += 1

    def _keep(self) -> None:
        begun = time.perf_counter()
        self._keyframes.add(Keyframe(self.moment, self._obeyed, self.live.keyframe()))
        seconds = (time.perf_counter() - begun) / _MOST_SHARE
        self._interval = max(self._interval, math.ceil(seconds / self.live.step_seconds))

    def seek(self, moment: int) -> None:
        """Go to a moment, back or on: to the nearest keyframe before it, and from there by the
        log.
        """
        moment = checks.integer("moment", moment, maximum=MOST_STEPS)
        frame = self._keyframes.before(moment)
        if not frame.moment <= self.moment <= moment:
            self._take(frame)
        while self.moment < moment:
            self._step()

    def _take(self, frame: Keyframe) -> None:
        self.live = self.live.at(frame.data)
        self.returns += 1
        self.moment, self._obeyed = frame.moment, frame.obeyed
        self._obey_again()

    def digest(self) -> str:
        """The SHA-256 of the world at this moment."""
        return self.live.digest()

    def fork(self) -> Session:
        """Another session with the same past, which goes its own way from this moment on."""
        twin = copy.copy(self)
        twin.live = self.live.at(self.live.keyframe())
        twin._log, twin._undone = self._log[: self._obeyed], [*self._undone]
        twin._keyframes = self._keyframes.copy()
        twin._keyframes.forget_after(self.moment)
        twin.furthest = self.moment
        return twin

    def packed(self) -> tuple[bytes, ...]:
        """The parts of the session's file: where the world began, all orders up to this moment, and
        what to find there.
        """
        value = {
            "kind": self.live.kind,
            "origin": self._origin,
            "started": self._started,
            "log": np.frombuffer(
                packing.pack(tuple(self._log[: self._obeyed]), self.live.orders), dtype=np.uint8
            ),
            "moment": self.moment,
            "digest": self.digest(),
        }
        return MAGIC, bytes([_VERSION]), packing.pack(value)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the session, up to this moment, to one file, the old one or the new one whole; see
        `load`.
        """
        write_sealed(checks.path("path", path), self.packed())

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        check: bool = True,
        go: bool = True,
        most_steps: int = 1_000_000,
    ) -> Session:
        """Return the session of a file, at the moment at which it was saved.

        It is safe to load one from a stranger: no code in it is run, and its world comes from
        installed packages only. It gets there step by step, at most `most_steps` of them.

        With `go=False` at its beginning, with all orders ahead. With `check=False` a world that
        begins otherwise than it did then, because its map or its recordings were changed, is not
        refused.

        Raises
        ------
        BadSaveFile
            If the file can't be read, or where the run comes out otherwise than it did.
        """
        target = checks.path("path", path)
        value = _read(target)
        if value["moment"] > checks.integer("most_steps", most_steps, maximum=MOST_STEPS):
            raise BadSaveFile(
                f"A session of at most {most_steps:,} steps is loaded",
                got=f"step {value['moment']:,} in {target}",
                remedy="If you trust the file, pass Session.load(..., most_steps=) more",
            )
        session = cls(begun(value["kind"], value["origin"]))
        if check and session._started != value["started"]:
            raise BadSaveFile(
                "A session goes on where its world begins as it did",
                got=f"another beginning: {target}",
                remedy="Bring its map files back",
            )
        try:
            log = packing.unpack(value["log"].tobytes(), session.live.orders)
        except FieldcraftError as error:
            raise damaged(target, f"a log that can't be read ({error})") from error
        session._take_log(log, value["moment"], target)
        if go:
            try:
                session.seek(value["moment"])
            except FieldcraftError as error:
                raise BadSaveFile(
                    "A session's orders can be followed",
                    got=f"{error} {target}",
                    remedy="Use another copy of it",
                ) from error
            if check and session.digest() != value["digest"]:
                raise BadSaveFile(
                    "A session comes out as it did when it was saved",
                    got=f"another end: {target}",
                    remedy="Use the fieldcraft that wrote it",
                )
        return session

    def _take_log(self, log: Any, end: Any, target: Path) -> None:
        last = 0
        if type(log) is not tuple:
            raise damaged(target, "a log that is no list of orders")
        for entry in log:
            fits = (
                type(entry) is tuple
                and len(entry) == 2
                and type(entry[0]) is int
                and last <= entry[0] <= end
            )
            if not fits or type(entry[1]) not in self.live.orders:
                raise damaged(target, f"a log with {entry!r}"[:120])
            last = entry[0]
        self._log = list(log)
        self._edits = list(range(len(log)))
        self.furthest = end
        self._obey_again()


def _read(target: Path) -> dict[str, Any]:
    with sealed(target, MAGIC, 1) as (file, inside):
        version = file.read(1)[0]
        if version != _VERSION:
            raise newer(target, version, _VERSION)
        if inside > _MOST_FILE:
            raise damaged(target, f"{inside} bytes")
        data = file.read(inside - 1)
    value = packing.unpack(data)
    wanted = {
        "kind": str,
        "origin": dict,
        "started": str,
        "log": np.ndarray,
        "moment": int,
        "digest": str,
    }
    if not isinstance(value, dict) or any(
        type(value.get(name)) is not kind for name, kind in wanted.items()
    ):
        raise damaged(target, "something else than a session")
    if not 0 <= value["moment"] <= MOST_STEPS:
        raise damaged(target, f"moment {value['moment']}")
    return value
