"""The kernels of ways on graphs: compiled, or the references where these can't be had.

Importing Numba takes longer than all the rest of fieldcraft, so they are imported when first asked for.
"""

from __future__ import annotations

from typing import Any

from fieldcraft import kernels

__all__ = ["directions", "distances", "searches"]


def distances() -> Any:
    """`kernels.graph_ways`."""
    if kernels.compiled():
        from fieldcraft.kernels import graph_ways

        return graph_ways
    from fieldcraft.kernels.reference import graph_ways as plain

    return plain


def directions() -> Any:
    """`kernels.graph_flow`."""
    if kernels.compiled():
        from fieldcraft.kernels import graph_flow

        return graph_flow
    from fieldcraft.kernels.reference import graph_flow as plain

    return plain


def searches() -> Any:
    """`kernels.graph_search`."""
    if kernels.compiled():
        from fieldcraft.kernels import graph_search

        return graph_search
    from fieldcraft.kernels.reference import graph_search as plain

    return plain
