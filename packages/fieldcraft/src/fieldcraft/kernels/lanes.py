"""Vector instructions for graphs: sixteen vertices side by side, whose neighbours are fetched
together.

Numba can't see that what a loop writes lies elsewhere than what it fetches by index, and leaves
such loops scalar. Here the vector
code is written out for LLVM, which turns it into what the processor has: gathers, or sixteen loads.
"""

from __future__ import annotations

from typing import Any

from fieldcraft.kernels.llvm import cgutils, intrinsic, ir, types
from fieldcraft.kernels.numpy_graph_spread import LANES

__all__ = ["strongest_slices", "update_slices"]


_FLOAT, _INT, _LONG, _BYTE = ir.FloatType(), ir.IntType(32), ir.IntType(64), ir.IntType(8)
_FLOATS, _INTS, _BYTES = (ir.VectorType(kind, LANES) for kind in (_FLOAT, _INT, _BYTE))
_FLAGS = ir.VectorType(ir.IntType(1), LANES)
_PLACES = ir.VectorType(ir.PointerType(_FLOAT), LANES)
_ZEROS = ir.Constant(_FLOATS, [0.0] * LANES)


def _splat(builder: Any, scalar: Any) -> Any:
    vector = ir.VectorType(scalar.type, LANES)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), scalar, ir.Constant(_INT, 0))
    return builder.shuffle_vector(
        first, ir.Constant(vector, ir.Undefined), ir.Constant(_INTS, [0] * LANES)
    )


def _pointer(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    return context.make_array(kind)(context, builder, array).data


def _load(builder: Any, pointer: Any, index: Any, kind: Any, align: int) -> Any:
    place = builder.bitcast(builder.gep(pointer, [index]), ir.PointerType(kind))
    return builder.load(place, align=align, typ=kind)


def _store(builder: Any, vector: Any, pointer: Any, index: Any) -> None:
    builder.store(
        vector, builder.bitcast(builder.gep(pointer, [index]), ir.PointerType(_FLOATS)), align=4
    )


def _gather(builder: Any, pointer: Any, indices: Any) -> Any:
    kind = ir.FunctionType(_FLOATS, [_PLACES, _INT, _FLAGS, _FLOATS])
    function = cgutils.get_or_insert_function(
        builder.module, kind, f"llvm.masked.gather.v{LANES}f32.v{LANES}p0"
    )
    places = ir.instructions.GEPInstr(
        builder.block, pointer, [indices], False, "", source_etype=_FLOAT
    )
    places.type = _PLACES  # an address for each index, which llvmlite does not work out by itself
    builder._insert(places)
    return builder.call(
        function, [places, ir.Constant(_INT, 4), ir.Constant(_FLAGS, [1] * LANES), _ZEROS]
    )


def _fetch(builder: Any, pointer: Any, origins: Any, arc: Any, result: Any) -> Any:
    """The values that a row comes from: side by side where its first entry is the complement of the
    first place, else gathered.
    """
    first = builder.load(builder.gep(origins, [arc]))
    beside = builder.icmp_signed("<", first, ir.Constant(_INT, 0))
    with builder.if_else(beside) as (together, apart):
        with together:
            place = builder.zext(builder.not_(first), _LONG)
            builder.store(_load(builder, pointer, place, _FLOATS, 4), result)
        with apart:
            builder.store(_gather(builder, pointer, _load(builder, origins, arc, _INTS, 4)), result)
    return builder.load(result)


def _emit_update(
    typingctx: Any,
    values: Any,
    new: Any,
    frozen: Any,
    origins: Any,
    losses: Any,
    offsets: Any,
    momentum: Any,
    floor: Any,
    first: Any,
    last: Any,
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        now, then, held, from_, loss, bounds = (
            _pointer(context, builder, signature.args[i], arguments[i]) for i in range(6)
        )
        part, least = _splat(builder, arguments[6]), _splat(builder, arguments[7])
        best = cgutils.alloca_once(builder, _FLOATS)
        row = cgutils.alloca_once(builder, _FLOATS)
        one, lanes = ir.Constant(_LONG, 1), ir.Constant(_LONG, LANES)
        with cgutils.for_range_slice(builder, arguments[8], arguments[9], one) as (number, _):
            begin = builder.load(builder.gep(bounds, [number]))
            end = builder.load(builder.gep(bounds, [builder.add(number, one)]))
            builder.store(_ZEROS, best)
            with cgutils.for_range_slice(builder, begin, end, lanes) as (arc, _):
                arriving = _fetch(builder, now, from_, arc, row)
                arriving = builder.fmul(arriving, _load(builder, loss, arc, _FLOATS, 4))
                before = builder.load(best)
                builder.store(
                    builder.select(builder.fcmp_ordered(">", arriving, before), arriving, before),
                    best,
                )
            target = builder.load(best)
            vertex = builder.mul(number, lanes)
            old = _load(builder, now, vertex, _FLOATS, 4)
            moved = builder.fadd(old, builder.fmul(part, builder.fsub(target, old)))
            larger = builder.select(builder.fcmp_ordered(">", moved, target), moved, target)
            moved = builder.select(builder.fcmp_ordered(">=", larger, least), moved, _ZEROS)
            flags = builder.icmp_unsigned(
                "!=", _load(builder, held, vertex, _BYTES, 1), ir.Constant(_BYTES, [0] * LANES)
            )
            _store(builder, builder.select(flags, old, moved), then, vertex)
        return context.get_dummy_value()

    return types.void(
        values, new, frozen, origins, losses, offsets, momentum, floor, first, last
    ), generate


def _emit_strongest(
    typingctx: Any,
    emitted: Any,
    origins: Any,
    losses: Any,
    offsets: Any,
    subtract: Any,
    first: Any,
    last: Any,
    strongest: Any,
    weakest: Any,
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, from_, loss, bounds = (
            _pointer(context, builder, signature.args[i], arguments[i]) for i in range(4)
        )
        highest, lowest = (
            _pointer(context, builder, signature.args[i], arguments[i]) for i in (7, 8)
        )
        row = cgutils.alloca_once(builder, _FLOATS)
        high, low = cgutils.alloca_once(builder, _FLOATS), cgutils.alloca_once(builder, _FLOATS)
        one, lanes = ir.Constant(_LONG, 1), ir.Constant(_LONG, LANES)
        subtracts = _splat(
            builder, builder.icmp_unsigned("!=", arguments[4], ir.Constant(arguments[4].type, 0))
        )
        with cgutils.for_range_slice(builder, arguments[5], arguments[6], one) as (number, _):
            begin = builder.load(builder.gep(bounds, [number]))
            end = builder.load(builder.gep(bounds, [builder.add(number, one)]))
            builder.store(_ZEROS, high)
            builder.store(_ZEROS, low)
            with cgutils.for_range_slice(builder, begin, end, lanes) as (arc, _):
                arriving = _fetch(builder, source, from_, arc, row)
                way = _load(builder, loss, arc, _FLOATS, 4)
                product = builder.fmul(arriving, way)
                above = builder.select(subtracts, builder.fsub(arriving, way), product)
                below = builder.select(subtracts, builder.fadd(arriving, way), product)
                top, bottom = builder.load(high), builder.load(low)
                builder.store(
                    builder.select(builder.fcmp_ordered(">", above, top), above, top), high
                )
                builder.store(
                    builder.select(builder.fcmp_ordered("<", below, bottom), below, bottom), low
                )
            vertex = builder.mul(number, lanes)
            _store(builder, builder.load(high), highest, vertex)
            _store(builder, builder.load(low), lowest, vertex)
        return context.get_dummy_value()

    return types.void(
        emitted, origins, losses, offsets, subtract, first, last, strongest, weakest
    ), generate


update_slices: Any = intrinsic(_emit_update)
"""One step of slices of vertices of one sign with exponential decay, see
`graph_spread.update_plain`.
"""
strongest_slices: Any = intrinsic(_emit_strongest)
"""The highest and lowest influence that arrives in each vertex of slices."""
