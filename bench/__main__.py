"""`python -m bench [suite ...] [--quick]`: prints each suite's tables and leaves them in out/bench
as Markdown.

A suite is a module with `run(quick) -> Report`, named in `SUITES`. The exit code is 1 where values
are wrong, a suite ends by an error, or a target is missed; the last lines say which. `--quick`
looks at no target, as its figures mean little. `--cpu` measures processor time on one thread.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
import traceback
from pathlib import Path

from bench import machine, race
from bench.table import Report, Table

SUITES = {
    "bot": "bench.bot",
    "spread": "bench.spread",
    "cost": "bench.cost",
    "radial": "bench.radial",
    "compose": "bench.compose",
    "query": "bench.query",
    "questions": "bench.questions",
    "teams": "bench.teams",
    "paths": "bench.paths",
    "repair": "bench.repair",
    "search": "bench.search",
    "threats": "bench.threats",
    "steering": "bench.steering",
    "swarm": "bench.swarm",
    "traffic": "bench.traffic",
    "towers": "bench.towers",
    "graph": "bench.graph",
    "pursuit": "bench.pursuit",
    "searching": "bench.searching",
    "sight": "bench.sight",
    "memory": "bench.memory",
    "learning": "bench.learning",
    "sc2": "bench.sc2",
    "mesa": "bench.mesa",
    "cluster": "bench.cluster",
}


def main() -> int:
    """Run the suites named on the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Measure fieldcraft against its peers."
    )
    parser.add_argument(
        "suites", nargs="*", metavar="suite", help=f"{', '.join(SUITES)} (default: all)"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="few rounds: shows that everything runs; its figures mean little",
    )
    parser.add_argument(
        "--cpu",
        action="store_true",
        help="processor time on one thread, for a machine that runs other programs too",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("out/bench"),
        help="folder for the Markdown tables (default: out/bench)",
    )
    options = parser.parse_args()
    unknown = [name for name in options.suites if name not in SUITES]
    if unknown:
        parser.error(f"unknown suite {', '.join(unknown)}: choose from {', '.join(SUITES)}")

    described = Table("Machine", ["what", "value"], [list(pair) for pair in machine.describe()])
    print(described.text(), flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    missed: list[str] = []
    for name in options.suites or SUITES:
        if options.cpu:
            race.count_processor_time()  # a suite before may have set numbers of threads
        began = time.perf_counter(), time.process_time()
        try:
            report: Report = importlib.import_module(SUITES[name]).run(options.quick)
        except Exception:  # one suite that ends early costs nobody the others
            traceback.print_exc()
            wrong.append(f"{name}: ended by an error")
            continue
        took = (
            f"{time.perf_counter() - began[0]:.0f} s, {time.process_time() - began[1]:.0f} s of CPU"
            " in this process."
        )
        report.notes.append(f"Suite {name}: {took}")
        if options.cpu:
            report.notes.append("Times are of the processor, on one thread (--cpu).")
        for note in report.notes:
            print(f"\n{note}", flush=True)
        for table in report.tables:
            print(f"\n{table.text()}", flush=True)
        page = options.out / f"{name}.md"
        heading = f"# bench {name}"
        if options.quick:
            heading += " --quick (few rounds: figures mean little)"
        page.write_text(
            "\n".join(
                [
                    heading,
                    "",
                    *report.notes,
                    *(table.markdown() for table in [described, *report.tables]),
                ]
            )
        )
        print(f"\nwritten: {page}")
        wrong += [f"{name}: {line}" for line in report.wrong]
        if not options.quick:
            missed += [f"{name}: {line}" for table in report.tables for line in table.missed()]
    for line in missed:
        print(f"MISSED: {line}", file=sys.stderr)
    for line in wrong:
        print(f"WRONG: {line}", file=sys.stderr)
    return 1 if wrong or missed else 0


if __name__ == "__main__":
    sys.exit(main())
