"""Translates kernels to bitcode: `python lower.py` makes that of all files whose sources changed.

Numba types and translates each declared version of a kernel, and an entry is added to it. An entry
takes its arguments from an array of 64-bit slots and writes its results there, so that one C caller
serves all kernels. An array takes data, shape and strides, in bytes; see `caller.c`.

The module is the same for all targets of 64 bits: needless counts of references, unused code and
names are removed, and zig does the rest. Equal sources give equal bytes, with one version of Numba
and one of Python; each description has both.
"""

from __future__ import annotations

import argparse
import importlib
import json
import multiprocessing
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

os.environ.update(NUMBA_OPT="0", NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
os.environ.update(FIELDCRAFT_NUMBA="1", FIELDCRAFT_REFERENCE="")

sys.path.insert(0, str(Path(__file__).resolve().parent))

import llvmlite.binding as llvm
import numba
from bitcode import EMBEDDED, FOLDER, families, made_of, stale
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.callconv import CPUCallConv
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from fieldcraft.kernels import FAMILIES
from fieldcraft.kernels.compiling import jit

__all__ = ["MADE_WITH", "declared", "lower", "update"]

MADE_WITH = f"Numba {numba.__version__}, Python {sys.version_info.major}.{sys.version_info.minor}"
"""What translates in this process."""
_MACHINES = {
    64: (
        "x86_64-unknown-linux-gnu",
        "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    ),
    32: ("wasm32-unknown-unknown", "e-m:e-p:32:32-i64:64-i128:128-n32:64-S128"),
}
"""The processor and the places of numbers that LLVM assumes while it tidies up, by the bits of an
address.
"""
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
_SLOT = ir.IntType(64)
_WORD = ir.IntType(32)
_OK = (0, -2)
"""The statuses of a function that returned a value, and of one that returned None."""


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


def _without_place(
    self: Any, exception: Any, arguments: Any, place: Any, function: Any
) -> tuple[Any, Any, None]:
    """What a kernel that fails gives to its caller, without the file of Numba that raises it: its
    path differs from machine to machine, and `caller.c` reads the kind of error only.
    """
    return exception, arguments, None


CPUCallConv.build_excinfo_struct = _without_place
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


def lower(family: str, bits: int = 64) -> tuple[bytes, dict[str, Any]]:
    """Translate the kernels of a file into one module of bitcode, for machines whose addresses have
    so many bits, and describe them.
    """
    combined = llvm.parse_assembly("")
    kernels: dict[str, list[dict[str, str]]] = {}
    exported = set()
    for kernel in declared().get(family, []):
        made = kernel.dispatcher()
        name = f"{family}_{kernel.py_func.__name__}"
        versions = kernels.setdefault(name, [])
        for number, text in enumerate(kernel.declared):
            kinds = kernel.types(text)
            made.compile(kinds)
            result = made.overloads[kinds]
            versions.append({"takes": text, "returns": _spelled(result.fndesc.restype)})
            symbol = f"fc_{name}_{number}"
            module = llvm.parse_assembly(_plain(result.library.get_llvm_str()))
            module.link_in(llvm.parse_assembly(str(_entry(symbol, result.fndesc))))
            _keep_only(module, symbol)
            combined.link_in(module)
            exported.add(symbol)
    _tidy(combined, exported, *_MACHINES[bits])
    description = {"made of": made_of(family), "made with": MADE_WITH, "kernels": kernels}
    return combined.as_bitcode(), description


def _tidy(module: Any, exported: set[str], triple: str, layout: str) -> None:
    """Let a module have only what its entries need: drop needless counts of references, which only
    Numba's LLVM knows, unused code, and all names but those of the entries.
    """
    module.data_layout = layout
    for function in module.functions:
        if not function.is_declaration and function.name not in exported:
            function.linkage = "internal"
    machine = llvm.Target.from_triple(triple).create_target_machine(reloc="pic")
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=0))
    unused = llvm.create_new_module_pass_manager()
    unused.add_global_dead_code_eliminate_pass()
    unused.run(module, builder)
    single = llvm.create_new_function_pass_manager()
    single.add_refprune_pass()
    for function in module.functions:
        if not function.is_declaration:
            single.run(function, builder)
    passes = builder.getModulePassManager()
    passes.add_loop_rotate_pass()
    passes.add_instruction_combine_pass()
    passes.add_jump_threading_pass()
    passes.add_refprune_pass()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_dead_code_elimination_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_constant_merge_pass()
    passes.add_merge_functions_pass()
    passes.add_strip_symbols_pass()
    passes.add_strip_dead_prototype_pass()
    passes.run(module, builder)
    module.data_layout = ""
    module.triple = ""


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
    given = []
    kinds = kind.args[2:]
    for number, wanted in enumerate(kinds):
        if _is_owner(kinds, number) or _is_owner(kinds, number - 1):
            # The callers own all arrays. Counts of references that are known to be none are left
            # out where functions are inlined, and else each use of an array would call two.
            given.append(ir.Constant(wanted, None))
        else:
            given.append(_loaded(builder, builder.gep(slots, [_WORD(number)]), wanted))
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


def _is_owner(kinds: Sequence[ir.Type], number: int) -> bool:
    """Return whether an argument is the first part of an array, its counts of references: it and
    the next part, the Python object that the array belongs to, are pointers.
    """
    pair = kinds[max(number, 0) : number + 2]
    return len(pair) == 2 and all(isinstance(each, ir.PointerType) for each in pair)


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


def _spelled(kind: Any) -> str:
    """A type of Numba's as kernels declare theirs."""
    if isinstance(kind, types.BaseTuple):
        return f"({', '.join(map(_spelled, kind))})"
    if isinstance(kind, types.Array):
        *axes, last = [":"] * kind.ndim
        if kind.layout == "C":
            last = "::1"
        return f"out {_spelled(kind.dtype)}[{','.join([*axes, last])}]"
    if isinstance(kind, types.NoneType):
        return "none"
    if isinstance(kind, types.Boolean):
        return "b1"
    if isinstance(kind, types.Float):
        return f"f{kind.bitwidth // 8}"
    return f"{'i' if kind.signed else 'u'}{kind.bitwidth // 8}"


def update(names: list[str]) -> None:
    """Translate some files of kernels, as many side by side as there are cores, and write their
    bitcode.

    Each has a process of its own: what Numba translates depends on what it translated before.
    """
    FOLDER.mkdir(exist_ok=True)
    ordered = sorted(names, key=_effort, reverse=True)
    with multiprocessing.Pool(maxtasksperchild=1) as pool:
        for count, name in enumerate(pool.imap_unordered(_write, ordered), 1):
            print(f"{name}: bitcode {count} of {len(names)}", file=sys.stderr, flush=True)


def _write(name: str) -> str:
    module, description = lower(name)
    note = FOLDER / f"{name}.json"
    note.unlink(missing_ok=True)
    (FOLDER / f"{name}.bc").write_bytes(module)
    if name == EMBEDDED:
        module, _ = lower(name, 32)
        (FOLDER / f"{name}_32.bc").write_bytes(module)  # for WebAssembly
    note.write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")
    return name


def _effort(name: str) -> int:
    """About how long a file takes to translate: its versions."""
    return sum(len(kernel.declared) for kernel in declared().get(name, []))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="names of files of kernels; default: all changed")
    parser.add_argument("--all", action="store_true", help="all files, changed or not")
    every = [*families(), EMBEDDED]
    options = parser.parse_args()
    if unknown := set(options.files) - set(every):
        parser.error(f"Files of kernels are {', '.join(every)}. Got {', '.join(sorted(unknown))}.")
    if options.all:
        update(every)
    else:
        update(options.files or stale(every))
