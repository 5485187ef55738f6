"""Links that carry a session: what the page copies, `fieldcraft lab LINK` opens again when the lab
that made it is long closed.
"""

from __future__ import annotations

import base64
import binascii
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from fieldcraft.errors import InvalidValue

__all__ = ["is_link", "session_file", "with_view"]

_MOST_LETTERS = 1 << 20
_REMEDY = "Copy the whole address from the lab's Link button, in quotes"


def is_link(text: str) -> bool:
    """Whether a text is the address of a lab, rather than a file or the name of a world."""
    return text.startswith(("http://", "https://"))


def _parts(link: str) -> dict[str, list[str]]:
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
def session_file(link: str) -> Iterator[Path]:
    """The session that a link carries, as a file for a while.

    Raises
    ------
    InvalidValue
        For a link that carries none; what the file holds is for the reader of sessions to check.
    """
    carried = _parts(link).get("session", [""])[0]
    try:
        data = base64.b64decode(carried.encode("ascii"), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidValue(
            "A link carries its session whole", got=str(error)[:80], remedy=_REMEDY
        ) from None
    if not data:
        raise InvalidValue(
            "A link carries the session that it leads back to", got="one without", remedy=_REMEDY
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "linked.lab"
        path.write_bytes(data)
        yield path


def with_view(url: str, link: str) -> str:
    """The address of a lab, with what another link says of the view: maps, camera, moment."""
    state = _parts(link).get("state", [""])[0]
    return f"{url}&state={quote(state)}" if state else url
