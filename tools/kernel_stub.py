"""Write the lists of kernel families for editors and type checkers: kernels/*/__init__.pyi."""

from __future__ import annotations

from pathlib import Path

from fieldcraft import kernels
from fieldcraft.kernels.compiling.kernel_table import FOLDERS

HOME = Path(kernels.__file__).parent


def text(folder: str) -> str:
    """Return the stub of a folder."""
    lines = [
        f"from fieldcraft.kernels.{folder} import {name} as {name}" for name in FOLDERS[folder]
    ]
    head = (
        "# The families of kernels for type checkers and editors; see `compiling/kernel_table.py`."
    )
    return "\n".join([head, *sorted(lines), ""])


if __name__ == "__main__":
    for folder in FOLDERS:
        (HOME / folder / "__init__.pyi").write_text(text(folder))
