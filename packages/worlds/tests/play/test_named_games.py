"""A save names a game of an installed package; any other name is refused before an import."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.library import saved_game
from fieldcraft_worlds.play import saving
from support.forks import forked
from support.refusals import refused


@pytest.mark.parametrize("name", ["this:GAME", "antigravity", "os:system", "", None, 7])
def test_a_name_that_nobody_registers_is_refused_before_any_import(name: object) -> None:
    sys.modules.pop("this", None)
    with refused(InvalidValue, "installed package registers"):
        saved_game(name)
    assert "this" not in sys.modules


def test_play_does_not_import_the_module_that_a_save_names(tmp_path: Path) -> None:
    save, proof = tmp_path / "evil.save", tmp_path / "proof"
    (tmp_path / "evil.py").write_text(f"open({str(proof)!r}, 'w').close()\n")
    saving.write(save, {"kind": "match", "game": "evil:GAME", "version": 1}, {}, ())
    done = forked(
        "import sys; from fieldcraft.commands.command_line import main\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        f"sys.exit(main(['play', '--load', {str(save)!r}, '--headless', '--steps', '1']))"
    )
    assert done.returncode != 0 and "registers" in done.stderr, done.stderr
    assert not proof.exists()
