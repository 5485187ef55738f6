from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fieldcraft as fc
from fieldcraft.commands import command_line as cli
from fieldcraft.commands.recipe import read_recipe
from support import realdata

RECIPE = """
title = "Small"
[map]
generate = "rooms"
width = 30
height = 20
[layers.threat]
decay = 0.2
momentum = 0.5
[[sources]]
name = "camp"
layer = "threat"
position = [12, 9]
strength = 5
on_wall = "nearest"
[run]
seconds = 1
fps = 5
[[outputs]]
file = "a.png"
"""


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE)
    return path


def call(*arguments: object) -> int:
    return cli.main([str(argument) for argument in arguments])


def test_run_writes_the_outputs_and_prints_a_table(recipe, tmp_path, capsys):
    assert call("run", recipe) == 0
    assert (tmp_path / "out" / "a.png").exists()
    out, err = capsys.readouterr()
    assert all(line.startswith("recipe.toml ") for line in err.splitlines())
    lines = out.splitlines()
    assert lines[0].startswith("Small: 1 seconds in ")
    assert lines[1].startswith("map     generated: rooms, 600 cells, ")
    assert lines[4].split() == ["threat", "10", "1", "5"]
    assert lines[-1].startswith("wrote out/a.png (")


def test_values_can_be_set_and_the_folder_chosen(recipe, tmp_path, capsys):
    assert (
        call(
            "run",
            recipe,
            "--set",
            "sources.camp.strength=7",
            "--set",
            "title=Other",
            "--out",
            tmp_path / "deep" / "er",
        )
        == 0
    )
    assert (tmp_path / "deep" / "er" / "a.png").exists()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Other: ")
    assert lines[4].split()[-1] == "7"


def test_quiet_prints_nothing(recipe, capsys):
    assert call("run", recipe, "--quiet") == 0
    assert capsys.readouterr() == ("", "")


def test_problems_come_as_lines_with_code_2(recipe, tmp_path, capsys):
    recipe.write_text(
        RECIPE.replace("decay = 0.2", "decay = -1").replace("seconds = 1", "second = 1")
    )
    assert call("run", recipe) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0] == f"fieldcraft: {recipe}: 3 problems"
    assert (
        "  line 8: layers.threat: decay is at least 0. Got decay=-1. Pass 0 or more for decay."
        in err.splitlines()
    )
    assert "Traceback" not in err
    assert not (tmp_path / "out").exists()


def test_compare(recipe, tmp_path, capsys):
    assert (
        call(
            "compare",
            recipe,
            "--param",
            "layers.threat.decay",
            "--values",
            "0.8,0.2",
            "--out",
            "s.png",
            "--out",
            "s.gif",
            "--seconds",
            0.5,
        )
        == 0
    )
    assert (tmp_path / "s.png").exists()
    assert (tmp_path / "s.gif").exists()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("decay 0.8 | decay 0.2: 0.5 seconds each")
    assert [line.split()[1] for line in lines if line.startswith("wrote ")] == ["s.png", "s.gif"]
    assert call("compare", recipe, "--param", "layers.threat.decay", "--values", "0.8,oops") == 2
    assert "decay is a number" in capsys.readouterr().err


def test_info(tmp_path, capsys):
    path = tmp_path / "small.map"
    path.write_text("type octile\nheight 3\nwidth 5\nmap\n..@TT\n..@WW\n..@..\n")
    assert call("info", path) == 0
    facts = capsys.readouterr().out
    assert facts.split()[:6] == ["file", str(path), "kind", "grid", "width", "5"]
    assert "trees 2" in facts and "(5, 3)" in facts and "largest_part 0.75" in facts
    assert call("info", path, "--mobility", "submarine") == 2
    assert call("info", tmp_path / "none.map") == 2
    assert "No such file" in capsys.readouterr().err


def test_info_of_maps_without_any_open_ground(tmp_path, capsys):
    path = tmp_path / "solid.map"
    path.write_text("type octile\nheight 2\nwidth 3\nmap\n@@@\n@@@\n")
    assert call("info", path) == 0
    assert "open         0\n" in capsys.readouterr().out


def test_info_of_a_graph(tmp_path, capsys):
    path = tmp_path / "small.json"
    path.write_text('{"vertices": [[0, 0], [1, 2], [5, 5]], "edges": [[0, 1]], "blocked": [2]}')
    assert call("info", path) == 0
    assert capsys.readouterr().out.split()[2:8] == ["kind", "graph", "vertices", "3", "edges", "1"]


@pytest.mark.parametrize(
    "path",
    realdata.files("gridmaps/maps/dao", "a*.map") + realdata.files("sc2/grids", "O*.npz"),
    ids=lambda path: path.stem,
)
def test_info_of_real_maps(path, capsys):
    assert call("info", path) == 0
    assert "largest_part" in capsys.readouterr().out


def test_help_and_version(capsys):
    for arguments in (
        ["--help"],
        ["run", "--help"],
        ["compare", "--help"],
        ["info", "--help"],
        ["--version"],
    ):
        with pytest.raises(SystemExit) as ended:
            call(*arguments)
        assert ended.value.code == 0
    out = capsys.readouterr().out
    assert f"fieldcraft {fc.__version__}" in out
    assert "--set KEY=VALUE" in out


def test_no_arguments_print_the_help_and_a_first_command(capsys):
    with pytest.raises(SystemExit) as ended:
        call()
    assert ended.value.code == 0
    assert capsys.readouterr().out.endswith("Start with: fieldcraft demo\n")


def test_wrong_arguments_have_code_2(capsys):
    for arguments in (["run"], ["compare", "x.toml"]):
        with pytest.raises(SystemExit) as ended:
            call(*arguments)
        assert ended.value.code == 2
    assert "usage: fieldcraft" in capsys.readouterr().err
    assert call("runn") == 2
    assert "Did you mean 'run'" in capsys.readouterr().err


def test_stopping_has_code_130(recipe, tmp_path, monkeypatch, capsys):
    def stop(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fieldcraft.commands.recipe.outputs.run", stop)
    assert call("run", recipe) == 130
    assert capsys.readouterr() == ("", "fieldcraft: stopped; nothing was written\n")


def test_the_command_starts_light():
    heavy = ("numba", "PIL", "av", "pygame", "cv2")
    code = (
        f"import sys, fieldcraft.commands.command_line; sys.exit(', '.join(m for m in {heavy} if m in sys.modules)"
        " or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_python_m_fieldcraft():
    done = subprocess.run(
        [sys.executable, "-m", "fieldcraft", "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, f"fieldcraft {fc.__version__}\n")


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Installs a package that offers commands, by name and entry point."""

    def install(code: str, **points: str) -> None:
        (tmp_path / "plugged.py").write_text(code)
        info = tmp_path / "plugged-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
        lines = [f"{name} = {value}" for name, value in points.items()]
        (info / "entry_points.txt").write_text("\n".join([f"[{cli.COMMANDS}]", *lines, ""]))
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "plugged", raising=False)

    return install


def test_a_package_offers_a_command(offer, capsys):
    code = (
        "def add(commands):\n    commands.add_parser('hello').set_defaults(act=lambda chosen:"
        " print('hello'))\n"
    )
    offer(code, hello="plugged:add", run="plugged:add")
    assert call("hello") == 0
    out, err = capsys.readouterr()
    assert out == "hello\n"
    assert err.splitlines() == [
        "fieldcraft: plugged offers the command 'run', which fieldcraft has itself; it is left out"
    ]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import nothing_of_this_name", "ModuleNotFoundError"),
        (
            "def add(commands):\n    commands.add_parser('hello').add_argument('--x')\n    1 / 0",
            "ZeroDivisionError",
        ),
        ("", "AttributeError"),
        ("def add(commands", "SyntaxError"),
    ],
)
def test_a_broken_package_spoils_its_own_command_only(offer, capsys, code, told):
    offer(code, hello="plugged:add")
    assert call("hello", "--x", "1") == 2
    err = capsys.readouterr().err
    assert (
        err.startswith("fieldcraft: ")
        and "'hello' from plugged (plugged:add)" in err
        and told in err
        and err.count("\n") == 1
    )
    assert call("info", "nowhere.map") == 2
    assert "hello" not in capsys.readouterr().err


def test_the_demo_runs_without_a_clone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["run", "decay", "--quiet", "--out", "pictures"]) == 0
    assert list((tmp_path / "pictures").iterdir())
    ran = []
    monkeypatch.setattr(cli, "_run", lambda chosen: ran.append(read_recipe(chosen.recipe).title))
    assert cli.main(["demo"]) == 0
    assert ran == ["Camps and a patrol"]


def test_a_command_that_is_not_there_is_named(monkeypatch, capsys):
    monkeypatch.setattr(cli.metadata, "entry_points", lambda group: ())
    assert call("dance", "towers") == 2
    err = capsys.readouterr().err
    assert "'dance'" in err and "compare, demo, info, new, run" in err and err.count("\n") == 1


def test_a_command_of_a_package_that_is_not_installed_names_it(monkeypatch, capsys):
    monkeypatch.setattr(cli.metadata, "entry_points", lambda group: ())
    assert call("play", "towers") == 2
    err = capsys.readouterr().err
    assert "'play' is in the package fieldcraft-worlds" in err
    assert "pip install './packages/worlds'" in err


def test_a_recipe_from_standard_input(recipe, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO(recipe.read_text()))
    assert call("run", "-", "--out", tmp_path / "piped") == 0
    assert (tmp_path / "piped" / "a.png").exists()


def test_a_comparison_of_a_recipe_from_standard_input(recipe, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(recipe.read_text()))
    target = tmp_path / "compared.png"
    options = ["--param", "layers.threat.decay", "--values", "0.8,0.26", "--seconds", "0.1"]
    assert cli.main(["compare", "-", *options, "--out", str(target)]) == 0
    assert target.stat().st_size


def test_facts_of_a_map_as_json(tmp_path, capsys):
    path = tmp_path / "tiny.map"
    path.write_text("type octile\nheight 2\nwidth 3\nmap\n..@\n.@.\n")
    assert call("info", path, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["width"], facts["height"], facts["open"]) == ("grid", 3, 2, 4)
    assert facts["parts"] == 2 and facts["largest_part"] == 0.75
    graph = tmp_path / "way.json"
    graph.write_text('{"vertices": [[0, 0], [3, 4]], "edges": [[0, 1]]}')
    assert call("info", graph, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["vertices"], facts["high"]) == ("graph", 2, [3.0, 4.0])


def test_the_short_flag_shows_the_version(capsys):
    with pytest.raises(SystemExit):
        call("-V")
    assert capsys.readouterr().out.strip() == f"fieldcraft {fc.__version__}"


def test_the_shell_completes_commands(tmp_path):
    pytest.importorskip("argcomplete", reason="needs argcomplete")
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": "fieldcraft in", "COMP_POINT": "13"}
    asked |= {"_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / "out"), "_ARGCOMPLETE_IFS": ","}
    command = [sys.executable, "-c", "from fieldcraft.commands.command_line import main; main()"]
    subprocess.run(command, env=os.environ | asked, check=True)
    assert (tmp_path / "out").read_text().strip() == "info"
