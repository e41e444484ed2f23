"""LLVM itself: from assembly language to machine code, and machine code into the process."""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
from collections.abc import Iterable, Sequence
from functools import cache

import llvmlite
import llvmlite.binding as llvm

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()

_lock = threading.Lock()
"""LLVM's context is one for the whole process.  A fork waits, or nothing could be compiled in the child."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)

_LARGE = 20_000
"""The characters of a large program."""

_SEVERAL_AT_ONCE = "llvm.loop.vectorize.enable", "llvm.loop.parallel_accesses"
"""One of these stands in a module with a loop that is to work on several elements at once."""

_numbers = itertools.count()

Entrance = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
"""A driver, see `schedules.driver`; while it runs, Python's other threads do too."""


class Loaded:
    """Machine code in this process, in parts that call each other, for as long as this object lives; `entrances` are
    its drivers."""

    def __init__(self, codes: Iterable[bytes], names: Sequence[str]) -> None:
        with _lock:
            self._linker = _linker()
            builder = llvm.JITLibraryBuilder().add_current_process()
            for code in codes:
                builder.add_object_img(code)
            for name in names:
                builder.export_symbol(name)
            self._library = builder.link(self._linker, f"kernel{next(_numbers)}")
        self.entrances = {name: Entrance(self._library[name]) for name in names}


def machine_code(text: str, *, briefly: bool = False) -> bytes:
    """The machine code of a module, optimised; with `briefly` for code without loops, or that will not run for long."""
    with _lock:
        if briefly:
            module = _parsed(text)
            _inline(module, llvm.create_pass_builder(_machine(1), _options(1)))
            return bytes(_machine(1).emit_object(module))
        return bytes(_machine(3).emit_object(_optimised(text)))


def optimised(text: str) -> str:
    """The assembly language of a module as LLVM improved it, for reading."""
    with _lock:
        return str(_optimised(text))


def _parsed(text: str) -> llvm.ModuleRef:
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    module.data_layout = str(_machine(3).target_data)
    module.verify()
    return module


def _optimised(text: str) -> llvm.ModuleRef:
    module = _parsed(text)
    if len(text) >= _LARGE and not any(note in text for note in _SEVERAL_AT_ONCE):
        _improve_functions(module)
        return module
    options = _options(3)
    options.loop_vectorization = options.loop_unrolling = True
    # The search for scalars that go together takes as long as all the rest in large programs, and finds little there.
    options.slp_vectorization = len(text) < _LARGE
    passes = llvm.create_pass_builder(_machine(3), options)
    passes.getModulePassManager().run(module, passes)
    return module


def _improve_functions(module: llvm.ModuleRef) -> None:
    """Improve each function by itself, which takes half as long as all that LLVM can do.

    Scalar code is as fast then.
    """
    passes = llvm.create_pass_builder(_machine(3), _options(1))
    _inline(module, passes)
    simplification = passes.getFunctionPassManager()
    for function in module.functions:
        if not function.is_declaration:
            simplification.run(function, passes)


def _inline(module: llvm.ModuleRef, passes: llvm.PassBuilder) -> None:
    """Put functions where they are called, and values into registers."""
    manager = llvm.create_new_module_pass_manager()
    manager.add_always_inliner_pass()
    manager.add_global_dead_code_eliminate_pass()
    manager.add_sroa_pass()
    manager.add_simplify_cfg_pass()
    manager.run(module, passes)


def _options(level: int) -> llvm.PipelineTuningOptions:
    return llvm.create_pipeline_tuning_options(speed_level=level)


@cache
def _linker() -> llvm.LLJIT:
    # It takes machine code as it is, whatever the processor: a machine that knows nothing of it is made sooner.
    return llvm.create_lljit_compiler(_target().create_target_machine(jit=True))


@cache
def _machine(level: int) -> llvm.TargetMachine:
    """What makes code for this processor, with so much optimisation."""
    return _target().create_target_machine(cpu=llvm.get_host_cpu_name(), features=_features(), opt=level, jit=True)


@cache
def _target() -> llvm.Target:
    return llvm.Target.from_triple(llvm.get_process_triple())


@cache
def _features() -> str:
    features: str = llvm.get_host_cpu_features().flatten()
    return features


def version() -> str:
    """What machine code depends on besides the text: LLVM, and the processor."""
    parts = (llvmlite.__version__, llvm.llvm_version_info, llvm.get_process_triple(), llvm.get_host_cpu_name())
    return f"{parts} {_features()}"
