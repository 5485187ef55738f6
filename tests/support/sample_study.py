"""A small study for the tests of experiments, in a module that other processes find."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

import numpy as np

from fieldcraft.kernels.compiling import pool
from research.shared import Job, Measure, Row, Study, Summary, mean, rate

MEASURES = (Measure("heads", percent=True, limits=(0.0, 1.0), mark=0.5), Measure("sum"))


def throw(job: Job) -> Row:
    """A coin and some dice; a job may ask to fail, to die or to take its time."""
    kind = str(job["kind"])
    if kind == "fails":
        raise ValueError(f"seed {job['seed']} has no luck")
    if kind == "dies":
        os._exit(7)
    if kind == "odd":
        return {"sum": float("nan")}
    if kind == "slow":
        time.sleep(0.2)
    rng = np.random.default_rng(job["seed"])
    return {
        "heads": bool(rng.random() < 0.5),
        "sum": float(rng.normal()),
        "threads": pool.threads(),
        "note": None,
    }


def summarise(rows: Sequence[Row]) -> Summary:
    found = {}
    groups = tuple(dict.fromkeys(str(row["kind"]) for row in rows))
    for group in groups:
        mine = [row for row in rows if row["kind"] == group]
        found[group, "coin", "heads"] = rate(sum(bool(row["heads"]) for row in mine), len(mine))
        found[group, "coin", "sum"] = mean([float(row["sum"]) for row in mine])
    return Summary(groups, ("coin",), MEASURES, found, ("Coins are fair",))


def study(*kinds: str, seeds: int = 4, **settings: int) -> Study:
    jobs = tuple({"kind": kind, "seed": seed} for kind in kinds for seed in range(seeds))
    return Study("coins", "Coins", "throws", jobs, throw, summarise, settings)
