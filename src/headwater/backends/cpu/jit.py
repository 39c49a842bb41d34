"""LLVM IR text to machine code in memory, through llvmlite.

Facts about llvmlite 0.50 that shape this file: every call into LLVM takes one lock of llvmlite's own,
so compiles and loads are safe from any thread and never overlap; an object file links through ORC in
under a millisecond without parsing IR; a library is unloaded with its tracker; importing the binding
costs about 0.1 s, so it waits for the first compile or load.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from headwater import config
from headwater.backends.cpu.target import Target, natural_lanes
from headwater.errors import InternalError

# The vectors are explicit in the text, so LLVM's vectorisers stay off and level 1 would do; level 2
# adds global value numbering, which removes loads that the emitter repeats.
SPEED_LEVEL = 2

_serial = itertools.count()

# Held while a thread is inside LLVM, and by `os.fork`: a child must not inherit LLVM half-way.
_inside = threading.RLock()


@cache
def _llvm() -> Any:
    import llvmlite.binding as llvm  # 0.1 s, only when something is compiled

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@cache
def versions() -> str:
    """The versions of llvmlite and LLVM, which decide the code that a text becomes."""
    import llvmlite  # only when something is compiled

    number = ".".join(map(str, _llvm().llvm_version_info))
    return f"llvmlite {llvmlite.__version__} LLVM {number}"


@cache
def host() -> Target:
    """This machine in LLVM's notation, with its natural number of lanes."""
    with _inside:
        return _host()


def _host() -> Target:
    llvm = _llvm()
    triple = str(llvm.get_process_triple())
    cpu = str(llvm.get_host_cpu_name())
    features = str(llvm.get_host_cpu_features().flatten())
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features)
    lanes = natural_lanes(features)
    layout = str(machine.target_data)
    return Target(triple, cpu, features, layout, lanes, vector_bits=32 * lanes)


def compile_text(text: str, target: Target) -> bytes:
    """The object file of one module of LLVM IR text; InternalError where LLVM rejects the text."""
    with _inside:
        return _compile(text, target)


# A function of its own, so that what it made of LLVM's is gone before the lock is given back.
def _compile(text: str, target: Target) -> bytes:
    llvm = _llvm()
    module = _parse(llvm, text)
    machine = _machine(llvm, target)
    tuning = llvm.create_pipeline_tuning_options(SPEED_LEVEL)
    tuning.loop_vectorization = False
    tuning.slp_vectorization = False
    tuning.loop_unrolling = False  # a loop asks for it by metadata
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


def _parse(llvm: Any, text: str) -> Any:
    try:
        # A context of its own: types and constants of a program are freed with it.
        module = llvm.parse_assembly(text, llvm.create_context())
        module.verify()
    except RuntimeError as error:
        raise InternalError(f"LLVM rejects the generated text: {error}") from None
    return module


def _machine(llvm: Any, target: Target) -> Any:
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=SPEED_LEVEL, reloc="pic", codemodel="default"
    )


class Code:
    """Loaded machine code. It is unloaded when this object is gone: keep it while it may run."""

    def __init__(self, image: bytes, symbols: tuple[str, ...]) -> None:
        """Link the object file `image`; names that it lacks are taken from this process."""
        with _inside:
            library = _llvm().JITLibraryBuilder().add_object_img(image).add_current_process()
            for symbol in symbols:
                library.export_symbol(symbol)
            self._tracker = _link(library, f"headwater-{next(_serial)}")
        self.addresses = {symbol: int(self._tracker[symbol]) for symbol in symbols}

    def __del__(self, inside: threading.RLock = _inside) -> None:
        with inside:
            self.__dict__.pop("_tracker", None)


def _link(library: Any, name: str) -> Any:
    try:
        return library.link(_engine(), name)
    except RuntimeError as error:
        raise InternalError(f"the compiled program cannot be linked: {error}") from None


@cache
def _engine() -> Any:
    # JITLink puts the sections of one object side by side, so that near calls always reach.
    # ORC names a missing symbol on the standard error stream only, so that stays on.
    return _llvm().create_lljit_compiler(use_jit_link=True)


def cached_object(text: str, target: Target) -> bytes:
    """The object file of `text`, from the folder of compiled programs where it lies there intact."""
    folder = _cache_folder()
    if folder is None:
        return compile_text(text, target)
    key = "\0".join((text, versions(), target.triple, target.cpu, target.features))
    path = folder / f"{hashlib.sha256(key.encode()).hexdigest()}.o"
    image = _read_checked(path)
    if image is None:
        image = compile_text(text, target)
        _write_checked(path, image)
    return image


def _cache_folder() -> Path | None:
    if not config.CACHE.read():
        return None
    try:
        return config.CACHE_DIRECTORY.read() / "cpu"
    except RuntimeError:  # the user has no home folder
        return None


def _read_checked(path: Path) -> bytes | None:
    """The content behind a SHA-256 that fits, or None."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    checksum, image = content[:32], content[32:]
    return image if image and hashlib.sha256(image).digest() == checksum else None


def _write_checked(path: Path, image: bytes) -> None:
    """Put a file in place at once; a folder that cannot be written only costs the next start."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _replacing(path) as descriptor, os.fdopen(descriptor, "wb") as file:
            file.write(hashlib.sha256(image).digest() + image)
    except OSError:
        return


@contextmanager
def _replacing(path: Path) -> Iterator[int]:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        yield descriptor
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_inside.acquire,
        after_in_parent=_inside.release,
        after_in_child=_inside.release,
    )
