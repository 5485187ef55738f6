"""The session: a live world, the log of its orders, and keyframes. Any moment of it can be restored
bit for bit.
"""

from __future__ import annotations

import copy
import math
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import BadSaveFile, FieldcraftError, InvalidValue
from fieldcraft.base.files import damaged, in_file, newer, sealed, write_sealed
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.space import encoding
from fieldcraft_lab.controls import settings
from fieldcraft_lab.keyframes import Keyframe, Keyframes
from fieldcraft_lab.live import Live, LiveMap
from fieldcraft_lab.opening import world_of
from fieldcraft_lab.orders import Order

MAGIC = b"fieldcraft lab session\n"
_VERSION = 1
_KEYFRAME_SECONDS = 1.0
_MOST_SHARE = 0.05  # of the time that is spent on keyframes
_MOST_BYTES = 1 << 28
MOST_STEPS = 1 << 40
MOST_UPDATES = 2_000_000_000
"""The cells that the steps of a session from a stranger may update: some seconds of work."""
_MOST_FILE = 1 << 30
_SAVED = {
    "kind": str,
    "origin": dict,
    "started": str,
    "log": np.ndarray,
    "moment": int,
    "digest": str,
}
"""The parts of a session in its file, and their types."""

Log = list[tuple[int, Any]]


class Side:
    """A world on a page. This one has no past; a `Session` has.

    `moment` is the number of steps taken, `furthest` the last known moment, `restores` the number
    of times that the world was restored from a keyframe, and `initial` the settings of its layers
    at the beginning. `rewritten` is the earliest moment that edits have changed since it was last
    set to None.
    """

    def __init__(self, live: Live) -> None:
        self.live = live
        self.moment = 0
        self.furthest = 0
        self.restores = 0
        self.rewritten: int | None = None
        self.initial: dict[str, dict[str, Any]] = {}
        if live.imap is not None:
            self.initial = {name: settings(layer) for name, layer in live.imap.layers.items()}

    @property
    def seconds(self) -> float:
        """The time of the world."""
        return self.moment * self.live.step_seconds

    @property
    def log(self) -> tuple[tuple[int, Any], ...]:
        """All orders with their moments."""
        return ()

    @property
    def edits(self) -> list[tuple[int, tuple[Any, ...]]]:
        """The edits up to this moment, in order: the moment and the orders of each."""
        return []

    @property
    def undone(self) -> list[tuple[Any, ...]]:
        """The orders of the edits that can be redone, the next one last."""
        return []

    @property
    def branches(self) -> list[int | None]:
        """For each of `edits` the last moment of the future that it replaced, and that undoing it
        brings back; None for an edit that replaced none.
        """
        return []

    def apply(self, order: Order, *, joined: bool = False) -> None:
        """Apply an order at this moment."""
        self.live.apply(order)


class _Course(NamedTuple):
    """What happens in a run: its orders, the index in them where each edit begins, its last known
    moment, and by the beginning of an edit the course that the edit replaced.
    """

    log: Log
    edits: list[int]
    furthest: int
    replaced: dict[int, _Course]


class Session(Side):
    """A run of a live world in whole steps that can go back, fork, and be saved and replayed.

    An order is applied at once, between two steps, and logged with its moment. An order in the past
    begins another future; undoing it brings the old one back.

    Parameters
    ----------
    world : Live or InfluenceMap
        An influence map, of which the session runs a copy, or a live world before its first step.
    memory : int, optional
        Bytes that keyframes may take.
    """

    def __init__(self, world: Live | InfluenceMap, *, memory: int = _MOST_BYTES) -> None:
        if isinstance(world, InfluenceMap):
            live: Live = LiveMap(world)
        else:
            live = world
        rule = "A session runs an influence map"
        remedy = "Pass fc.InfluenceMap, or a live world"
        super().__init__(checks.instance(live, Live, rule, remedy))
        self._origin = live.origin()
        self._log: Log = []
        self._applied = 0
        self._edits: list[int] = []  # the index in the log where each edit begins
        self._replaced: dict[int, _Course] = {}
        self._undone: list[tuple[Log, _Course]] = []
        self._interval = max(round(_KEYFRAME_SECONDS / live.step_seconds), 1)
        self._keyframes = Keyframes(checks.integer("memory", memory))
        self._started = live.digest()
        self._keep()

    @property
    def log(self) -> tuple[tuple[int, Any], ...]:
        """All orders with their moments."""
        return tuple(self._log)

    @property
    def keyframes(self) -> list[int]:
        """The moments of keyframes."""
        return self._keyframes.moments

    @property
    def edits(self) -> list[tuple[int, tuple[Any, ...]]]:
        """The edits up to this moment, in order: the moment and the orders of each."""
        begins = [begin for begin in self._edits if begin < self._applied]
        return [
            (self._log[begin][0], tuple(order for _, order in self._log[begin:end]))
            for begin, end in zip(begins, [*begins[1:], self._applied], strict=False)
        ]

    @property
    def undone(self) -> list[tuple[Any, ...]]:
        """The orders of the edits that can be redone, the next one last."""
        return [tuple(order for _, order in group) for group, _ in self._undone]

    @property
    def branches(self) -> list[int | None]:
        """For each of `edits` the last moment of the future that it replaced, and that undoing it
        brings back; None for an edit that replaced none.
        """
        found: list[int | None] = []
        for begin in self._edits:
            if begin < self._applied:
                course = self._replaced.get(begin)
                if course is None:
                    found.append(None)
                else:
                    found.append(course.furthest)
        return found

    def undo(self) -> None:
        """Undo the last edit before this moment: recompute this moment without it. The future that
        the edit replaced comes back.
        """
        begin = max((begin for begin in self._edits if begin < self._applied), default=None)
        if begin is None:
            raise InvalidValue("An edit can be undone", got="none", remedy="Change something first")
        self._undone.append((self._log[begin : self._applied], self._course()))
        earlier = _Course(
            self._log[:begin],
            [each for each in self._edits if each < begin],
            self.moment,
            {each: course for each, course in self._replaced.items() if each < begin},
        )
        self._follow(self._replaced.get(begin, earlier), self.moment)

    def redo(self) -> None:
        """Redo the edit that `undo` removed last."""
        if not self._undone:
            raise InvalidValue("An undone edit can be redone", got="none", remedy="Undo first")
        group, course = self._undone.pop()
        self._follow(course, max(self.moment, group[-1][0]))

    def _course(self) -> _Course:
        """Return what happens in this run."""
        return _Course([*self._log], [*self._edits], self.furthest, {**self._replaced})

    def _follow(self, course: _Course, moment: int) -> None:
        """Replace what happens in this run, and go to a moment that is not before the change."""
        common = 0
        for old, new in zip(self._log, course.log, strict=False):
            if old is not new:
                break
            common += 1
        changed = [log[common][0] for log in (self._log, course.log) if common < len(log)]
        begin = min(changed, default=moment)
        self._keyframes.forget_after(begin, common)
        self._rewrite_from(begin)
        self._log = [*course.log]
        self._edits = [*course.edits]
        self._replaced = {**course.replaced}
        self.furthest = course.furthest
        self._take(self._keyframes.before(moment))
        while self.moment < moment:
            self._step()

    def apply(self, order: Order, *, joined: bool = False) -> None:
        """Apply an order at this moment, and begin another future if one was known.

        With `joined` it belongs to the same edit as the last one, for `undo`. Raises a
        `FieldcraftError`, and changes nothing, if the world refuses it.
        """
        if type(order) not in self.live.orders:
            kinds = ", ".join(kind.__name__ for kind in self.live.orders)
            raise InvalidValue(
                f"Orders to this world are {kinds}",
                got=type(order).__name__,
                remedy="Pass one of these",
            )
        self.live.apply(order)
        before = self._course()
        has_future = self.moment < self.furthest or self._applied < len(self._log)
        del self._log[self._applied :]
        self._edits = [begin for begin in self._edits if begin < self._applied]
        is_new = not (joined and self._edits)
        if is_new:
            self._edits.append(self._applied)
        begin = self._edits[-1]
        replaced = {each: course for each, course in self._replaced.items() if each < begin}
        if not is_new and begin in self._replaced:
            replaced[begin] = self._replaced[begin]
        elif has_future:
            replaced[begin] = before
        self._replaced = replaced
        self._undone = []
        self._log.append((self.moment, order))
        self._applied += 1
        self._keyframes.forget_after(self.moment)
        self.furthest = self.moment
        self._rewrite_from(self.moment)

    def _rewrite_from(self, moment: int) -> None:
        """Note that an edit has changed what happens from a moment on."""
        if self.rewritten is None or moment < self.rewritten:
            self.rewritten = moment

    def step(self, count: int = 1) -> None:
        """Take some steps. After time has gone back, the orders of the log are applied again."""
        for _ in range(checks.integer("count", count)):
            self._step()

    def _step(self) -> None:
        """Take a step; after an error the world is at the moment before it."""
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
        self._apply_log()

    def _apply_log(self) -> None:
        while self._applied < len(self._log) and self._log[self._applied][0] == self.moment:
            self.live.apply(self._log[self._applied][1])
            self._applied += 1

    def _keep(self) -> None:
        """Add a keyframe of this moment; where that takes long, the next ones come later."""
        begun = time.perf_counter()
        self._keyframes.add(Keyframe(self.moment, self._applied, self.live.keyframe()))
        seconds = (time.perf_counter() - begun) / _MOST_SHARE
        self._interval = max(self._interval, math.ceil(seconds / self.live.step_seconds))

    def seek(self, moment: int) -> None:
        """Go to a moment, from the nearest keyframe before it or from this moment."""
        moment = checks.integer("moment", moment, maximum=MOST_STEPS)
        frame = self._keyframes.before(moment)
        if not frame.moment <= self.moment <= moment:
            self._take(frame)
        while self.moment < moment:
            self._step()

    def _take(self, frame: Keyframe) -> None:
        """Go to the moment of a keyframe."""
        self.live = self.live.at(frame.data)
        self.restores += 1
        self.moment = frame.moment
        self._applied = frame.applied
        self._apply_log()

    def digest(self) -> str:
        """Return the SHA-256 of the world at this moment."""
        return self.live.digest()

    def fork(self) -> Session:
        """Return another session with the same past, which goes on independently."""
        twin = copy.copy(self)
        twin.live = self.live.at(self.live.keyframe())
        twin._log = self._log[: self._applied]
        twin._edits = [begin for begin in self._edits if begin < self._applied]
        twin._replaced = {
            each: course for each, course in self._replaced.items() if each < self._applied
        }
        twin._undone = [*self._undone]
        twin._keyframes = self._keyframes.copy()
        twin._keyframes.forget_after(self.moment)
        twin.furthest = self.moment
        return twin

    def packed(self) -> tuple[bytes, ...]:
        """Return the parts of the session's file: the initial world, all orders up to this moment,
        and the digest of the result.
        """
        value = {
            "kind": self.live.kind,
            "origin": self._origin,
            "started": self._started,
            "log": np.frombuffer(
                encoding.to_bytes(tuple(self._log[: self._applied]), self.live.orders),
                dtype=np.uint8,
            ),
            "moment": self.moment,
            "digest": self.digest(),
        }
        return MAGIC, bytes([_VERSION]), encoding.to_bytes(value)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the session, up to this moment, to one file. A failure leaves the old file."""
        write_sealed(checks.path("path", path), self.packed())

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        check: bool = True,
        go: bool = True,
        most_steps: int = 1_000_000,
        most_updates: int = MOST_UPDATES,
    ) -> Session:
        """Return the session of a file, at the moment at which it was saved.

        Files from strangers are safe: no code in them is run, and worlds come from installed
        packages only. Loading replays at most `most_steps` steps, which update at most
        `most_updates` cells in all, as counted before the first step: each update of a layer counts
        its cells, at least 20,000, and each order as a step.

        With `go=False` the session is at its beginning, with all orders ahead. With `check=False` a
        world that begins differently, because its map or its recordings have changed, is accepted.

        Raises
        ------
        BadSaveFile
            If the file cannot be read, or if the run does not end as it did.
        """
        target = checks.path("path", path)
        value = _read(target)
        if value["moment"] > checks.integer("most_steps", most_steps, maximum=MOST_STEPS):
            raise BadSaveFile(
                f"A session of at most {most_steps:,} steps is loaded",
                got=f"step {value['moment']:,} in {target}",
                remedy="If you trust the file, pass Session.load(..., most_steps=) more",
            )
        session = cls(world_of(value["kind"], value["origin"]))
        if check and session._started != value["started"]:
            raise BadSaveFile(
                "A session is loaded if its world begins as it did",
                got=f"another beginning: {target}",
                remedy="Restore its map files",
            )
        try:
            log = encoding.from_bytes(value["log"].tobytes(), session.live.orders)
        except FieldcraftError as error:
            raise damaged(target, f"a log that can't be read ({error})") from error
        session._take_log(log, value["moment"], target)
        session._check_updates(most_updates, target)
        session._apply_log()
        if go:
            try:
                session.seek(value["moment"])
            except FieldcraftError as error:
                raise BadSaveFile(
                    "A session's orders can be applied",
                    got=f"{error} {target}",
                    remedy="Use another copy of it",
                ) from error
            if check and session.digest() != value["digest"]:
                raise BadSaveFile(
                    "A session ends as it did when it was saved",
                    got=f"another end: {target}",
                    remedy="Use the fieldcraft that wrote it",
                )
        return session

    def _check_updates(self, most: int, target: Path) -> None:
        """Raise `BadSaveFile` if all steps and orders together update too many cells."""
        cells = self.live.cells_of_step([order for _, order in self._log])
        updates = cells * (1 + self.furthest + len(self._log))  # one step more can be taken then
        if updates > checks.integer("most_updates", most):
            run = f"{self.furthest:,} steps with {len(self._log):,} orders"
            raise BadSaveFile(
                f"The steps of a session update at most {most:,} cells in all",
                got=f"{updates:,} in {run}: {target}",
                remedy="If you trust the file, pass Session.load(..., most_updates=) more, or"
                " --trust on the command line",
            )

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


def _read(target: Path) -> dict[str, Any]:
    with sealed(target, MAGIC, 1) as (file, inside):
        version = file.read(1)[0]
        if version != _VERSION:
            raise newer(target, version, _VERSION)
        if inside > _MOST_FILE:
            raise damaged(target, f"{inside} bytes")
        data = file.read(inside - 1)
    try:
        value = encoding.from_bytes(data, keys=dict.fromkeys(_SAVED))
    except BadSaveFile as error:
        raise in_file(target, error) from error
    if not isinstance(value, dict) or any(
        type(value.get(name)) is not kind for name, kind in _SAVED.items()
    ):
        raise damaged(target, "something else than a session")
    if not 0 <= value["moment"] <= MOST_STEPS:
        raise damaged(target, f"moment {value['moment']}")
    return value
