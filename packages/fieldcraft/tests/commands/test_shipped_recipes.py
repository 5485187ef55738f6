from __future__ import annotations

from pathlib import Path

import pytest

from fieldcraft.commands.shipped_recipes import SHIPPED, recipe_path


def test_a_name_is_a_recipe_that_comes_with_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert recipe_path(Path("demo")) == SHIPPED / "demo.toml"
    for other in (Path("demo.toml"), Path("unknown"), Path("folder/demo")):
        assert recipe_path(other) == other
    Path("demo").touch()
    assert recipe_path(Path("demo")) == Path("demo")
