"""Kinds of machines that kernels are compiled for, and the compiler: zig, from PyPI's ziglang."""

from __future__ import annotations

import importlib.util
import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

__all__ = ["TARGETS", "Target", "compiler", "here", "zig"]

HERE = Path(__file__).resolve().parent


class Target(NamedTuple):
    """A kind of processor and operating system, as zig calls them."""

    system: str
    processor: str

    @property
    def platform(self) -> str:
        """The operating system, as `sys.platform` says it."""
        if "windows" in self.system:
            return "win32"
        return "darwin" if "macos" in self.system else "linux"

    @property
    def address_bits(self) -> int:
        """The bits of an address."""
        return 32 if self.system.startswith("wasm32") else 64


_PROCESSORS = {"v2": "x86_64_v2", "v3": "x86_64_v3", "v4": "x86_64_v4-prefer_256_bit"}
_SYSTEMS = {
    "linux": "x86_64-linux-gnu.2.28",
    "windows": "x86_64-windows-gnu",
    "macos": "x86_64-macos.11.0",
}
TARGETS = {
    f"{name}-x86-64-{level}": Target(system, processor)
    for name, system in _SYSTEMS.items()
    for level, processor in _PROCESSORS.items()
} | {
    "linux-aarch64": Target("aarch64-linux-gnu.2.28", "generic+neon"),
    "macos-aarch64": Target("aarch64-macos.11.0", "apple_m1"),
    "wasm": Target("wasm32-wasi", "generic+simd128+bulk_memory"),
}
"""Kinds of machines; all but "wasm" have libraries for Python."""


def zig(*words: str) -> list[str]:
    """The command of zig with some words.

    Raises RuntimeError where zig is not installed.
    """
    if importlib.util.find_spec("ziglang") is None:
        raise RuntimeError(
            f"zig compiles the kernels. Got {sys.executable}, which has no ziglang. Run:"
            f" {sys.executable} -m pip install 'ziglang>=0.17'"
        )
    return [sys.executable, "-m", "ziglang", *words]


def compiler(target: Target) -> list[str]:
    """The command that compiles C files and bitcode for a target.

    Vectors are made from loops only, as Numba does, not from straight code.
    """
    command = zig("cc", "-target", target.system, "-O3", "-g0", "-s")
    command += ["-fPIC", "-fvisibility=hidden", "-fno-sanitize=all", "-ffp-contract=off"]
    command += ["-fno-slp-vectorize", "-Wno-override-module", "-Wno-unused-command-line-argument"]
    return [*command, f"-mcpu={target.processor}", f"-I{HERE}"]


def here() -> list[str]:
    """The targets of this machine: for its processor, and for any of its kind.

    It is empty where there is no target for this machine.
    """
    system = {"Linux": "linux", "Darwin": "macos", "Windows": "windows"}.get(platform.system())
    machine = platform.machine()
    if system is None or (system == "linux" and platform.libc_ver()[0] != "glibc"):
        return []
    if machine in ("arm64", "aarch64"):
        name = f"{system}-aarch64"
        return [name] if name in TARGETS else []
    if machine not in ("x86_64", "AMD64"):
        return []
    features = _features()
    best = "v2"
    if {"avx2", "fma"} <= features:
        best = "v3"
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= features:
        best = "v4"
    return [f"{system}-x86-64-{level}" for level in dict.fromkeys((best, "v2"))]


def _features() -> set[str]:
    """What this processor can do, in zig's words."""
    command = zig("build-exe", "--show-builtin", "-mcpu", "native")
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(re.findall(r"^ +\.(\w+),$", done.stdout + done.stderr, re.MULTILINE))
