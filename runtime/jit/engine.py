"""LLVM itself: from assembly language to machine code, and machine code into the process."""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Iterable, Sequence
from functools import cache

import llvmlite
import llvmlite.binding as llvm

_lock = threading.Lock()
"""LLVM's context is one for the whole process."""

_LARGE = 20_000
"""The characters of a large program."""

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


def machine_code(text: str, *, has_vectors: bool = True) -> bytes:
    """The machine code of a module, optimised; `has_vectors` says that scalars which go together are worth a search."""
    with _lock:
        return bytes(_machine().emit_object(_optimised(text, has_vectors)))


def optimised(text: str) -> str:
    """The assembly language of a module as LLVM improved it, for reading."""
    with _lock:
        return str(_optimised(text))


def _optimised(text: str, has_vectors: bool = True) -> llvm.ModuleRef:
    machine = _machine()
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    module.data_layout = str(machine.target_data)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.loop_unrolling = True
    # The search for scalars that go together takes as long as all the rest in large programs, and finds little there.
    options.slp_vectorization = has_vectors and len(text) < _LARGE
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    return module


@cache
def _linker() -> llvm.LLJIT:
    # It takes machine code as it is, whatever the processor: a machine that knows nothing of it is made sooner.
    return llvm.create_lljit_compiler(_target().create_target_machine(jit=True))


@cache
def _machine() -> llvm.TargetMachine:
    return _target().create_target_machine(cpu=llvm.get_host_cpu_name(), features=_features(), opt=3, jit=True)


@cache
def _target() -> llvm.Target:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple())


@cache
def _features() -> str:
    features: str = llvm.get_host_cpu_features().flatten()
    return features


def version() -> str:
    """What machine code depends on besides the text: LLVM, and the processor."""
    parts = (llvmlite.__version__, llvm.llvm_version_info, llvm.get_process_triple(), llvm.get_host_cpu_name())
    return f"{parts} {_features()}"
