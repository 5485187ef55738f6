"""Puts native libraries into the wheel, which is then for one platform and any Python.

FIELDCRAFT_NATIVE names the folder where they lie, FIELDCRAFT_PLATFORM the platform's tag, such as
manylinux_2_28_x86_64. Without them the wheel is pure Python, and whoever installs it needs the
extra `jit`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelHook(BuildHookInterface):
    """The build hook of the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the libraries; raises FileNotFoundError where the folder holds none."""
        named = os.environ.get("FIELDCRAFT_NATIVE", "")
        if version == "editable" or not named:
            return
        files = sorted((Path(self.root) / named).glob("_native_*"))
        if not files:
            raise FileNotFoundError(
                f"FIELDCRAFT_NATIVE is a folder of native libraries. Got {named!r}. Run: python"
                f" tools/native/build.py --out {named}"
            )
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{os.environ['FIELDCRAFT_PLATFORM']}"
        for path in files:
            build_data["force_include"][str(path)] = f"fieldcraft/kernels/{path.name}"
