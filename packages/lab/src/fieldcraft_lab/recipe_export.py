"""The recipe of a session with its edits: settings, sources and positions, with all comments.

The only file that imports tomlkit.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from fieldcraft.base.errors import BadRecipe, InvalidValue, MissingLibrary
from fieldcraft.commands.recipe import read_recipe
from fieldcraft_lab.controls import replaced_by
from fieldcraft_lab.live import Live
from fieldcraft_lab.live_recipe import LiveRecipe
from fieldcraft_lab.orders import Deposit, Move, Paint, Place, Remove, Strengthen, Tune
from fieldcraft_lab.session import Session


def recipe_of(session: Session, *, write: bool = False) -> dict[str, Any]:
    """Return the recipe of a session with its edits as text, and a list of edits that a recipe
    cannot contain.

    With `write` the text replaces the recipe's file.

    Raises
    ------
    InvalidValue
        For sessions of other worlds, and for a file that was changed by others; then nothing is
        written.
    """
    live = _recipe_world(session)
    text, left_out = _text(session, live)
    path = live.recipe.path
    try:
        read_recipe(path, data=live.recipe.document.data, text=text)
    except BadRecipe as error:
        raise InvalidValue(
            "A written recipe can be read", got=str(error), remedy="Save the session instead"
        ) from error
    if write:
        _replace(live, text)
        live.written.append(text)
    return {
        "what": "recipe",
        "name": path.name,
        "text": text,
        "left_out": left_out,
        "written": write,
    }


def restore_recipe(session: Session) -> None:
    """Undo the last writing of a session's recipe: restore the text that its file had before.

    Raises
    ------
    InvalidValue
        If it was not written, or was changed by others since; then nothing is written.
    """
    live = _recipe_world(session)
    if writings(live) == 0:
        raise InvalidValue("A written recipe can be restored", got="none", remedy="Write it first")
    _replace(live, live.written[-2])
    live.written.pop()


def writings(live: Live) -> int:
    """Return how many writings of a recipe can be undone."""
    if isinstance(live, LiveRecipe):
        return len(live.written) - 1
    return 0


def _recipe_world(session: Session) -> LiveRecipe:
    if not isinstance(session.live, LiveRecipe):
        raise InvalidValue(
            "Only the world of a recipe can be written as one",
            got=f"a {session.live.kind}",
            remedy="Save the session instead",
        )
    return session.live


def _replace(live: LiveRecipe, text: str) -> None:
    """Write the recipe's file, unless it has changed since it was last read or written."""
    target = Path(os.path.realpath(live.recipe.path))
    partial = target.with_name(f".{target.name}.{os.urandom(4).hex()}.part")
    try:
        if target.read_text(encoding="utf-8-sig", errors="replace") != live.written[-1]:
            raise InvalidValue(
                "A recipe is written unless its file was changed by others",
                got=f"another {target.name}",
                remedy="Download it",
            )
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise InvalidValue(
            "The recipe's file can be written", got=str(error), remedy="Download it instead"
        ) from error


def _text(session: Session, live: LiveRecipe) -> tuple[str, list[str]]:
    try:
        import tomlkit
    except ImportError:
        raise MissingLibrary("tomlkit", "lab", "Writing a recipe back") from None
    document: Any = tomlkit.parse(live.recipe.document.text)
    left_out = [f"--set {override}: it was set on the command line" for override in live.overrides]
    _write_settings(document, session, live)
    removed: set[int] = set()
    for _, order in session.log:
        if not isinstance(order, Tune):
            _write_source(document, live, order, removed, left_out)
    for index in sorted(removed, reverse=True):
        del document["sources"][index]
    return tomlkit.dumps(document), left_out


def _write_settings(document: Any, session: Session, live: LiveRecipe) -> None:
    """Write the current values of the settings that were changed."""
    tuned = dict.fromkeys(
        (order.layer, order.name) for _, order in session.log if isinstance(order, Tune)
    )
    teams = live.recipe.teams
    for layer, name in list(tuned):
        propagation = live.imap[layer].propagation
        if propagation is not None and name != "every":
            tuned.update(dict.fromkeys((layer, each) for each in replaced_by(propagation, name)))
    for layer, name in tuned:
        if teams is not None and layer in teams.names:
            table = document["teams"]
        else:
            table = document["layers"][layer]
        if name == "every":
            value = live.imap[layer].every
        else:
            value = getattr(live.imap[layer].propagation, name)
        plain: Any = getattr(value, "name", value)
        if isinstance(plain, tuple):
            plain = list(plain)
        if plain is None:
            table.pop(name, None)
        elif table.get(name) != plain:
            _replace_value(table, name, plain)


def _replace_value(table: Any, name: str, value: Any) -> None:
    """Write a value; a comment behind it stays in its column."""
    if name in table:
        before = len(table.item(name).as_string())
    else:
        before = 0
    table[name] = value
    written = table.item(name)
    if written.trivia.comment:
        longer = len(written.as_string()) - before
        written.trivia.comment_ws = " " * max(len(written.trivia.comment_ws) - longer, 1)


def _write_source(
    document: Any, live: LiveRecipe, order: Any, removed: set[int], left_out: list[str]
) -> None:
    """Write an order about sources; `removed` gets the index of a source that it removes, and
    `left_out` what a recipe cannot contain.
    """
    if isinstance(order, Paint):
        text = "painted walls: they belong to the map"
        if text not in left_out:
            left_out.append(text)
        return
    if isinstance(order, Deposit):
        _append(document, "deposits", order.layer, order.position, "amount", order.amount)
        return
    if isinstance(order, Place):
        _append(document, "sources", order.layer, order.position, "strength", order.strength)
        return
    part = live.world.part_of(order.layer, order.source)
    if part is None:
        left_out.append(
            f"{type(order).__name__.lower()} of source {order.source}: it is not in the recipe"
        )
        return
    index = part.keys[1]
    assert isinstance(index, int)
    entry = document["sources"][index]
    if isinstance(order, Remove):
        removed.add(index)
    elif isinstance(order, Strengthen):
        entry["strength"] = order.strength
    elif isinstance(order, Move):
        for name in ("path", "repeat"):
            entry.pop(name, None)
        entry["position"] = list(order.position)
        entry["on_wall"] = "nearest"


def _append(
    document: Any, name: str, layer: str, position: tuple[float, ...], what: str, amount: float
) -> None:
    import tomlkit

    entry = tomlkit.table()
    entry.update(
        {
            "layer": layer,
            "position": list(position),
            what: amount,
            "on_wall": "nearest",
            "outside": "clamp",
        }
    )
    entry.add(tomlkit.nl())
    if name not in document:
        document.append(name, tomlkit.aot())
    document[name].append(entry)
