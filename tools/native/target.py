"""A module for one kind of processor: optimized by LLVM, then an object file."""

from __future__ import annotations

from typing import NamedTuple

import llvmlite.binding as llvm

__all__ = ["TARGETS", "Target", "emit"]

llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()


class Target(NamedTuple):
    """A kind of processor and operating system, as LLVM and as zig call it."""

    triple: str
    cpu: str
    features: str
    zig: str

    @property
    def platform(self) -> str:
        """The operating system, as `sys.platform` says it."""
        return "win32" if "windows" in self.zig else "darwin" if "macos" in self.zig else "linux"


TARGETS = {
    f"{system}-x86-64-{level}": Target(triple, f"x86-64-{level}", features, zig)
    for system, triple, zig in (
        ("linux", "x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.28"),
        ("windows", "x86_64-pc-windows-gnu", "x86_64-windows-gnu"),
        ("macos", "x86_64-apple-macosx11.0.0", "x86_64-macos.11.0"),
    )
    for level, features in (("v2", ""), ("v3", ""), ("v4", "-prefer-256-bit"))
} | {
    "linux-aarch64": Target(
        "aarch64-unknown-linux-gnu", "generic", "+neon", "aarch64-linux-gnu.2.28"
    ),
    "macos-aarch64": Target("arm64-apple-macosx11.0.0", "apple-m1", "", "aarch64-macos.11.0"),
    "wasm": Target("wasm32-unknown-unknown", "generic", "+simd128,+bulk-memory", "wasm32-wasi"),
}
"""Kinds of machine; all but "wasm" have libraries for Python."""


def emit(bitcode: bytes, target: Target, exported: set[str]) -> bytes:
    """Optimize a module for a target; the object file's bytes.

    Functions that are not `exported` may be copied into their callers and dropped.
    """
    module = llvm.parse_bitcode(bitcode)
    module.triple = target.triple
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, reloc="pic", codemodel="default"
    )
    module.data_layout = str(machine.target_data)
    for function in module.functions:
        if not function.is_declaration and function.name not in exported:
            function.linkage = "internal"
    _optimize(module, machine)
    return machine.emit_object(module)


def _optimize(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """What Numba does: tidy up each function, drop needless counts of references, and then optimize
    fully.
    """
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    dead = llvm.create_new_module_pass_manager()
    dead.add_global_dead_code_eliminate_pass()
    dead.run(module, builder)
    single = builder.getFunctionPassManager()
    single.add_refprune_pass()
    for function in module.functions:
        if not function.is_declaration:
            single.run(function, builder)
    cheap = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=0))
    inlined = cheap.getModulePassManager()
    inlined.add_loop_rotate_pass()
    inlined.add_instruction_combine_pass()
    inlined.add_jump_threading_pass()
    inlined.add_refprune_pass()
    inlined.run(module, cheap)
    full = builder.getModulePassManager()
    full.add_refprune_pass()
    full.run(module, builder)
