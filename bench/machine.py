"""What the figures were taken on: processor, caches, compiler, versions."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "opencv-python-headless")


def processor() -> str:
    """The processor's name as the system gives it."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def vector_units() -> str:
    """The widest vector instructions named in the processor's flags."""
    listing = Path("/proc/cpuinfo")
    flags: set[str] = set()
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("flags"):
                flags = set(line.split(":", 1)[1].split())
                break
    for flag, name in (
        ("avx512f", "AVX-512"),
        ("avx2", "AVX2"),
        ("avx", "AVX"),
        ("sse4_2", "SSE4.2"),
    ):
        if flag in flags:
            return name
    return "unknown"


def kernel_units() -> str:
    """The level of the native library that serves, or that Numba compiles."""
    from fieldcraft.kernels.compiling import native, tier

    if tier.library() is None:
        return "none: Numba compiles"
    asked = os.environ.get("FIELDCRAFT_LEVEL")
    fitting = (level for level, needed in native.LEVELS.items() if native.runs_here(needed))
    return asked or next(level for level in fitting if native.place(level).exists())


def caches() -> str:
    """Sizes of the data caches of core 0, from the first level on."""
    entries = sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"))
    data = [entry for entry in entries if (entry / "type").read_text().strip() != "Instruction"]
    sizes = [
        f"L{(entry / 'level').read_text().strip()} {(entry / 'size').read_text().strip()}"
        for entry in data
    ]
    return ", ".join(sizes) or "unknown"


def compiler() -> str:
    """The first line of `g++ --version`."""
    found = shutil.which("g++")
    if found is None:
        return "g++ not found"
    return subprocess.run(
        [found, "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]


def chromium() -> str:
    """The path of the browser; ends the program where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    raise SystemExit("There is no Chromium. Install it, or google-chrome.")


def version(library: str) -> str:
    """An installed library's version."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "not installed"


def describe() -> list[tuple[str, str]]:
    """Everything above as (what, value) pairs."""
    lines = [
        ("processor", f"{processor()}, {vector_units()}"),
        ("cores", str(cores())),
        ("caches", caches()),
        ("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
        ("compiler", compiler()),
        ("python", f"{platform.python_implementation()} {platform.python_version()}"),
    ]
    lines += [(library, version(library)) for library in LIBRARIES]
    if hasattr(os, "getloadavg"):
        lines.append(("load average", f"{os.getloadavg()[0]:.2f} at the start (1 minute)"))
    return lines
