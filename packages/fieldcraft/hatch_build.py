"""Builds the native library of kernels for this machine and puts it into the wheel, which is then
for one platform and any Python.

An editable install gets it beside the sources, unless a kernel has changed. FIELDCRAFT_NATIVE
names a folder of libraries that are ready, and FIELDCRAFT_PLATFORM their platform's tag, such as
manylinux_2_28_x86_64. FIELDCRAFT_NATIVE=none makes a wheel of pure Python, and so does a machine
that there is no target for: whoever installs it needs the extra `jit`.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILER = "ziglang>=0.17"


class KernelHook(BuildHookInterface):
    """The build hook of the wheel."""

    def dependencies(self) -> list[str]:
        """The compiler, where this build compiles."""
        return [] if os.environ.get("FIELDCRAFT_NATIVE") else [COMPILER]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the libraries.

        Raises FileNotFoundError where FIELDCRAFT_NATIVE names a folder without libraries, and
        RuntimeError where the library can't be built.
        """
        named = os.environ.get("FIELDCRAFT_NATIVE", "")
        if named == "none":
            return
        if named:
            if version != "editable":
                self._add(Path(self.root) / named, os.environ["FIELDCRAFT_PLATFORM"], build_data)
            return
        native = self._tools()
        targets = native.here()
        if not targets:
            self.app.display_warning(
                "fieldcraft has no compiled kernels for this machine: it needs the extra `jit`."
            )
        elif version == "editable":
            self._build_beside_sources(native, targets)
        else:
            self._scratch = tempfile.TemporaryDirectory()  # until the wheel is written
            folder = Path(self._scratch.name)
            self._build(native, targets, folder)
            tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            self._add(folder, tag, build_data)

    def _build_beside_sources(self, native: ModuleType, targets: list[str]) -> None:
        """Build the libraries in the folder of the sources, unless somebody has changed a kernel
        there: then Numba is needed, which `make setup` installs after fieldcraft.
        """
        changed = native.stale(native.families())
        if changed:
            self.app.display_warning(
                f"These kernels have changed: {', '.join(changed)}. The native library is not"
                " built; `make setup` makes their bitcode, and builds it."
            )
        else:
            self._build(native, targets, native.native.FOLDER)

    def _tools(self) -> ModuleType:
        """The module `native/build.py`, which needs zig only."""
        path = Path(self.root) / "native" / "build.py"
        found = importlib.util.spec_from_file_location("fieldcraft_native_build", path)
        assert found is not None
        assert found.loader is not None
        module = importlib.util.module_from_spec(found)
        sys.modules[found.name] = module
        found.loader.exec_module(module)
        return module

    def _build(self, native: ModuleType, targets: list[str], folder: Path) -> None:
        """Build the libraries that are not there yet, for the levels of this machine."""
        wanted = [(name, folder) for name in targets if not native.is_built(name, folder)]
        try:
            native.build(wanted)
        except Exception as error:
            raise RuntimeError(
                "The kernels of fieldcraft could not be compiled, see above. Set"
                " FIELDCRAFT_NATIVE=none to install it without compiled kernels; it then needs"
                " the extra `jit`."
            ) from error

    def _add(self, folder: Path, tag: str, build_data: dict[str, Any]) -> None:
        """Put the libraries of a folder into the wheel, which is for a platform."""
        files = sorted(folder.glob("_native_*"))
        if not files:
            raise FileNotFoundError(
                f"FIELDCRAFT_NATIVE is a folder of native libraries, or none. Got {str(folder)!r}."
                f" Run: python packages/fieldcraft/native/build.py --out {folder}"
            )
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag}"
        for path in files:
            build_data["force_include"][str(path)] = f"fieldcraft/kernels/{path.name}"
