"""Kernels made ready before anybody waits: loaded where they lie compiled, else compiled, in as
many processes as there are cores.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from fieldcraft.errors import UnknownName
from fieldcraft.kernels import prebuilt, tier
from fieldcraft.kernels.table import FAMILIES

__all__ = [
    "chosen",
    "end",
    "entries",
    "lines",
    "missing",
    "prepare",
    "split",
    "start",
    "versions",
    "words",
]

Told = Callable[[int, int], None]

_MOMENT = 0.1  # seconds until somebody who has had enough is heard
_FEW = 4  # families that one process compiles before others would have started


def words() -> set[str]:
    """Everything that names families: their own names, and the subjects that they belong to."""
    return {*FAMILIES, *(word for subjects in FAMILIES.values() for word in subjects)}


def chosen(names: Iterable[str]) -> list[str]:
    """The families that some words name, in the order of the table."""
    asked = set(names)
    return [family for family, subjects in FAMILIES.items() if asked & {family, *subjects}]


def entries(names: Iterable[str] = tuple(FAMILIES)) -> list[Any]:
    """Every kernel that declares its types, family by family.

    A name is a family, one kernel of it, as in "radial.stamp", or one version of a kernel, as in
    "trail.update:1" for the second that it declares. Raises `UnknownName` for a kernel or a version
    that there is not.
    """
    return list(dict.fromkeys(kernel for kernel, _ in _named(names)))


def versions(names: Iterable[str] = tuple(FAMILIES)) -> list[Any]:
    """Every version of the kernels that are named, as `entries` takes names."""
    return list(
        dict.fromkeys(part for kernel, number in _named(names) for part in kernel.parts[number])
    )


def _named(names: Iterable[str]) -> Iterator[tuple[Any, slice]]:
    """The kernels that are named, each with the versions that are meant."""
    for name in names:
        family, _, rest = name.partition(".")
        only, _, number = rest.partition(":")
        members = vars(importlib.import_module(f"fieldcraft.kernels.{family}"))
        declaring = {
            each: value for each, value in members.items() if getattr(value, "declared", ())
        }
        if only and only not in declaring:
            raise UnknownName(f"kernel of {family}", only, list(declaring))
        for kernel in [declaring[only]] if only else declaring.values():
            known = [str(each) for each in range(len(kernel.parts))]
            if number and number not in known:
                raise UnknownName(f"version of {family}.{only}", number, known)
            yield kernel, slice(int(number), int(number) + 1) if number else slice(None)


def missing(names: Iterable[str]) -> list[Any]:
    """The versions of kernels among those named that lie in no store: they would be compiled when
    they are first called.
    """
    return (
        []
        if prebuilt.serves() or not tier.compiled()
        else [kernel for kernel in versions(names) if not kernel.is_stored()]
    )


def prepare(
    names: Sequence[str],
    told: Told | None = None,
    processes: int | None = None,
    stopped: threading.Event | None = None,
) -> None:
    """Load the kernels that are named, and compile those that lie in no store.

    `told` is called with the number of kernels that are ready and that of all of them. Once
    `stopped` is set no further kernel is begun.
    """
    if not tier.compiled():
        return
    if prebuilt.serves():
        for name in names:
            importlib.import_module(f"fieldcraft.kernels.{name.partition('.')[0]}")
        return
    kernels = versions(names)
    say = told or (lambda done, total: None)
    stop = stopped or threading.Event()
    lacking = [kernel for kernel in kernels if not kernel.is_stored()]
    ready = len(kernels) - len(lacking)
    say(ready, len(kernels))
    workers = min(processes or os.cpu_count() or 1, len(lacking) // _FEW)
    if workers > 1 and not getattr(sys, "frozen", False):
        _compile_beside(lacking, workers, lambda done: say(ready + done, len(kernels)), stop)
    for done, kernel in enumerate(lacking, start=1):
        if stop.is_set():
            return
        kernel.prepare()
        if workers <= 1:
            say(ready + done, len(kernels))
    for kernel in kernels:
        if stop.is_set():
            return
        kernel.prepare()


def _compile_beside(
    lacking: list[Any], workers: int, say: Callable[[int], None], stopped: threading.Event
) -> None:
    """Let processes compile kernels into the store; what one of them fails at, this one meets
    later.
    """
    shares = [
        [f"{each.py_func.__module__}:{each.py_func.__name__}:{each.number}" for each in share]
        for share in split(lacking, workers)
    ]
    code = "import sys; from fieldcraft.kernels import warming; warming.work(sys.argv[1:])"
    started = [start(code, share) for share in shares]
    try:
        done = 0
        for line in lines(started):
            if stopped.is_set():
                break
            if line:
                done += line.startswith("ready")
                say(min(done, len(lacking)))
    finally:
        end(started)


def split(kernels: Sequence[Any], parts: int) -> list[list[Any]]:
    """The kernels in so many parts, about as long to compile, or fewer; those of a file stay
    together as far as that goes.

    What they call they have in common, and it is translated once in a process.
    """
    files: dict[str, list[Any]] = {}
    for kernel in kernels:
        files.setdefault(kernel.py_func.__module__, []).append(kernel)
    most = sum(_effort(kernel) for kernel in kernels) / parts
    bundles: list[tuple[int, list[Any]]] = []
    for together in files.values():
        size, bundle = 0, list[Any]()
        for kernel in together:
            if bundle and size + _effort(kernel) > most:
                bundles.append((size, bundle))
                size, bundle = 0, []
            size += _effort(kernel)
            bundle.append(kernel)
        bundles.append((size, bundle))
    loads, found = [0] * parts, [list[Any]() for _ in range(parts)]
    for size, bundle in sorted(bundles, key=lambda each: each[0], reverse=True):
        least = loads.index(min(loads))
        loads[least] += size
        found[least] += bundle
    return [each for each in found if each]


def start(
    code: str, arguments: Sequence[str], errors: int = subprocess.DEVNULL, **environment: str
) -> subprocess.Popen[str]:
    """A Python process that runs some code with these arguments and what this one imports from."""
    paths = os.pathsep.join(path for path in sys.path if path)
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env={**os.environ, "PYTHONPATH": paths, **environment},
    )


def end(processes: Iterable[subprocess.Popen[str]]) -> None:
    """End those of the processes that still run."""
    for process in processes:
        if process.poll() is None:
            process.terminate()
        process.wait()


def lines(processes: Sequence[subprocess.Popen[str]]) -> Iterable[str]:
    """The messages of the processes, as they come, and an empty one after each moment without
    any.
    """
    import queue

    said: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def listen(process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            said.put(line)
        said.put(None)

    for process in processes:
        threading.Thread(target=listen, args=(process,), daemon=True).start()
    running = len(processes)
    while running:
        try:
            line = said.get(timeout=_MOMENT)
        except queue.Empty:
            yield ""
            continue
        if line is None:
            running -= 1
        else:
            yield line


def work(kernels: Iterable[str]) -> None:
    """Compile versions of kernels, named by module, function and number, and say after each one
    that it is ready.
    """
    for each in kernels:
        module, name, number = each.split(":")
        getattr(importlib.import_module(module), name).parts[int(number)].prepare()
        print("ready", flush=True)


def _effort(kernel: Any) -> int:
    """About how long a version of a kernel takes to compile."""
    return len(kernel.py_func.__code__.co_code)
