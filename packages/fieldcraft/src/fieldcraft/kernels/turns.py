"""Parts of work that threads claim one by one."""

from __future__ import annotations

from typing import Any

from fieldcraft.kernels.llvm import instruction, ir, types

__all__ = ["claim"]


def _emit_claim(typingctx: Any, claims: Any, part: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        one = ir.Constant(ir.IntType(64), 1)
        before = builder.atomic_rmw("xchg", builder.gep(data, [arguments[1]]), one, "monotonic")
        return builder.icmp_unsigned("==", before, ir.Constant(ir.IntType(64), 0))

    return types.boolean(claims, part), generate


def _claim(claims: Any, part: int) -> bool:
    first = claims[part] == 0
    claims[part] = 1
    return bool(first)


claim: Any = instruction(_emit_claim, _claim)
"""Take a part of the work; return whether it was free. `claims` holds one whole number per part, 0
at first.
"""
