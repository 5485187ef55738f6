"""Write the diagram of packages and modules in CONTRIBUTING.md: `make diagram`.

The diagram is generated from the imports. `--check` writes nothing and ends with exit code 1 where
the page differs from them.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- diagram: begin -->\n", "<!-- diagram: end -->"
PACKAGES = {
    "fieldcraft": "packages/fieldcraft",
    "fieldcraft_gpu": "packages/gpu",
    "fieldcraft_lab": "packages/lab",
    "fieldcraft_cluster": "packages/cluster",
    "fieldcraft_worlds": "packages/worlds",
    "research": "research",
}


def levels(after: dict[str, set[str]]) -> list[list[str]]:
    """Return the names of an acyclic graph in levels, each above all that it depends on."""
    left = dict(after)
    found = []
    while left:
        free = sorted(name for name, others in left.items() if not others & left.keys())
        if not free:
            raise SystemExit(f"modules import each other in a circle: {sorted(left)}")
        found.append(free)
        left = {name: others for name, others in left.items() if name not in free}
    return found


def dependencies(graph: grimp.ImportGraph) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return which packages import which, and which modules of the library import which."""
    packages: dict[str, set[str]] = {name: set() for name in PACKAGES}
    modules: dict[str, set[str]] = {}
    for name in graph.modules:
        for other in {name, *graph.find_modules_directly_imported_by(name)}:
            package, below = name.split(".")[0], other.split(".")[0]
            if package != below:
                packages[package].add(below)
            elif package == "fieldcraft" and "." in name:
                module, used = name.split(".")[1], other.split(".")[1:2]
                modules.setdefault(module, set()).update(set(used) - {module})
    return packages, {name: after for name, after in modules.items() if name != "__main__"}


def summary(module: str) -> str:
    """Return the first sentence of a module's docstring."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ").split(". ")[0].rstrip(".")


def diagram() -> str:
    """Return the diagram as Markdown."""
    sys.path.insert(0, str(ROOT))  # for the package of studies
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    packages, modules = dependencies(graph)
    lines = ["```mermaid", "graph TD"]
    for name in PACKAGES:
        above = {other for other in packages[name] if other in PACKAGES}
        direct = {o for o in above if not any(o in packages[p] for p in above - {o})}
        lines += [f"    {name} --> {other}" for other in sorted(direct)]
    lines += ["```", "", "Modules of the library; each imports only from the lines above it:", ""]
    lines += ["| modules | content |", "|---|---|"]
    for level in levels(modules):
        lines += [f"| `{name}` | {summary(f'fieldcraft.{name}')} |" for name in level]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write or check the page and return the exit code."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    wanted = before + BEGIN + diagram() + END + rest.split(END)[1]
    if "--check" in sys.argv:
        if text != wanted:
            print("CONTRIBUTING.md does not show today's imports. Run: make diagram")
        return int(text != wanted)
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
