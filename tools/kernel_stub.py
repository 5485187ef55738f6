"""Write the list of kernel families for editors and type checkers: kernels/__init__.pyi."""

from __future__ import annotations

from pathlib import Path

from fieldcraft import kernels

_NAMES = {name: f"from fieldcraft.kernels import {name} as {name}\n" for name in kernels.FAMILIES}
_TEXT = (
    "# The families of kernels for type checkers and editors, one line for each in `table.py`.\n"
    + "".join(_NAMES[name] for name in sorted(_NAMES))
    + "from fieldcraft.kernels.table import FAMILIES as FAMILIES\n"
    + "from fieldcraft.kernels.tier import compiled as compiled\n"
)

if __name__ == "__main__":
    Path(kernels.__file__).with_suffix(".pyi").write_text(_TEXT)
