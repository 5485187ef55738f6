"""Puts the kernels that `fieldcraft compile` made into the wheel, which is then for this platform
and this Python.

FIELDCRAFT_OBJECT names the folder where they lie. Without it the wheel is pure Python, and whoever
installs it needs the extra `jit`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelHook(BuildHookInterface):
    """The build hook of the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the object and what it was made of; raises FileNotFoundError where the folder holds
        none.
        """
        named = os.environ.get("FIELDCRAFT_OBJECT", "")
        if version == "editable" or not named:
            return
        files = sorted((Path(self.root) / named).glob("fieldcraft_kernels*"))
        if not any(path.suffix == ".txt" for path in files):
            raise FileNotFoundError(
                f"FIELDCRAFT_OBJECT is the folder of one compiled object. Got {named!r}. Run:"
                f" fieldcraft compile --out {named}"
            )
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        for path in files:
            build_data["force_include"][str(path)] = f"fieldcraft/kernels/{path.name}"
