"""The operators come to life: native_functions.yaml and the functions that it names, into the dispatcher.

`register` defines each operator, runs the generated source and enters all kernels; `at` gets a function for each.
"""

import builtins
import importlib
import linecache
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..dispatch import calling, dispatcher
from ..dispatch.backend_select import compute_dispatch_key
from ..dispatch.dispatcher import Handle
from ..dispatch.keys import AFTER_ADINPLACEORVIEW, DispatchKey, bits
from ..dispatch.local import AutoDispatchBelowADInplaceOrView
from ..dispatch.table import Kernel, fallthrough_kernel
from . import codegen, native_functions
from .at import at
from .device_check import check_common_device
from .iterator import TensorIteratorBase
from .model import NativeFunction, NativeFunctionsGroup, group_structured
from .structured import Functional, Inplace, MetaBase, Out

Kernels = Mapping[str, Callable[..., Any]]

IN_SCOPE: dict[str, Any] = {
    "__builtins__": {"__build_class__": builtins.__build_class__},  # `sum` is a native function, or missing
    "__name__": f"{__package__}.generated",
    "AFTER_ADINPLACEORVIEW": AFTER_ADINPLACEORVIEW,
    "AutoDispatchBelowADInplaceOrView": AutoDispatchBelowADInplaceOrView,
    "Functional": Functional,
    "Inplace": Inplace,
    "MetaBase": MetaBase,
    "Out": Out,
    "TensorIteratorBase": TensorIteratorBase,
    "bits": bits,
    "check_common_device": check_common_device,
    "compute_dispatch_key": compute_dispatch_key,
    "fallthrough_kernel": fallthrough_kernel,
}
"""What generated code may name beside the native functions."""

GENERATED: dict[str, str] = {}
"""Family ("add") -> its generated source."""


def native_kernels() -> dict[str, Callable[..., Any]]:
    """The functions of aten/native/, by name; one that two files define is left out, because a name must say which."""
    package = importlib.import_module(f"{__package__}.native")
    found: dict[str, Callable[..., Any]] = {}
    twice: set[str] = set()
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        for name, value in vars(module).items():
            if callable(value) and getattr(value, "__module__", None) == module.__name__:
                if name in found:
                    twice.add(name)
                found[name] = value
    return {name: function for name, function in found.items() if name not in twice}


def register(text: str, kernels: Kernels, file: str = "<string>") -> Handle:
    """Define the operators of a yaml text and register their kernels, as if they stood in native_functions.yaml.

    Args:
        text: entries in the form of native_functions.yaml.
        kernels: the functions that they name, meta functions (`add_Tensor_meta`) included.
        file: name of the text, for messages.
    Returns:
        A handle whose `destroy()` takes them all out again.
    Raises:
        ValueError: an entry can't be read, or names a function that is not there; with file and line.
        RuntimeError: an operator exists already. Nothing is left behind.
    """
    functions = native_functions.parse(text, file)
    return enter(functions, kernels)


def enter(functions: Sequence[NativeFunction], kernels: Kernels) -> Handle:
    """`register` for entries that were read."""
    handles: list[Handle] = []

    def destroy() -> None:
        for handle in reversed(handles):
            handle.destroy()
        for f in functions:
            vars(at).pop(f.func.unambiguous_name, None)

    try:
        for f in functions:
            debug = f"registered at {f.location}"
            handles.append(dispatcher.define(f.func.with_namespace("aten"), calling.attach, sorted(f.all_tags), debug))
            setattr(at, f.func.unambiguous_name, dispatcher.find(f"aten::{f.func.name}").call)
        groups = {str(f.func.name): group for group in group_structured(functions) for f in group.functions}
        for family, members in families(functions).items():
            try:  # TEMPORARY while kernels land
                run(family, members, groups, kernels, handles)
            except ValueError as error:
                import sys
                print(error, file=sys.stderr)
    except BaseException:
        destroy()
        raise
    return Handle(destroy)


def families(functions: Iterable[NativeFunction]) -> dict[str, list[NativeFunction]]:
    """Entries by the name that their forms share: "add" for add.Tensor, add_.Tensor, add.out."""
    grouped: dict[str, list[NativeFunction]] = {}
    for f in functions:
        grouped.setdefault(f.name.functional, []).append(f)
    return grouped


def run(
    family: str,
    members: list[NativeFunction],
    groups: Mapping[str, NativeFunctionsGroup],
    kernels: Kernels,
    handles: list[Handle],
) -> None:
    """Generate the source of a family and run it; its `impl` lines register kernels, whose handles are kept."""
    source = codegen.source_of_family(members, groups)
    filename = f"<generated: {family}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    GENERATED[family] = source
    entries = {str(f.func.name): dispatcher.find(f"aten::{f.func.name}") for f in members}

    def impl(name: str, key: str, function: Callable[..., Any], wants_key_set: bool = False) -> None:
        debug = f"registered at {function.__code__.co_filename}:{function.__code__.co_firstlineno}"
        kernel = Kernel(function, function, wants_key_set, debug=debug)
        handles.append(dispatcher.register(f"aten::{name}", DispatchKey[key], kernel))

    redispatch = {name: entry.redispatch for name, entry in entries.items()}
    scope = {**IN_SCOPE, **kernels, "impl": impl, "redispatch": redispatch}
    try:
        exec(compile(source, filename, "exec"), scope)
    except NameError as error:
        places = ", ".join(str(f.location) for f in members)
        raise ValueError(f"{places}: the entry names {error.name}, which no file of aten/native/, or more than one, defines") from None


NATIVE_FUNCTIONS = native_functions.load()
BOOT = enter(NATIVE_FUNCTIONS, native_kernels())
