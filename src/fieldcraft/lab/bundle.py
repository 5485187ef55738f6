"""The page in one file: `python -m fieldcraft.lab.bundle` puts style and scripts into `page.html`, which lies in the wheel.

Nothing is translated and nothing fetched: the files of the folder `page` go in as they are, in the order of their names.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["bundled"]

_HOME = Path(__file__).parent
_PARTS = _HOME / "page"


def bundled() -> str:
    """The page as it should be."""
    script = "\n".join(path.read_text(encoding="utf-8") for path in sorted(_PARTS.glob("*.js")))
    style = (_PARTS / "style.css").read_text(encoding="utf-8")
    page = (_PARTS / "index.html").read_text(encoding="utf-8")
    return page.replace("/*STYLE*/", style).replace("/*SCRIPT*/", f'"use strict";\n(() => {{\n{script}\n}})();\n')


if __name__ == "__main__":
    (_HOME / "page.html").write_text(bundled(), encoding="utf-8")
