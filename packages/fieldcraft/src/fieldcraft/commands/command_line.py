"""The command line: run a recipe, compare values of a parameter, describe a map.

Packages add sub-commands by entry points of the group `fieldcraft.commands`, such as `lab`,
`replay`, `diff` and `play`.
"""

from __future__ import annotations

import argparse
import errno
import json
import logging
import os
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import fieldcraft
from fieldcraft.base import install
from fieldcraft.base.errors import FieldcraftError, UnknownName
from fieldcraft.commands.bundling import add_bundle
from fieldcraft.commands.shipped_recipes import add_demo, recipe_path
from fieldcraft.commands.starters import add_new

if TYPE_CHECKING:
    from fieldcraft.commands.recipe.compare import Comparison
    from fieldcraft.commands.recipe.outputs import Report
    from fieldcraft.space import Graph, Grid

COMMANDS = "fieldcraft.commands"
"""The group of entry points by which packages offer sub-commands."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, by default with the arguments of the process, and return the exit code.

    0 for success, 1 where `diff` found a difference, 2 for wrong arguments and errors of
    fieldcraft, 130 after Ctrl-C. Without arguments, print the help and exit with 0.
    """
    if arguments is None:
        given = sys.argv[1:]
    else:
        given = list(arguments)
    _show_log()
    try:
        parser, commands = _parser()
        if "_ARGCOMPLETE" in os.environ:  # a shell completes a command
            import argcomplete

            argcomplete.autocomplete(parser)
        _refuse_broken(commands, given)
        chosen = parser.parse_args(given or ["--help"])
        chosen.act(chosen)
        sys.stdout.flush()
    except FieldcraftError as error:
        print(f"fieldcraft: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as stopped:
        print(f"fieldcraft: {str(stopped) or 'stopped; nothing was written'}", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of a pipe is gone; Python must not complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EFBIG, errno.EROFS):
            raise
        print(f"fieldcraft: The output can't be written: {error}", file=sys.stderr)
        return 2
    return int(getattr(chosen, "code", 0))


def _show_log() -> None:
    """Show on a terminal what the library logs while it compiles."""
    log = logging.getLogger("fieldcraft")
    if sys.stderr.isatty() and not log.handlers:
        log.addHandler(logging.StreamHandler())
        log.setLevel(logging.INFO)


def _parser() -> tuple[
    argparse.ArgumentParser, argparse._SubParsersAction[argparse.ArgumentParser]
]:
    """Return the parser of the command line, and its commands."""
    parser = argparse.ArgumentParser(
        prog="fieldcraft",
        description=(
            "Influence maps: who controls what, where it is safe, how far a threat reaches."
        ),
        epilog="Start with: fieldcraft demo",
    )
    version = f"fieldcraft {fieldcraft.__version__}"
    parser.add_argument("-V", "--version", action="version", version=version)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    run = commands.add_parser(
        "run",
        help="run a recipe and write its pictures, films and tables",
        description=(
            "Runs a recipe: a TOML file with a map, layers, sources or recordings, and outputs."
        ),
        epilog=("Example: fieldcraft run demo --set layers.threat.decay=0.5 --out pictures"),
    )
    _recipe_arguments(run)
    run.add_argument(
        "--out",
        type=Path,
        default=Path("out"),
        metavar="DIR",
        help="folder for the outputs, made if absent (default: out)",
    )
    run.set_defaults(act=_run)

    compare = commands.add_parser(
        "compare",
        help="show a recipe's map under several values of one parameter, side by side",
        description=(
            "Runs a recipe once per value and draws the results side by side, with the same colors."
        ),
        epilog=(
            "Example: fieldcraft compare demo --param layers.threat.decay --values"
            " 0.8,0.26 --out compared.png"
        ),
    )
    _recipe_arguments(compare)
    compare.add_argument(
        "--param", required=True, metavar="KEY", help="the parameter, such as layers.threat.decay"
    )
    compare.add_argument(
        "--values", required=True, metavar="V1,V2,...", help="its values, separated by commas"
    )
    compare.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        help="how long to run, instead of the recipe's run.seconds",
    )
    compare.add_argument(
        "--out",
        type=Path,
        action="append",
        metavar="FILE",
        help=(
            "a file to write: .png shows the end, .gif .webp .mp4 the whole run; may be given"
            " several times (default: out/compare.png)"
        ),
    )
    compare.set_defaults(act=_compare)

    info = commands.add_parser(
        "info",
        help="describe a map file",
        description="Shows size, units, ground and connected parts of a map.",
        epilog="Example: fieldcraft info maps/arena.map --mobility water",
    )
    info.add_argument(
        "map", type=Path, metavar="MAP", help="a map file: .map, .tmx, .tmj, .npz, .png and others"
    )
    info.add_argument(
        "--mobility",
        default="ground",
        help=(
            "what moves: ground, trees, water, air and others, as the map offers (default: ground)"
        ),
    )
    info.add_argument("--json", action="store_true", help="print JSON, for other programs")
    info.set_defaults(act=_info)

    add_bundle(commands)
    add_new(commands)
    add_demo(commands, _run)

    _add_package_commands(commands)
    return parser, commands


def _add_package_commands(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
) -> None:
    """Add the sub-commands that installed packages offer in the entry points of `COMMANDS`.

    Each entry point names a function that takes `commands`, adds a parser of the entry point's
    name, and sets its `act`. If a package fails, only its own command fails, with the reason.
    """
    own = set(commands.choices)
    for point in sorted(metadata.entry_points(group=COMMANDS), key=lambda point: point.name):
        if point.dist is not None:
            package = point.dist.name
        else:
            package = "an unknown package"
        if point.name in own:
            print(
                f"fieldcraft: {package} offers the command {point.name!r}, which fieldcraft has"
                " itself; it is left out",
                file=sys.stderr,
            )
            continue
        try:
            point.load()(commands)
        except Exception as error:
            broken = (
                f"{point.name!r} from {package} ({point.value}): {type(error).__name__}: {error}"
            )
            parser = commands.choices.get(point.name) or commands.add_parser(
                point.name, add_help=False, help="cannot be loaded"
            )
            parser.set_defaults(broken=broken)


def _refuse_broken(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], arguments: Sequence[str]
) -> None:
    """Refuse a command that is broken or not there, before its arguments are read."""
    name = next((argument for argument in arguments if not argument.startswith("-")), None)
    if name is None:
        return
    if name in install.COMMANDS and name not in commands.choices:
        folder = install.COMMANDS[name]
        raise FieldcraftError(
            f"The command {name!r} is in the package fieldcraft-{folder}, which is not installed",
            remedy=install.remedy(folder),
        )
    if name not in commands.choices:
        raise UnknownName("command", name, commands.choices)
    broken = commands.choices[name].get_default("broken")
    if broken is not None:
        raise FieldcraftError(
            "A command can be loaded", got=broken, remedy="Install that package again, or remove it"
        )


def _recipe_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of commands that run a recipe."""
    parser.add_argument(
        "recipe", type=Path, metavar="RECIPE", help="a recipe file (.toml), or - for standard input"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help=(
            "replace a value of the recipe, such as layers.threat.decay=0.5 or"
            " sources.camp.strength=3; may be given several times"
        ),
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=(
            "the folder for ${FIELDCRAFT_DATA} in a recipe (default: the environment"
            " variable of that name)"
        ),
    )
    parser.add_argument(
        "--quiet", action="store_true", help="no progress bar, and no table at the end"
    )


def _text(recipe: Path) -> str | None:
    """Return the text of a recipe from standard input; None for one in a file."""
    if str(recipe) == "-":
        return sys.stdin.read()
    return None


def _progress(chosen: argparse.Namespace) -> TextIO | None:
    """Return where the progress bar is drawn."""
    if chosen.quiet:
        return None
    return sys.stderr


def _run(chosen: argparse.Namespace) -> None:
    from fieldcraft.commands.recipe import read_recipe
    from fieldcraft.commands.recipe.outputs import run

    recipe = read_recipe(
        recipe_path(chosen.recipe), chosen.set, data=chosen.data, text=_text(chosen.recipe)
    )
    report = run(recipe, chosen.out, progress=_progress(chosen))
    if not chosen.quiet:
        _print_report(report)


def _compare(chosen: argparse.Namespace) -> None:
    from fieldcraft.commands.recipe.compare import compare

    values = [value for value in chosen.values.split(",") if value.strip()]
    files = chosen.out or [Path("out/compare.png")]
    result = compare(
        recipe_path(chosen.recipe),
        chosen.param,
        values,
        files,
        seconds=chosen.seconds,
        overrides=chosen.set,
        data=chosen.data,
        text=_text(chosen.recipe),
        progress=_progress(chosen),
    )
    if not chosen.quiet:
        _print_comparison(result)


def _info(chosen: argparse.Namespace) -> None:
    from fieldcraft.formats.maps import load_map

    space = load_map(chosen.map, mobility=chosen.mobility)
    facts = {"file": str(chosen.map), **_facts(space)}
    if chosen.json:
        print(json.dumps(facts, indent=2))
        return
    for name, fact in facts.items():
        print(f"{name:<13}{_shown(fact)}")


def _shown(value: object) -> str:
    """Return a fact as text."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(each)}" for key, each in value.items())
    if isinstance(value, list):
        return f"({', '.join(map(_shown, value))})"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}"


def _print_report(report: Report) -> None:
    print(f"{report.title}: {report.seconds:g} seconds in {report.took:.1f} s")
    print(f"map     {report.map}, {report.cells:,} cells, {report.open_cells:,} of them open")
    width = max([5, *(len(layer.name) for layer in report.layers)])
    print(f"\n{'layer':<{width}}  {'updates':>8}  {'sources':>8}  {'peak':>10}")
    for layer in report.layers:
        print(
            f"{layer.name:<{width}}  {layer.updates:>8,}  {layer.sources:>8,}  {layer.peak:>10.4g}"
        )
    _print_files(report.files)


def _print_comparison(result: Comparison) -> None:
    print(f"{' | '.join(result.titles)}: {result.seconds:g} seconds each, in {result.took:.1f} s")
    _print_files(result.files)


def _print_files(files: Sequence[Path]) -> None:
    if files:
        print()
    for file in files:
        print(f"wrote {file} ({max(1, round(file.stat().st_size / 1024)):,} KiB)")


def _facts(space: Grid | Graph) -> dict[str, Any]:
    """Return the facts about a map."""
    import numpy as np

    from fieldcraft.space import Grid

    facts: dict[str, Any] = {}
    if isinstance(space, Grid):
        facts["kind"] = "grid"
        facts["width"] = space.width
        facts["height"] = space.height
        facts["cell_size"] = space.cell_size
        if space.terrain is not None:
            counts = np.bincount(space.terrain.classes.ravel()).tolist()
            found = zip(space.terrain.names, counts, strict=False)
            facts["ground"] = {name: number for name, number in found if number}
    else:
        facts["kind"] = "graph" if space.mesh is None else "mesh"
        facts["vertices"] = len(space)
        facts["edges"] = len(space.edges)
        facts["dimensions"] = space.dimensions
        facts["directed"] = space.directed
    parts = space.parts().reshape(-1)
    sizes = np.bincount(parts[parts >= 0], weights=space.areas.reshape(-1)[parts >= 0])
    facts["open"] = int(np.count_nonzero(~space.walls))
    facts["low"] = []
    facts["high"] = []
    if len(space):
        facts["low"], facts["high"] = space.extent.tolist()
    facts["y_up"] = space.y_up
    facts["parts"] = len(sizes)
    facts["largest_part"] = 0.0
    if len(sizes):
        facts["largest_part"] = float(sizes.max() / sizes.sum())
    return facts
