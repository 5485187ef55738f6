"""Declared kernels as one LLVM module: Numba types and translates them, and an entry is added to
each.

An entry takes its arguments from an array of 64-bit slots and writes its results there, so that one
C caller serves all kernels. An array takes data, shape and strides, in bytes; see `caller.c`.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

os.environ.update(NUMBA_OPT="0", NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
os.environ.update(FIELDCRAFT_NUMBA="1", FIELDCRAFT_REFERENCE="")

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from fieldcraft.kernels import FAMILIES
from fieldcraft.kernels.compiling import jit
from fieldcraft.kernels.compiling.signatures import Argument, parse

__all__ = ["EMBEDDED", "Entry", "declared", "lower"]

EMBEDDED = "embedded"
"""The file of kernels for programs without Python, beside this one."""

_SLOT = ir.IntType(64)
_WORD = ir.IntType(32)
_OK = (0, -2)
"""The statuses of a function that returned a value, and of one that returned None."""


class Entry(NamedTuple):
    """A version of a kernel: the name of its entry, its arguments and what it returns."""

    kernel: str
    symbol: str
    arguments: tuple[Argument, ...]
    results: Argument


def _external(symbol: str) -> Any:
    """A call of a C function from a kernel: arrays are passed as the addresses of their data."""

    def emit(typing: Any, *kinds: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            passed = [
                context.make_array(kind)(context, builder, value).data
                if isinstance(kind, types.Array)
                else builder.zext(value, _SLOT)
                if isinstance(kind, types.Boolean)
                else value
                for kind, value in zip(kinds, cgutils.unpack_tuple(builder, given[0]), strict=True)
            ]
            function = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(ir.VoidType(), [each.type for each in passed]),
                symbol,
            )
            builder.call(function, passed)
            return context.get_dummy_value()

        return types.void(types.StarArgTuple.from_types(kinds)), generate

    llvm.add_symbol(symbol, 1)  # it is linked later, and not called before
    return intrinsic(emit)


jit.OPTIONS.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)
jit.external = _external


def declared() -> dict[str, list[Any]]:
    """Return every kernel that declares types, by the file that it is written in."""
    found: dict[str, list[Any]] = {}
    for name in (*(f"fieldcraft.kernels.{family}" for family in FAMILIES), EMBEDDED):
        for kernel in vars(importlib.import_module(name)).values():
            if isinstance(kernel, jit.Kernel):
                together = found.setdefault(kernel.py_func.__module__.rpartition(".")[2], [])
                if kernel not in together:
                    together.append(kernel)
    return found


def lower(family: str) -> tuple[bytes, list[Entry]]:
    """Translate the kernels of a file into one LLVM module, as bitcode, and describe their
    entries.
    """
    combined = llvm.parse_assembly("")
    entries = []
    for kernel in declared()[family]:
        made = kernel.dispatcher()
        for number, text in enumerate(kernel.declared):
            arguments = parse(text)
            kinds = tuple(jit.type_of(argument) for argument in arguments)
            made.compile(kinds)
            result = made.overloads[kinds]
            name = f"{family}_{kernel.py_func.__name__}"
            entry = Entry(name, f"fc_{name}_{number}", arguments, _described(result.fndesc.restype))
            module = llvm.parse_assembly(_plain(result.library.get_llvm_str()))
            module.link_in(llvm.parse_assembly(str(_entry(entry.symbol, result.fndesc))))
            _keep_only(module, entry.symbol)
            combined.link_in(module)
            entries.append(entry)
    return combined.as_bitcode(), entries


def _plain(text: str) -> str:
    """A module without its platform, and with environments of its own, which nothing reads."""
    text = re.sub(r"target (datalayout|triple) = .*\n", "", text)
    return text.replace(" = common ", " = internal ")


def _keep_only(module: Any, symbol: str) -> None:
    """Let all functions but the entry be of use to their callers only."""
    for function in module.functions:
        if not function.is_declaration and function.name != symbol:
            function.linkage = "linkonce_odr"
    for variable in module.global_variables:
        if not variable.is_declaration and str(variable.linkage) != "internal":
            variable.linkage = "internal"


def _entry(symbol: str, described: Any) -> ir.Module:
    """A module with the entry of a compiled function."""
    context = cpu_target.target_context
    module = ir.Module(symbol)
    kind = context.call_conv.get_function_type(described.restype, described.argtypes)
    plain = ir.Function(module, kind, described.llvm_func_name)
    entry = ir.Function(module, ir.FunctionType(_WORD, [_SLOT.as_pointer(), kind.args[1]]), symbol)
    slots, error = entry.args
    builder = ir.IRBuilder(entry.append_basic_block())
    answer = builder.alloca(kind.args[0].pointee)
    given = [
        _loaded(builder, builder.gep(slots, [_WORD(number)]), wanted)
        for number, wanted in enumerate(kind.args[2:])
    ]
    status = builder.call(plain, [answer, error, *given])
    is_ok = builder.or_(*(builder.icmp_signed("==", status, _WORD(code)) for code in _OK))
    with builder.if_then(is_ok):
        for number, value in enumerate(_scalars(builder, builder.load(answer))):
            builder.store(
                _widened(builder, value),
                builder.gep(slots, [_WORD(number)]),
            )
        builder.ret(_WORD(0))
    builder.ret(status)
    return module


def _loaded(builder: ir.IRBuilder, slot: Any, wanted: ir.Type) -> Any:
    if isinstance(wanted, ir.PointerType):
        return builder.inttoptr(builder.load(slot), wanted)
    if isinstance(wanted, ir.IntType):
        value = builder.load(slot)
        return value if wanted.width == 64 else builder.trunc(value, wanted)
    return builder.load(builder.bitcast(slot, wanted.as_pointer()))


def _scalars(builder: ir.IRBuilder, value: Any) -> Iterator[Any]:
    """The numbers and pointers in a value, in order."""
    if isinstance(value.type, ir.Aggregate):
        count = value.type.count if isinstance(value.type, ir.ArrayType) else len(value.type)
        for number in range(count):
            yield from _scalars(builder, builder.extract_value(value, number))
    else:
        yield value


def _widened(builder: ir.IRBuilder, value: Any) -> Any:
    kind = value.type
    if isinstance(kind, ir.PointerType):
        return builder.ptrtoint(value, _SLOT)
    if isinstance(kind, ir.FloatType):
        return builder.zext(builder.bitcast(value, _WORD), _SLOT)
    if isinstance(kind, ir.DoubleType):
        return builder.bitcast(value, _SLOT)
    return value if kind.width == 64 else builder.sext(value, _SLOT)


def _described(kind: Any) -> Argument:
    """A type of Numba's as kernels declare theirs."""
    if isinstance(kind, types.BaseTuple):
        return Argument("", items=tuple(_described(each) for each in kind))
    if isinstance(kind, types.Array):
        return Argument(_described(kind.dtype).dtype, kind.ndim, kind.layout == "C", True)
    if isinstance(kind, types.NoneType):
        return Argument("")
    if isinstance(kind, types.Boolean):
        return Argument("b1")
    code = "f" if isinstance(kind, types.Float) else "i" if kind.signed else "u"
    return Argument(f"{code}{kind.bitwidth // 8}")
