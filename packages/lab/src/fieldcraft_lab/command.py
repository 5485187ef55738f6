"""`fieldcraft lab`, `fieldcraft replay` and `fieldcraft diff`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def add_lab(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `lab` to the commands of a parser."""
    lab = commands.add_parser(
        "lab",
        help="open a live map in the browser: change it, rewind, fork and save",
        description=(
            "Opens the browser on a running world: sliders, sources, walls, formulas, time. Only"
            " this machine can connect."
        ),
        epilog="Example: fieldcraft lab demo",
    )
    lab.add_argument(
        "world",
        nargs="?",
        metavar="WORLD",
        help=(
            "a recipe (.toml), a saved session or map, a link of the lab, or a world such as"
            " towers; without one a page opens on which you choose"
        ),
    )
    lab.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="replace a value of the recipe",
    )
    lab.add_argument(
        "--data", type=Path, metavar="DIR", help="the folder of recorded data that a recipe needs"
    )
    lab.add_argument(
        "--port",
        type=int,
        default=0,
        metavar="N",
        help="the port to listen at (default: any that is free)",
    )
    lab.add_argument(
        "--share",
        metavar="ADDRESS",
        help="let other machines connect at this address, with the token; not encrypted",
    )
    lab.add_argument("--no-browser", action="store_true", help="print the address, open nothing")
    lab.add_argument("--paused", action="store_true", help="start with time paused")
    _add_trust(lab)
    lab.set_defaults(act=_lab)


def _add_trust(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trust",
        action="store_true",
        help="replay a session of any length (default: some seconds of work)",
    )


def _lab(chosen: argparse.Namespace) -> None:
    from fieldcraft_lab import replay
    from fieldcraft_lab.lab import Lab

    world = chosen.world or "demo"
    session = replay.session_of(
        world, overrides=tuple(chosen.set), data=chosen.data, trust=chosen.trust
    )
    session.seek(session.furthest)
    is_link = replay.is_link(world)
    playing = not (chosen.paused or is_link)
    starts = chosen.world is None
    lab = Lab(session, port=chosen.port, share=chosen.share, playing=playing, starts=starts)
    url = None
    if is_link:
        url = replay.with_view(lab.url, world)
    lab.wait(browser=not chosen.no_browser, url=url)


def add_replay(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `replay` to the commands of a parser."""
    replay = commands.add_parser(
        "replay",
        help="replay a session of the lab, and film it",
        description=(
            "Replays a saved session (or a recipe) from its beginning, with all orders, to the same"
            " bits."
        ),
        epilog="Example: fieldcraft replay run.lab --until 12.5 --record run.mp4",
    )
    replay.add_argument("file", metavar="FILE", help="a session saved in the lab, or a recipe")
    replay.add_argument(
        "--until", type=float, metavar="S", help="stop at this second (default: the end)"
    )
    replay.add_argument(
        "--record",
        type=Path,
        metavar="OUT",
        help="film it: .mp4, .gif, .webp; .png for the end alone",
    )
    replay.add_argument(
        "--layer", metavar="NAME", help="the map that is filmed (default: the first)"
    )
    replay.add_argument(
        "--limits",
        type=float,
        nargs=2,
        metavar=("LOW", "HIGH"),
        help="the values of the end colors",
    )
    replay.add_argument("--orders", action="store_true", help="list the orders, too")
    replay.add_argument(
        "--data", type=Path, metavar="DIR", help="the folder of recorded data that a recipe needs"
    )
    _add_trust(replay)
    replay.set_defaults(act=_replay)


def add_diff(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `diff` to the commands of a parser."""
    diff = commands.add_parser(
        "diff",
        help="print the step, the layer and the cell where two runs first differ",
        description=(
            "Replays two sessions of the lab (or recipes) side by side and stops at the first bit"
            " that differs."
        ),
        epilog=(
            "Example: fieldcraft diff yesterday.lab today.lab --picture parted.png    Exit code 1"
            " if they differ."
        ),
    )
    diff.add_argument("first", metavar="A", help="a session saved in the lab, or a recipe")
    diff.add_argument("second", metavar="B", help="another one")
    diff.add_argument("--until", type=float, metavar="S", help="stop at this second")
    diff.add_argument(
        "--picture",
        type=Path,
        metavar="OUT.png",
        help="draw both, and the difference, at that moment",
    )
    diff.add_argument(
        "--data", type=Path, metavar="DIR", help="the folder of recorded data that a recipe needs"
    )
    _add_trust(diff)
    diff.set_defaults(act=_diff)


def _replay(chosen: argparse.Namespace) -> None:
    from fieldcraft.base.progress import Progress
    from fieldcraft_lab import replay

    session = replay.session_of(chosen.file, data=chosen.data, trust=chosen.trust)
    until = replay.moment_of(session, chosen.until)
    if chosen.orders:
        for moment, order in session.log:
            print(f"{moment * session.live.step_seconds:10.3f} s  step {moment:6d}  {order}")
    if chosen.record is not None:
        limits = None
        if chosen.limits is not None:
            limits = (chosen.limits[0], chosen.limits[1])
        with Progress(sys.stderr, chosen.record.name) as bar:
            replay.record(
                session, chosen.record, until, layer=chosen.layer, limits=limits, watch=bar.show
            )
    else:
        session.seek(until)
    print(
        f"{session.live.title}: step {session.moment}, {session.seconds:g} s, {len(session.log)}"
        " orders"
    )
    print(f"sha256  {session.digest()}")
    if chosen.record is not None:
        print(f"wrote {chosen.record} ({max(1, round(chosen.record.stat().st_size / 1024)):,} KiB)")


def _diff(chosen: argparse.Namespace) -> None:
    from fieldcraft.view import save_png
    from fieldcraft_lab import replay

    options = {"data": chosen.data, "check": False, "trust": chosen.trust}
    first = replay.session_of(chosen.first, **options)
    second = replay.session_of(chosen.second, **options)
    until = None
    if chosen.until is not None:
        until = replay.moment_of(first, chosen.until)
    found = replay.difference(first, second, until)
    if found is None:
        print(f"The runs agree, bit for bit, to step {first.moment} ({first.seconds:g} s).")
        return
    print(found)
    if chosen.picture is not None:
        save_png(chosen.picture, replay.picture_of(first, second, found.layer))
        print(f"wrote {chosen.picture}")
    chosen.code = 1
