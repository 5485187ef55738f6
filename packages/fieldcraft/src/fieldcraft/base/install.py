"""The lines that install this project and its packages."""

from __future__ import annotations

PUBLISHED = False
"""Whether the packages are in an index of packages; until then they are installed from a clone."""

PACKAGES = {
    "cluster": "cluster",
    "gpu": "gpu",
    "lab": "lab",
    "notebook": "lab",
    "rl": "worlds",
    "worlds": "worlds",
}
"""The package, by the name of its folder, that has an extra; all other extras are the library's."""

COMMANDS = {
    "diff": "lab",
    "gpu": "gpu",
    "lab": "lab",
    "play": "worlds",
    "replay": "lab",
}
"""The package, by the name of its folder, of each command that the library does not have itself."""


def requirement(extra: str) -> str:
    """Return what pip installs for an extra, such as `./packages/fieldcraft[view]`."""
    folder = PACKAGES.get(extra, "fieldcraft")
    own = ""  # the extra, unless it is the package itself
    if extra != folder:
        own = f"[{extra}]"
    if not PUBLISHED:
        return f"./packages/{folder}{own}"
    if folder == "fieldcraft":
        return f"fieldcraft{own}"
    return f"fieldcraft-{folder}{own}"


WHERE = "" if PUBLISHED else ", in a clone of the repository"
"""Where the lines work."""


def remedy(extra: str) -> str:
    """Return the remedy for an extra that is not installed."""
    return f"Install it with: pip install '{requirement(extra)}'{WHERE}"
