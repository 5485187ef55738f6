"""Worlds in blocks against one array: busy, mostly idle and huge; checkpoints against the disk;
matches on a scheduler.

Times of one process are CPU time of all its threads where both sides are in this process, so that
other work on the machine counts little; where other processes take part, they are time on the
clock.
"""

from __future__ import annotations

import logging
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

import fieldcraft as fc
import fieldcraft_cluster as cluster
from bench.race import repeats, say
from bench.table import Report, Table

COLUMNS = ("case", "what", "against", "ratio or figure", "asked", "verdict")
BUSY = fc.Spread(
    decay=0.002, momentum=0.02
)  # changes everywhere, at each step, for hundreds of steps
SMALL = fc.Spread(decay=0.2, momentum=0.6)  # reaches 42 cells
SIZE = 16384
BLOCK = 2048
K = 8


def walls(rows: slice, columns: slice) -> NDArray[np.bool_]:
    """One cell in 32, scattered, made on the spot."""
    r = np.arange(rows.start, rows.stop, dtype=np.uint32)[:, None]
    c = np.arange(columns.start, columns.stop, dtype=np.uint32)
    mixed = (r * np.uint32(2654435761) ^ c * np.uint32(2246822519)) * np.uint32(3266489917)
    return np.asarray(mixed >> 27 == 0)


@contextmanager
def folder() -> Iterator[Path]:
    place = Path(tempfile.mkdtemp(prefix="fieldcraft-bench-"))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def best(
    run: Callable[[int], object], steps: int, rounds: int, clock: Callable[[], float]
) -> float:
    found = []
    for _ in range(rounds):
        begun = clock()
        run(steps)
        found.append(clock() - begun)
    return min(found)


def verdict(value: float, most: float) -> str:
    return "met" if value <= most else "missed"


def dense(report: Report, table: Table, quick: bool) -> None:
    """A busy world: one array with all threads, the same in blocks in this process, and in two
    worker processes.
    """
    if quick:
        size = 2048
        block = 512
        rounds = 2
    else:
        size = SIZE
        block = BLOCK
        rounds = 4
    rng = np.random.default_rng(1)
    points = rng.random((size * size // 10_000, 2)) * size
    whole = slice(0, size)
    one = fc.InfluenceMap(fc.Grid(size, size, walls=walls(whole, whole))).add_layer("threat", BUSY)
    one.add_sources(points, 50.0, on_wall="through")
    with folder() as place:
        world = cluster.World(
            place, (size, size), block=block, walls=walls, memory=2e10, halo_steps=K
        )
        layer = world.add_layer("threat", BUSY)
        layer.add_sources(points, 50.0, on_wall="through")
        say(f"cluster: {size} x {size}, warming up")
        one.step(2 * K)
        world.step(2 * K)
        array = blocks = float("inf")
        for _ in range(rounds):
            array = min(array, best(one.step, 2 * K, 1, time.process_time) / 2)
            blocks = min(blocks, best(world.step, 2 * K, 1, time.process_time) / 2)
        same = layer.digest() == cluster.digest_of(one.values, block)
        if not same:
            report.wrong.append("blocks and one array differ")
        table.add(
            f"{size} x {size}, k = {K}, in this process",
            f"{1e3 * blocks / K:.1f} ms CPU a step",
            f"one array {1e3 * array / K:.1f}",
            f"{blocks / array:.2f}",
            "1.1",
            verdict(blocks / array, 1.1),
        )
        checkpoint(table, world, size)
        say("cluster: two worker processes")
        workers(table, world, one, rounds)


def workers(table: Table, world: cluster.World, one: Any, rounds: int) -> None:
    """Two worker processes and one array in turn, so that both meet the same load; time on the
    clock, and CPU time of the workers.
    """
    size = world.plan.width
    with local_cluster() as client, cluster.run(world, client=client, checkpoint=None):
        held = [psutil.Process(pid) for pid in client.run(os.getpid).values()]

        def spent() -> float:
            return float(sum(sum(process.cpu_times()[:2]) for process in held))

        world.step(2 * K)
        one.step(K)
        found = []
        for _ in range(rounds):
            array = best(one.step, K, 1, time.perf_counter)
            array_cpu = best(one.step, K, 1, time.process_time)
            before = spent()
            found.append(
                (array, best(world.step, K, 1, time.perf_counter), array_cpu, spent() - before)
            )
        reported = world.step(K)
    array, took, array_cpu, cpu = (1e3 * min(each) / K for each in zip(*found, strict=True))
    table.add(
        f"{size} x {size}, k = {K}, 2 worker processes",
        f"{took:.1f} ms a step",
        f"one array, 2 threads {array:.1f}",
        f"{took / array:.2f}",
        "1.25",
        verdict(took / array, 1.25),
    )
    table.add(
        "the same, CPU time of the workers",
        f"{cpu:.1f} ms a step",
        f"{array_cpu:.1f}",
        f"{cpu / array_cpu:.2f}",
        "",
        "",
    )
    table.notes.append(
        f"Between the two processes went {reported.bytes_between_workers / K / 1e3:,.0f} kB a step:"
        " divide by your network."
    )


@contextmanager
def local_cluster() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        ) as made,
        Client(made) as client,
    ):
        yield client


def checkpoint(table: Table, world: cluster.World, size: int) -> None:
    """All blocks of a busy world, beside as many zeros written by dd and forced to the disk."""
    begun = time.perf_counter()
    written = world.checkpoint()
    took = time.perf_counter() - begun
    plain = world.folder / "plain"
    chunk = bytes(1 << 22)
    begun = time.perf_counter()
    with plain.open("wb") as file:
        for _ in range(max(written >> 22, 1)):
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    disk = time.perf_counter() - begun
    plain.unlink()
    table.add(
        f"checkpoint of {written / 2**20:,.0f} MiB",
        f"{took:.2f} s",
        f"writing as many zeros {disk:.2f} s",
        f"{took / disk:.2f}",
        "about 1",
        "",
    )


def busy_in(
    place: Path, size: int, block: int, chosen: list[tuple[int, int]]
) -> Callable[[int], object]:
    """A world with sources in some of its blocks, that move on before each round: what lets it take
    steps.
    """
    rng = np.random.default_rng(2)
    centers = (np.repeat(np.array(chosen)[:, ::-1], 40, axis=0) + 0.5) * block + rng.uniform(
        -0.4, 0.4, (40 * len(chosen), 2)
    ) * block
    world = cluster.World(place, (size, size), block=block, halo_steps=K, memory=2e10)
    layer = world.add_layer("threat", SMALL)
    ids = layer.add_sources(centers, 5.0)
    world.step(4 * K)

    def turn(steps: int) -> None:
        layer.move(ids, centers + rng.uniform(-9, 9, centers.shape))
        world.step(steps)

    return turn


def sparse(table: Table, quick: bool) -> None:
    """One block in seven alive, with sources that move on before each round."""
    if quick:
        size = 2048
        block = 256
        rounds = 2
    else:
        size = 8192
        block = 1024
        rounds = 4
    across = size // block
    alive = [(i, j) for i in range(across) for j in range(across)]
    with folder() as place:
        turns = {
            name: busy_in(place / name, size, block, chosen)
            for name, chosen in (("all", alive), ("one in seven", alive[::7]))
        }
        times = dict.fromkeys(turns, float("inf"))
        for _ in range(rounds):
            for name, turn in turns.items():
                times[name] = min(times[name], best(turn, K, 1, time.process_time))
    ratio = times["one in seven"] / times["all"]
    table.add(
        f"{size} x {size}, one block in seven alive",
        f"{1e3 * times['one in seven'] / K:.1f} ms CPU a step",
        f"all alive {1e3 * times['all'] / K:.1f}",
        f"{ratio:.2f}",
        "0.25",
        verdict(ratio, 0.25),
    )


def quiet(table: Table, quick: bool) -> None:
    """65,536 x 65,536 cells with 64 places where something moves at every step; and its
    checkpoint.
    """
    steps = repeats(quick, 5, 20)
    with folder() as place:
        world = cluster.World(place, (65536, 65536), block=512, walls=walls, memory=2e9)
        layer = world.add_layer("threat", SMALL)
        rng = np.random.default_rng(3)
        points = rng.random((64, 2)) * 65000 + 100
        ids = layer.add_sources(points, 5.0, on_wall="through")
        world.step(32)
        begun = time.perf_counter()
        for _ in range(steps):
            points = points + rng.uniform(-2, 2, points.shape)
            layer.move(ids, points, on_wall="through")
            world.step()
        took = (time.perf_counter() - begun) / steps
        table.add(
            "65,536 x 65,536, 64 live places",
            f"{1 / took:.1f} steps a second",
            "",
            "",
            "1",
            verdict(took, 1),
        )
        begun = time.perf_counter()
        written = world.checkpoint()
        saved = time.perf_counter() - begun
        table.add(
            "checkpoint of that world",
            f"{saved:.2f} s for {written / 1e6:.1f} MB",
            "",
            "",
            "2 s",
            verdict(saved, 2),
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    table.add(
        "memory of this process, at most so far",
        f"{peak:.1f} GiB",
        "",
        "",
        "4 GB",
        verdict(peak * 1.074, 4),
    )


def matches(table: Table, quick: bool) -> None:
    """Short matches on a LocalCluster, beside the processes that an experiment starts by itself, in
    turns.

    Either side plays the same tenth of them in each round, first one and then the other: both meet
    the same load. Ratios are medians over rounds. Seconds of processors are those of all processes
    that take part: workers, scheduler and this one.
    """
    from research.duel.duel import duel_study
    from research.shared.runner import run_study

    rounds, seeds = (3, 2) if quick else (10, 17)
    walls = []
    works = []
    count = 0
    with folder() as place, local_cluster() as client:
        address = client.scheduler.address
        run_study(duel_study(["open"], seeds=1), place / "warm", scheduler=address)
        for number in range(rounds):
            study = duel_study(["open"], seeds=seeds, first_seed=number * seeds)
            count += len(study.jobs)
            took = {}
            work = {}
            sides = [("there", {"scheduler": address}), ("here", {"workers": 2})]
            for name, how in sides if number % 2 else sides[::-1]:
                begun = time.perf_counter()
                worked = processor_seconds()
                run_study(study, place / f"{name}{number}", **how)
                took[name], work[name] = time.perf_counter() - begun, processor_seconds() - worked
            walls.append((took["there"], took["here"]))
            works.append((work["there"], work["here"]))
            if (place / f"here{number}" / "duel.csv").read_bytes() != (
                place / f"there{number}" / "duel.csv"
            ).read_bytes():
                table.notes.append("The two wrote different rows.")
    for what, pairs in (("", walls), (", processors", works)):
        there, here = (sum(column) for column in zip(*pairs, strict=True))
        ratio = median(one / other for one, other in pairs)
        table.add(
            f"{count:,} short matches on a LocalCluster{what}",
            f"{there:.1f} s",
            f"2 processes {here:.1f} s",
            f"{ratio:.2f}",
            "1.05",
            verdict(ratio, 1.05),
        )


def processor_seconds() -> float:
    """Seconds of processors that this process has used, and all that it has started."""
    import psutil

    gone, own = (
        resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
    )
    found = gone.ru_utime + gone.ru_stime + own.ru_utime + own.ru_stime
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            times = child.cpu_times()
            found += times.user + times.system
    return found


def run(quick: bool) -> Report:
    """All cases; huge ones first, while this process is small."""
    report = Report()
    table = Table("Worlds in blocks", COLUMNS)
    load = ", ".join(f"{part:.1f}" for part in os.getloadavg())
    report.notes.append(
        f"Load of the machine over 1, 5 and 15 minutes as this began: {load}, on {os.cpu_count()}"
        " cores."
    )
    quiet(table, quick)
    sparse(table, quick)
    dense(report, table, quick)
    matches(table, quick)
    report.tables.append(table)
    return report
