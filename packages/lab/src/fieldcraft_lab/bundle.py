"""The page of the lab: style and scripts of the folder `page` in one HTML text."""

from __future__ import annotations

import functools
from importlib import resources

__all__ = ["page"]


@functools.cache
def page() -> bytes:
    """Return the page as one file that needs no other; scripts are joined in the order of their
    names.
    """
    parts = resources.files("fieldcraft_lab") / "page"
    scripts = sorted(
        (part for part in parts.iterdir() if part.name.endswith(".js")), key=lambda part: part.name
    )
    script = "\n".join(part.read_text(encoding="utf-8") for part in scripts)
    text = (parts / "index.html").read_text(encoding="utf-8")
    text = text.replace("/*STYLE*/", (parts / "style.css").read_text(encoding="utf-8"))
    return text.replace("/*SCRIPT*/", f'"use strict";\n(() => {{\n{script}\n}})();\n').encode()
