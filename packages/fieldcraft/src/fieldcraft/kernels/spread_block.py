"""The step of Spread in a few rows of a grid at once, in place, with vectors written out for LLVM.

A block goes from left to right. Of each of its rows, and of the rows above and below it, three
vectors are in registers: the one before, the one in question and the next. So each value is read
once and written once, neighbours to the left and right are shuffled together instead of read again
across the borders of cache lines, and nothing is copied beforehand but the last row of the block,
whose old values the next block still needs. A vector has as many values as the processor's.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fieldcraft.kernels.llvm import cgutils, intrinsic, ir, types

__all__ = ["address", "copy_bytes", "step_block"]

_FLOAT, _BYTE, _WORD, _LONG = ir.FloatType(), ir.IntType(8), ir.IntType(32), ir.IntType(64)
_HELD = 3
_WIDE = 16
"""The lanes of AVX-512, where masks are registers, stores may leave out lanes, and shuffles beat a
second reading; elsewhere not.
"""
_FROM_LEFT, _FROM_RIGHT = (16, 64), (32, 128)
"""The bits of diagonal steps from the row above and from the row below, see
`fieldcraft.kernels.spread_rows.OPEN`.
"""


def _lanes(context: Any) -> int:
    """How many values a vector has in the code that is being made."""
    codegen = context.codegen()
    name = getattr(codegen, "_cpu_name", "") or codegen._get_host_cpu_name()
    return _WIDE if "+avx512bw" in (codegen._tm_features or "") or name == "x86-64-v4" else 8


def _all(kind: Any, number: Any) -> Any:
    return ir.Constant(kind, [number] * kind.count)


def _splat(builder: Any, scalar: Any, lanes: int) -> Any:
    kind = ir.VectorType(scalar.type, lanes)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), scalar, ir.Constant(_WORD, 0))
    return builder.shuffle_vector(
        first, ir.Constant(kind, ir.Undefined), _all(ir.VectorType(_WORD, lanes), 0)
    )


def _larger(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _at(builder: Any, row: Any, x: Any, kind: Any) -> Any:
    """The pointer to what stands in a place of a row."""
    return builder.bitcast(builder.gep(row, [x]), ir.PointerType(kind))


def _load(builder: Any, row: Any, x: Any, kind: Any) -> Any:
    return builder.load(
        _at(builder, row, x, kind), align=1 if kind.element == _BYTE else 4, typ=kind
    )


def _named(kind: Any) -> str:
    return f"v{kind.count}{'i8' if kind.element == _BYTE else 'f32'}"


def _load_some(builder: Any, row: Any, x: Any, kind: Any, which: Any) -> Any:
    """A vector of which only the lanes in `which` are read; the others are 0."""
    flags = ir.VectorType(ir.IntType(1), kind.count)
    signature = ir.FunctionType(kind, [ir.PointerType(kind), _WORD, flags, kind])
    load = cgutils.get_or_insert_function(
        builder.module, signature, f"llvm.masked.load.{_named(kind)}.p0"
    )
    size = ir.Constant(_WORD, 1 if kind.element == _BYTE else 4)
    return builder.call(load, [_at(builder, row, x, kind), size, which, _all(kind, 0)])


def _store_some(builder: Any, vector: Any, row: Any, x: Any, which: Any) -> None:
    kind = vector.type
    signature = ir.FunctionType(ir.VoidType(), [kind, ir.PointerType(kind), _WORD, which.type])
    store = cgutils.get_or_insert_function(
        builder.module, signature, f"llvm.masked.store.{_named(kind)}.p0"
    )
    builder.call(store, [vector, _at(builder, row, x, kind), ir.Constant(_WORD, 4), which])


def _root(builder: Any, vector: Any) -> Any:
    kind = vector.type
    root = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(kind, [kind]), f"llvm.sqrt.{_named(kind)}"
    )
    return builder.call(root, [vector])


def _shifted(builder: Any, first: Any, second: Any, start: int) -> Any:
    """A vector's worth of what begins `start` lanes after the beginning of two vectors in a row."""
    lanes = first.type.count
    places = ir.Constant(ir.VectorType(_WORD, lanes), list(range(start, start + lanes)))
    return builder.shuffle_vector(first, second, places)


def _has(builder: Any, ground: Any, bits: int) -> Any:
    """Of each lane whether the ground has one of these bits."""
    if ground.type.count < _WIDE:
        ground = builder.zext(ground, ir.VectorType(_WORD, ground.type.count))
    return builder.icmp_unsigned(
        "!=", builder.and_(ground, _all(ground.type, bits)), _all(ground.type, 0)
    )


def _weakened(builder: Any, strongest: Any, loss: Any, power: int) -> Any:
    """The arrivals of a step, or for powers above 0 their roots."""
    if power == 0:
        return builder.fmul(strongest, loss)
    return builder.fsub(_root(builder, strongest) if power == 2 else strongest, loss)


def _target(
    builder: Any,
    middle: Sequence[Any],
    left: Sequence[Any],
    right: Sequence[Any],
    ground: Any,
    rule: dict[str, Any],
) -> Any:
    """The arrivals in a vector of cells; of each of the three sequences the row above, the row
    itself and the row below.
    """
    power = rule["power"]
    straight = _larger(
        builder, _larger(builder, middle[0], middle[2]), _larger(builder, left[1], right[1])
    )
    target = _weakened(builder, straight, rule["straight"], power)
    none = _all(straight.type, 0)
    if rule["diagonal"] is not None:
        sides = []
        for side, bits in ((left, _FROM_LEFT), (right, _FROM_RIGHT)):
            above = builder.select(_has(builder, ground, bits[0]), side[0], none)
            below = builder.select(_has(builder, ground, bits[1]), side[2], none)
            sides.append(_larger(builder, above, below))
        target = _larger(
            builder, target, _weakened(builder, _larger(builder, *sides), rule["diagonal"], power)
        )
    if power > 0:
        target = _larger(builder, target, none)
    return builder.fmul(target, target) if power == 2 else target


def _moved(builder: Any, old: Any, target: Any, rule: dict[str, Any]) -> Any:
    """Cells moved towards their target."""
    new = builder.fadd(old, builder.fmul(rule["momentum"], builder.fsub(target, old)))
    loud = builder.fcmp_ordered(">=", _larger(builder, new, target), rule["floor"])
    return builder.select(loud, new, _all(old.type, 0))


def _store(builder: Any, new: Any, old: Any, ground: Any, row: Any, x: Any) -> None:
    """Write what has moved, but where cells are held."""
    held = _has(builder, ground, _HELD)
    if new.type.count == _WIDE:
        _store_some(builder, new, row, x, builder.not_(held))
    else:
        builder.store(builder.select(held, old, new), _at(builder, row, x, new.type), align=4)


@contextlib.contextmanager
def _while(builder: Any, holds: Callable[[], Any]) -> Iterator[None]:
    head, body, after = (builder.append_basic_block(name) for name in ("head", "body", "after"))
    builder.branch(head)
    builder.position_at_end(head)
    builder.cbranch(holds(), body, after)
    builder.position_at_end(body)
    yield
    builder.branch(head)
    builder.position_at_end(after)


def _emit_rows(
    builder: Any,
    rows: list[Any],
    grounds: list[Any],
    width: Any,
    wrap: Any,
    lanes: int,
    rule: dict[str, Any],
) -> None:
    """The loops over a block: first where the next vector is whole, then where the rows end."""
    vectors, count = ir.VectorType(_FLOAT, lanes), ir.Constant(_LONG, lanes)
    none, first = _all(vectors, 0), ir.Constant(_LONG, 0)
    sideways = range(len(rows)) if rule["diagonal"] is not None else range(1, len(rows) - 1)
    bytes_, one, two = (
        ir.VectorType(_BYTE, lanes),
        ir.Constant(_LONG, 1),
        ir.Constant(_LONG, 2 * lanes),
    )
    last, nothing = ir.Constant(_LONG, lanes - 1), ir.Constant(_FLOAT, 0)
    closing: dict[int, Any] = {}
    slots = [[cgutils.alloca_once(builder, vectors) for _ in rows] for _ in range(2)]
    position = cgutils.alloca_once_value(builder, first)
    numbers = ir.Constant(ir.VectorType(_LONG, lanes), list(range(lanes)))

    def load_end(i: int, x: Any) -> Any:
        """The vector of a row that begins at or before its end, and in the lane after the end what
        lies beyond.
        """
        left = builder.sub(width, x)
        each = _splat(builder, left, lanes)
        slot = cgutils.alloca_once_value(builder, none)
        with builder.if_then(builder.icmp_signed(">", left, first)):
            builder.store(
                _load_some(builder, rows[i], x, vectors, builder.icmp_signed("<", numbers, each)),
                slot,
            )
        found = builder.load(slot)
        if i not in closing:
            return found
        return builder.select(
            builder.icmp_signed("==", numbers, each), _splat(builder, closing[i], lanes), found
        )

    def step(
        x: Any, following: list[Any], fixed: list[Any], within: bool
    ) -> tuple[list[Any], list[Any]]:
        """The values of the block's rows before and after, and the step to the next vector."""
        left, here = ([builder.load(slot) for slot in slots[k]] for k in range(2))
        right = list(here)
        for i in sideways:
            right[i] = (
                _load(builder, rows[i], builder.add(x, one), vectors)
                if within
                else _shifted(builder, here[i], following[i], 1)
            )
        made = []
        for i, ground in enumerate(fixed):
            around = slice(i, i + 3)
            target = _target(builder, here[around], left[around], right[around], ground, rule)
            made.append(_moved(builder, here[i + 1], target, rule))
        for i in sideways:
            reads = within and lanes < _WIDE
            ahead = (
                _load(builder, rows[i], builder.add(x, last), vectors)
                if reads
                else _shifted(builder, here[i], following[i], lanes - 1)
            )
            builder.store(ahead, slots[0][i])
        for slot, vector in zip(slots[1], following, strict=True):
            builder.store(vector, slot)
        builder.store(builder.add(x, count), position)
        return here[1:-1], made

    def store(x: Any, old: list[Any], new: list[Any], fixed: list[Any]) -> None:
        builder.store(old[-1], _at(builder, rows[0], x, vectors), align=4)
        for i, row in enumerate(rows[1:-1]):
            _store(builder, new[i], old[i], fixed[i], row, x)

    for i in sideways:
        beyond = builder.load(rows[i], typ=_FLOAT)
        closing[i] = builder.select(wrap, beyond, nothing)
    with builder.if_else(builder.icmp_signed("<=", count, width)) as (long, short):
        with long:
            for row, slot in zip(rows, slots[1], strict=True):
                builder.store(_load(builder, row, first, vectors), slot)
        with short:
            for i, slot in enumerate(slots[1]):
                builder.store(load_end(i, first), slot)
    for i in sideways:
        beyond = builder.load(builder.gep(rows[i], [builder.sub(width, one)]), typ=_FLOAT)
        before = builder.insert_element(
            none, builder.select(wrap, beyond, nothing), ir.Constant(_WORD, lanes - 1)
        )
        builder.store(_shifted(builder, before, builder.load(slots[1][i]), lanes - 1), slots[0][i])

    with _while(
        builder, lambda: builder.icmp_signed("<=", builder.add(builder.load(position), two), width)
    ):
        x = builder.load(position)
        following = [_load(builder, row, builder.add(x, count), vectors) for row in rows]
        fixed = [_load(builder, row, x, bytes_) for row in grounds]
        store(x, *step(x, following, fixed, within=True), fixed)
    x = builder.load(position)
    with builder.if_then(builder.icmp_signed("<=", builder.add(x, count), width)):
        following = [load_end(i, builder.add(x, count)) for i in range(len(rows))]
        fixed = [_load(builder, row, x, bytes_) for row in grounds]
        store(x, *step(x, following, fixed, within=False), fixed)
    x = builder.load(position)
    with builder.if_then(builder.icmp_signed("<", x, width)):
        here = builder.icmp_signed("<", numbers, _splat(builder, builder.sub(width, x), lanes))
        fixed = [_load_some(builder, row, x, bytes_, here) for row in grounds]
        old, new = step(x, [none] * len(rows), fixed, within=False)
        _store_some(builder, old[-1], rows[0], x, here)
        for i, row in enumerate(rows[1:-1]):
            _store_some(
                builder,
                new[i],
                row,
                x,
                builder.and_(here, builder.not_(_has(builder, fixed[i], _HELD))),
            )


def _emit_block(
    typingctx: Any,
    rows: Any,
    grounds: Any,
    width: Any,
    straight: Any,
    diagonal: Any,
    power: Any,
    momentum: Any,
    floor: Any,
    wrap: Any,
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = _lanes(context)
        places, fixed = (cgutils.unpack_tuple(builder, arguments[k]) for k in range(2))
        places = [builder.inttoptr(place, ir.PointerType(_FLOAT)) for place in places]
        fixed = [builder.inttoptr(place, ir.PointerType(_BYTE)) for place in fixed]
        rule = {
            name: _splat(builder, arguments[k], lanes)
            for name, k in (("straight", 3), ("momentum", 6), ("floor", 7))
        }
        rule["diagonal"] = None if diagonal == types.none else _splat(builder, arguments[4], lanes)
        torus = builder.icmp_unsigned("!=", arguments[8], ir.Constant(arguments[8].type, 0))
        if power == types.none:
            _emit_rows(builder, places, fixed, arguments[2], torus, lanes, rule | {"power": 0})
        else:
            with builder.if_else(
                builder.icmp_signed("==", arguments[5], ir.Constant(_LONG, 1))
            ) as branches:
                for number, branch in enumerate(branches, start=1):
                    with branch:
                        _emit_rows(
                            builder,
                            places,
                            fixed,
                            arguments[2],
                            torus,
                            lanes,
                            rule | {"power": number},
                        )
        return context.get_dummy_value()

    return types.void(
        rows, grounds, width, straight, diagonal, power, momentum, floor, wrap
    ), generate


def _emit_address(typingctx: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(
            context.make_array(signature.args[0])(context, builder, arguments[0]).data, _LONG
        )

    return types.int64(array), generate


def _emit_copy(typingctx: Any, source: Any, target: Any, count: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        begin, to = (builder.inttoptr(place, ir.PointerType(_BYTE)) for place in arguments[:2])
        cgutils.raw_memcpy(builder, to, begin, arguments[2], ir.Constant(_LONG, 1))
        return context.get_dummy_value()

    return types.void(source, target, count), generate


step_block: Any = intrinsic(_emit_block)
"""One step of a block of rows, in place, as `fieldcraft.kernels.spread_rows.near` defines it.

`rows` are the addresses of the row above, of the rows of the block and of the row below it, as they
are before the step; the row above is a copy, and afterwards that of the block's last row. `grounds`
are the addresses of the block's rows of the ground.
"""
address: Any = intrinsic(_emit_address)
"""The address of an array's first item."""
copy_bytes: Any = intrinsic(_emit_copy)
"""Copy so many bytes from one address to another."""
