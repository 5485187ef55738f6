"""Write the tables of propagations in docs/recipes.md from the settings that they declare.

Usage: python -m tools.recipe_tables
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from fieldcraft.base import checks
from fieldcraft.layers.propagation import PROPAGATIONS, Propagation
from fieldcraft.layers.propagation.settings import Setting, declared

__all__ = ["settings_table", "updated"]

_END_OF_A_TABLE = "<!-- end of "
GUIDE = Path(__file__).resolve().parents[1] / "docs" / "recipes.md"


def settings_table(kind: type[Propagation]) -> str:
    """Return the settings of a propagation as a table in Markdown."""
    rows = ["| key | meaning | values | if left out |", "|---|---|---|---|"]
    for name, setting in declared(kind).items():
        default = "needed" if setting.required else _toml(setting.default)
        rows.append(f"| `{name}` | {setting.about.rstrip('.')} | {_values(setting)} | {default} |")
    return "\n".join(rows)


def updated(text: str) -> str:
    """Return the guide with its tables as the propagations are now; a new one comes last."""
    words = ", ".join(f'`"{word}"`' for word in PROPAGATIONS)
    text = re.sub(r"(?m)^(\| `propagation` \| )`.*?`( \(\[which\])", rf"\g<1>{words}\g<2>", text)
    for word, kind in PROPAGATIONS.items():
        begin, end = f"<!-- {word} -->", f"<!-- end of {word} -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        table = f"{begin}\n{settings_table(kind)}\n{end}"
        text, count = pattern.subn(lambda _, table=table: table, text)
        if not count:
            last = text.rindex(_END_OF_A_TABLE)
            after = text.index("\n", last) + 1
            title = f"**{kind.__name__}.** {inspect.getdoc(kind)}".split("\n\n")[0]
            text = f"{text[:after]}\n{title}\n\n{table}\n{text[after:]}"
    return text


def _values(setting: Setting) -> str:
    if setting.choices:
        return ", ".join(f'`"{word}"`' for word in setting.choices)
    if setting.kind in ("number", "integer"):
        low = "above 0" if setting.above else f"{setting.low:g}"
        bounded = setting.high < checks.LARGEST and setting.kind == "number"
        span = (
            f"{low} to {setting.high:g}" if bounded else low if setting.above else f"{low} or more"
        )
        return f"{span}, {setting.unit}" if setting.unit else span
    return {
        "flag": "`true` or `false`",
        "text": "a text",
        "weights": "a width or weights",
        "vector": "`[x, y]`",
    }.get(setting.kind, setting.kind)


def _toml(value: object) -> str:
    if value is None:
        return ""
    return (
        f"`{str(value).lower()}`" if isinstance(value, bool) else f"`{value!r}`".replace("'", '"')
    )


if __name__ == "__main__":
    GUIDE.write_text(updated(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")
