"""Sessions from files and links, replayed, filmed, and compared step by step."""

from __future__ import annotations

import base64
import binascii
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.base.files import is_there
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.view import ColorScale, Film, page, picture, save_png
from fieldcraft_lab.live import LiveMap
from fieldcraft_lab.opening import opened
from fieldcraft_lab.session import MAGIC, MOST_STEPS, Session

_WIDE = 640
_RATE = 25.0
_ANY_UPDATES = (1 << 63) - 1
_MOST_LETTERS = 1 << 20
_MOST_ORDERS = 12  # that a difference lists
_REMEDY = "Copy the whole address from the lab's Link button, in quotes"


@dataclass(frozen=True)
class Difference:
    """The first difference of two runs: after `moment` steps, in a layer, at a cell.

    `cell` has the largest difference, of `cells` that differ; `values` are those of both runs
    there. `orders` are the orders that only one of the runs had until then: the run, 0 or 1, the
    moment, and the order.
    """

    moment: int
    seconds: float
    layer: str
    cell: int
    position: tuple[float, ...]
    values: tuple[float, float]
    cells: int
    orders: tuple[tuple[int, int, str], ...]

    def __str__(self) -> str:
        place = ", ".join(f"{part:g}" for part in self.position)
        lines = [
            f"The runs differ from step {self.moment} ({self.seconds:g} s), layer {self.layer!r},"
            f" at ({place}), cell {self.cell}: {self.values[0]:.6g} and {self.values[1]:.6g};"
            f" {self.cells} cells differ."
        ]
        for run, moment, order in self.orders:
            name = ("first", "second")[run]
            lines.append(f"  Only the {name} run has at step {moment}: {order}")
        return "\n".join(lines)


def session_of(
    world: Any,
    step: float | None = None,
    *,
    teams: Sequence[str] = (),
    overrides: tuple[str, ...] = (),
    data: str | Path | None = None,
    check: bool = True,
    trust: bool = False,
) -> Session:
    """Return the session of a world at its beginning. A world is an influence map (with the seconds
    of a step, and the names of its teams), the path of a session, a recipe (.toml) or a saved map,
    a link, or a name. With `trust` a session may have any number of steps.
    """
    options: dict[str, Any] = {"check": check, "go": False}
    if trust:
        options |= {"most_steps": MOST_STEPS, "most_updates": _ANY_UPDATES}
    if isinstance(world, InfluenceMap):
        return Session(LiveMap(world, step, teams=checks.sequence("teams", teams)))
    if len(teams):
        raise InvalidValue(
            "teams are the names of layers of an influence map",
            got=f"teams={teams!r} for {world!r:.60}",
            remedy="Leave them out: recipes name their teams themselves",
        )
    rule = "The lab opens an influence map, a recipe, a saved session or map, or a Session"
    if not isinstance(world, (str, os.PathLike)):
        raise InvalidValue(rule, got=f"a {type(world).__name__}", remedy="Pass imap")
    if isinstance(world, str):
        name = world
    else:
        name = os.fspath(world)
    if is_link(name):
        with _linked(name) as linked:
            return Session.load(linked, **options)
    try:
        if is_there(name) and not name.endswith(".toml") and _is_session(Path(name)):
            return Session.load(name, **options)
        return Session(opened(name, overrides=overrides, data=data))
    except OSError as error:
        raise InvalidValue(
            "The lab opens a file that can be read",
            got=f"{name[:80]}: {error.strerror}",
            remedy="Check it",
        ) from error


def _is_session(path: Path) -> bool:
    """Return whether a file begins as sessions do."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def moment_of(session: Session, seconds: float | None) -> int:
    """Return the moment of a time in seconds; None for the last known one or the recipe's end."""
    if seconds is None:
        return session.furthest or session.live.end or 0
    moment = checks.not_negative("until", seconds) / session.live.step_seconds + 1e-9
    if moment > MOST_STEPS:
        raise InvalidValue(
            f"A session has at most {MOST_STEPS:,} steps",
            got=f"until={seconds:g}",
            remedy="Pass fewer seconds",
        )
    return int(moment)


def record(
    session: Session,
    path: Path,
    until: int,
    *,
    layer: str | None = None,
    limits: tuple[float, float] | None = None,
    size: int = _WIDE,
    watch: Callable[[float], object] = lambda share: None,
) -> None:
    """Film a session from its moment to a later one, 25 frames per second, as .gif, .webp or .mp4;
    .png is the last frame only.

    `layer` is the map, by default the first; `limits` are the values of the end colors, by default
    of all frames; `size` is the longer side in pixels. `watch` is called with the finished share, 0
    to 1; an exception that it raises cancels the film, and no file is left.
    """
    name = _map_of(session, layer)
    is_still = path.suffix.lower() == ".png"
    stride = max(round(1 / (_RATE * session.live.step_seconds)), 1)
    begin = session.moment
    if limits is None:
        limits = _span(session.fork(), name, until, stride)
    colors = ColorScale(*limits)

    def drawn() -> NDArray[np.uint8]:
        return picture(
            session.live.maps[name], colors=colors, size=size, caption=f"{session.seconds:.2f} s"
        )

    if is_still:
        session.seek(until)
        save_png(path, drawn())
        return
    with Film(path, 1 / (stride * session.live.step_seconds)) as film:
        film.add(drawn())
        while session.moment + stride <= until:
            session.step(stride)
            film.add(drawn())
            watch((session.moment - begin) / max(until - begin, 1))
    session.seek(until)


def _span(session: Session, name: str, until: int, stride: int) -> tuple[float, float]:
    """Return the lowest and the highest value of a map until a moment, 0 included."""
    low = 0.0
    high = 0.0
    while True:
        values = session.live.maps[name].values
        low = min(low, float(values.min(initial=0)))
        high = max(high, float(values.max(initial=0)))
        if session.moment + stride > until:
            break
        session.step(stride)
    if low < high:
        return (low, high)
    return (0.0, 1.0)


def _map_of(session: Session, name: str | None) -> str:
    """Return the name of a map, by default that of the first."""
    maps = session.live.maps
    if name is None:
        if not maps:
            raise InvalidValue("A film shows a layer", got="a world without any", remedy="Add one")
        return next(iter(maps))
    if name not in maps:
        raise UnknownName("map", name, maps)
    return name


def difference(
    first: Session,
    second: Session,
    until: int | None = None,
) -> Difference | None:
    """Return the first moment and layer in which two sessions differ, bit for bit; None if they
    agree to the end.

    Both step from the same moment to `until`, or as far as both are known, and stop at the
    difference. Raises `InvalidValue` for runs that cannot be compared.
    """
    if (
        abs(first.live.step_seconds - second.live.step_seconds) > 1e-12
        or first.moment != second.moment
    ):
        raise InvalidValue(
            "Runs that are compared have one clock",
            got=f"steps of {first.live.step_seconds:g} s and {second.live.step_seconds:g} s",
            remedy="Set run.step in both recipes",
        )
    names = [name for name in first.live.maps if name in second.live.maps]
    if not names:
        raise InvalidValue(
            "Runs that are compared have layers of one name", got="none", remedy="Name them alike"
        )
    if until is None:
        end = min(moment_of(first, None), moment_of(second, None))
    else:
        end = until
    while True:
        for name in names:
            found = _difference_of(first, second, name)
            if found is not None:
                return found
        if first.moment >= end:
            return None
        first.step()
        second.step()


def _difference_of(first: Session, second: Session, name: str) -> Difference | None:
    """Return the difference of a map now; None if all bits agree."""
    ours = first.live.maps[name]
    theirs = second.live.maps[name]
    if ours.values.shape != theirs.values.shape:
        raise InvalidValue(
            "Runs that are compared lie on maps of one size",
            got=f"{ours.values.shape} and {theirs.values.shape} in layer {name!r}",
            remedy="Compare runs on the same map",
        )
    if ours.values.tobytes() == theirs.values.tobytes():
        return None
    own = np.ascontiguousarray(ours.values).reshape(-1)
    other = np.ascontiguousarray(theirs.values).reshape(-1)
    wrong = np.flatnonzero(own.view(np.uint32) != other.view(np.uint32))
    gaps = np.abs(own[wrong].astype(np.float64) - other[wrong])
    cell = int(wrong[np.argmax(gaps)])
    values = (float(own[cell]), float(other[cell]))
    place = tuple(np.asarray(ours.space.position_of(cell)).tolist())
    return Difference(
        first.moment, first.seconds, name, cell, place, values, len(wrong), _only(first, second)
    )


def _only(first: Session, second: Session) -> tuple[tuple[int, int, str], ...]:
    """Return the first orders that only one of two sessions has had: the run, the moment, the
    order.
    """
    ours = [entry for entry in first.log if entry[0] <= first.moment]
    theirs = [entry for entry in second.log if entry[0] <= second.moment]
    found = []
    for run, own, other in ((0, ours, theirs), (1, theirs, ours)):
        for entry in own:
            if entry not in other:
                moment, order = entry
                found.append((run, moment, str(order)))
    return tuple(found[:_MOST_ORDERS])


def picture_of(first: Session, second: Session, name: str) -> NDArray[np.uint8]:
    """Return a picture of two sessions and their difference, uint8 of shape (H, W, 4)."""
    ours = first.live.maps[name]
    theirs = second.live.maps[name]
    scale = ColorScale.of(ours.values, theirs.values)
    gap = ours.values - theirs.values
    size = float(np.abs(gap).max()) or 1.0
    signed = ColorScale(-size, size)
    panels = [
        picture(ours, title="first", colors=scale, size=480),
        picture(theirs, title="second", colors=scale, size=480),
        picture(gap, space=ours.space, title="first - second", colors=signed, size=480),
    ]
    return page(panels, title=f"{name} at {first.seconds:g} s, step {first.moment}")


# Links


def is_link(text: str) -> bool:
    """Return whether a text is the address of a lab."""
    return text.startswith(("http://", "https://"))


def _parts(link: str) -> dict[str, list[str]]:
    """Return the parts of the fragment of a link, by name."""
    if len(link) > _MOST_LETTERS:
        raise InvalidValue(
            f"A link has at most {_MOST_LETTERS} letters", got=f"{len(link)}", remedy=_REMEDY
        )
    try:
        return parse_qs(urlsplit(link).fragment, max_num_fields=8)
    except ValueError as error:
        raise InvalidValue(
            "A link to a lab can be read", got=str(error)[:80], remedy=_REMEDY
        ) from None


@contextmanager
def _linked(link: str) -> Iterator[Path]:
    """Write the session in a link to a temporary file; raises `InvalidValue` for a link without
    one.
    """
    encoded = _parts(link).get("session", [""])[0]
    try:
        data = base64.b64decode(encoded.encode("ascii"), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidValue(
            "A link contains a whole session", got=str(error)[:80], remedy=_REMEDY
        ) from None
    if not data:
        raise InvalidValue("A link contains a session", got="one without", remedy=_REMEDY)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "linked.lab"
        path.write_bytes(data)
        yield path


def with_view(url: str, link: str) -> str:
    """Return the address of a lab with the view of another link: maps, camera, moment."""
    state = _parts(link).get("state", [""])[0]
    if state:
        return f"{url}&state={quote(state)}"
    return url
