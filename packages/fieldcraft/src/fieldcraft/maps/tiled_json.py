"""JSON documents of Tiled, read under limits."""

from __future__ import annotations

import contextlib
import json
from array import array

import numpy as np

from fieldcraft.errors import BadMapFile
from fieldcraft.maps.tiled_xml import MAX_PARTS, Json

__all__ = ["read_json"]

_MAX_DEPTH = 64
_MAX_QUOTES = 2_000_000


def read_json(raw: bytes, name: str, limit: int) -> tuple[Json, int]:
    """The object that a JSON document is, lists of tiles as arrays, and half its brackets: at most
    `limit`.
    """
    quotes, brackets, depth = _outline(raw, 2 * limit)
    if quotes > _MAX_QUOTES or brackets > 2 * limit or depth > _MAX_DEPTH:
        raise BadMapFile(
            f"A Tiled map in JSON, with its tilesets, has at most {2 * MAX_PARTS:,} objects and"
            f" lists, {_MAX_DEPTH} deep, and {_MAX_QUOTES // 2:,} words",
            got=f"{brackets:,}, {depth} deep, and {quotes // 2:,} in {name}",
            remedy="Save it as .tmx, or cut the map into several",
        )
    try:
        # Given bytes, `loads` would guess among encodings in which `_outline` counts other things.
        document = json.loads(raw.decode("utf-8-sig"), object_hook=_with_array)
    except (ValueError, RecursionError) as error:
        raise BadMapFile(
            "A Tiled document is XML or JSON",
            got=f"{name}: {error}"[:300],
            remedy="Save it again in Tiled",
        ) from None
    if not isinstance(document, dict):
        raise BadMapFile(
            "The JSON of a Tiled map is an object",
            got=f"a {type(document).__name__} in {name}",
            remedy="Pass a map that Tiled saved",
        )
    return document, (brackets + 1) // 2


def _outline(raw: bytes, most: int) -> tuple[int, int, int]:
    """How many quotes and opening brackets a JSON document has, and, if not more than `most`, how
    deep these nest.

    What stands in strings does not count.
    """
    codes = np.frombuffer(raw.replace(b"\\\\", b"").replace(b'\\"', b""), dtype=np.uint8)
    quotes = codes == ord('"')
    outside = np.cumsum(quotes, dtype=np.uint8) & 1 == 0
    opening = ((codes == ord("[")) | (codes == ord("{"))) & outside
    closing = ((codes == ord("]")) | (codes == ord("}"))) & outside
    brackets = int(np.count_nonzero(opening))
    depth = 0
    if 0 < brackets <= most:
        steps = opening.view(np.int8) - closing.view(np.int8)
        depth = int(np.cumsum(steps[steps != 0], dtype=np.int64).max())
    return int(np.count_nonzero(quotes)), brackets, depth


def _with_array(entry: Json) -> Json:
    if isinstance(entry.get("data"), list):
        with contextlib.suppress(
            TypeError, OverflowError
        ):  # refused where it turns out to be a layer's
            entry["data"] = array("I", entry["data"])
    return entry
