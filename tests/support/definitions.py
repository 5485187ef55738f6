"""Where an editor goes from a name in a source file."""

from __future__ import annotations

from pathlib import Path

import pytest


def definitions(sources: Path, file: str, text: str, name: str) -> set[tuple[Path, str]]:
    """Return the files and names that jedi finds for the first `name` from `text` on in a file of
    the package in `sources`; skips without jedi.
    """
    jedi = pytest.importorskip("jedi")
    source = (sources / file).read_text(encoding="utf-8")
    offset = source.index(name, source.index(text))
    line = source.count("\n", 0, offset) + 1
    column = offset - (source.rfind("\n", 0, offset) + 1)
    script = jedi.Script(source, path=sources / file, project=jedi.Project(sources.parent))
    return {
        (Path(each.module_path), each.name)
        for each in script.goto(line, column, follow_imports=True)
        if each.module_path is not None
    }
