"""Check the commands of docs/measured.md: `python tools/measured.py`.

Each row of the page has a command, or several, and the commit that it was measured at. A suite of
`python -m bench` has to be among its suites; of other commands the help has to name all options.
`--run` also runs the suites of the page with `--quick`, and fails where one does.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.__main__ import SUITES  # noqa: E402

PAGE = ROOT / "docs" / "measured.md"
_COMMIT = re.compile(r"\b[0-9a-f]{7,8}\b")


class Row(NamedTuple):
    """A row of the page."""

    question: str
    commands: list[str]
    commits: list[str]


def rows(text: str) -> Iterator[Row]:
    """Yield the rows of the table of results."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not line.startswith("| ") or len(cells) != 4 or cells[0] == "question":
            continue
        commands = re.findall(r"`([^`]+)`", cells[2])
        rest = re.sub(r"`[^`]+`", "", cells[2])
        yield Row(cells[0], commands, _COMMIT.findall(rest))


def wrong_with(command: str) -> str:
    """Return what is wrong with a command, "" for nothing."""
    words = shlex.split(command)
    if words[:3] == ["python", "-m", "bench"]:
        suites = _suites(words)
        unknown = [suite for suite in suites if suite not in SUITES]
        if unknown or not suites:
            return f"no suites {', '.join(unknown)}"
    if words[:2] == ["python", "-c"]:
        compile(words[2], command, "exec")
        return ""
    if words[:2] == ["python", "-m"]:
        module = words[2]
        rest = words[3:]
    else:
        module = words[0]
        rest = words[1:]
    first = next((at for at, word in enumerate(rest) if word.startswith("-")), len(rest))
    # Placeholders, such as DIR, choose no command.
    chosen = [word for word in rest[:first] if not word.isupper()]
    code, text = help_of(module, chosen)
    if code != 0:
        return f"its help ends with {code}"
    missing = [option for option in rest if option.startswith("--") and option not in text]
    if missing:
        return f"no option {', '.join(missing)}"
    needed = needed_words(text, [module, *chosen])
    given = [word for word in rest[:first] if word not in text.split("\n\n")[0].split()]
    if len(given) < len(needed):
        return f"it needs {' '.join(needed)}"
    return ""


def _suites(words: list[str]) -> list[str]:
    """Return the suites that a command of `python -m bench` names."""
    return [word for word in words[3:] if not word.startswith("-")]


def needed_words(text: str, words: list[str]) -> list[str]:
    """Return the arguments that a command needs besides these words, from its help."""
    usage = text.split("\n\n")[0].removeprefix("usage:")
    while "[" in usage:
        shorter = re.sub(r"\[[^\[\]]*\]", " ", usage)
        if shorter == usage:
            break
        usage = shorter
    return [word for word in usage.split() if word not in {"python", "-m", *words, "..."}]


def help_of(module: str, words: list[str]) -> tuple[object, str]:
    """Return the exit code of a module's command with --help, and what it printed."""
    printed = io.StringIO()
    code: object = 0
    argv = [module, *words, "--help"]
    sys.modules.pop(f"{module}.__main__", None)
    with (
        patch.object(sys, "argv", argv),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=False)
        except SystemExit as end:
            code = end.code or 0
        except Exception as error:
            code = repr(error)
    return code, printed.getvalue()


def unknown_commits(commits: list[str]) -> list[str]:
    """Return the commits that this repository does not have; none without its history."""
    if not (ROOT / ".git").exists():
        return []
    return [
        commit
        for commit in commits
        if subprocess.run(
            ["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=ROOT, capture_output=True
        ).returncode
    ]


def main() -> int:
    """Check all rows; return 1 where one is wrong."""
    parser = argparse.ArgumentParser(prog="python tools/measured.py", description=__doc__)
    parser.add_argument(
        "--run", action="store_true", help="run the suites of the page with --quick"
    )
    options = parser.parse_args()
    found = list(rows(PAGE.read_text(encoding="utf-8")))
    failed = 0
    suites: dict[str, None] = {}
    for row in found:
        problems = [] if row.commands else ["no command"]
        for command in row.commands:
            problem = wrong_with(command)
            if problem:
                problems.append(f"{command}: {problem}")
            if command.startswith("python -m bench "):
                suites |= dict.fromkeys(_suites(command.split()))
        problems += [f"no commit {commit}" for commit in unknown_commits(row.commits)]
        failed += bool(problems)
        print(f"{'; '.join(problems) or 'ok':4} {row.question[:90]}")
    if options.run:
        command = [sys.executable, "-m", "bench", *suites, "--quick"]
        failed += subprocess.run(command, cwd=ROOT).returncode
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
