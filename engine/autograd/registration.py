"""The kernels of autograd, into the dispatcher: one at the Autograd keys for each operator, one for each view.

Their source, and the source of nodes, is made when an operator is called for the first time. `ENGINE_DEBUG=1` makes
it with the assertions of a debug build.
"""

import builtins
import functools
import importlib
import linecache
import math
import os
import pkgutil
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..aten import registration as operators
from ..aten.at import at
from ..aten.model import NativeFunction
from ..dispatch import registry
from ..dispatch.keys import AFTER_ADINPLACEORVIEW, AFTER_AUTOGRAD, DispatchKey
from ..dispatch.local import local
from ..dispatch.registry import Handle
from ..dispatch.table import Kernel
from . import derivatives, variable, variable_type_manual, variable_type_utils
from .derivatives import DifferentiabilityInfo
from .gen_autograd_functions import node_source
from .gen_inplace_or_view_type import view_source
from .gen_variable_type import Recorded, entry_of, is_recorded, kernel_source
from .grad_mode import is_grad_enabled
from .node import Node
from .saved_variable import FREED_VARIABLE, SavedVariable
from .state import state

DEBUG = os.environ.get("ENGINE_DEBUG") == "1"
_FROM = {
    variable_type_utils: ("NotImplemented", "any_requires_grad", "check_no_requires_grad", "refuse_out", "save_list",
                "unpack_list", "sizes_of", "dtypes_of", "as_views", "metadata_of", "assert_unchanged"),
    variable: ("requires_grad", "gradient_edge", "gradient_edges", "set_history", "set_histories", "rebase_history",
               "replace_history", "check_inplace", "as_view"),
}  # fmt: skip
IN_SCOPE: dict[str, Any] = {
    "__builtins__": builtins,
    "__name__": f"{__package__}.generated",
    "FREED_VARIABLE": FREED_VARIABLE,
    "Node": Node,
    "SavedVariable": SavedVariable,
    "at": at,
    "autograd": state,
    "inf": math.inf,
    "is_grad_enabled": is_grad_enabled,
    "local": local,
    "math": math,
    "nan": math.nan,
    **{name: getattr(module, name) for module, names in _FROM.items() for name in names},
}
"""Names for generated code besides the functions of functions_manual/."""

BY_HAND = variable_type_manual.KERNELS
"""Operator -> its kernel, if none is generated."""

Infos = Mapping[str, DifferentiabilityInfo]

EXTENSIONS: dict[str, operators.Kernels] = {}
"""Names for the formulas of entries that were added at run time, by the text of their schema."""

_handwritten: list[Handle] = []
_compiled: "weakref.WeakKeyDictionary[Callable[..., Any], DifferentiabilityInfo]" = weakref.WeakKeyDictionary()

NODES: dict[str, type[Node]] = {}
"""The node classes that have been needed so far, by the text of their entry's schema."""


def manual_functions() -> dict[str, Callable[..., Any]]:
    """Return the public functions of functions_manual/, keyed by name."""
    package = importlib.import_module(f"{__package__}.functions_manual")
    found: dict[str, Callable[..., Any]] = {}
    for info in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        for name, value in vars(module).items():
            if callable(value) and getattr(value, "__module__", None) == module.__name__ and not name.startswith("_"):
                if name in found:
                    raise ValueError(f"{module.__name__} and another file of functions_manual/ define {name}")
                found[name] = value
    return found


def run(source: str, filename: str, scope: dict[str, Any]) -> None:
    """Execute generated source, and register it so that tracebacks show its lines."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    exec(compile(source, filename, "exec"), scope)


def node_class(info: DifferentiabilityInfo) -> type[Node]:
    """Return the node class of an entry, generated on first use."""
    cls = NODES.get(info.text)
    if cls is None:
        scope = {**IN_SCOPE, **MANUAL, **EXTENSIONS.get(info.text, {})}
        run(node_source(info), f"<node: {info.node}>", scope)
        cls = NODES[info.text] = scope[info.node]
    return cls


@dataclass(eq=False)
class Generated:
    """A kernel whose source is generated and compiled at its first call.

    Args:
        f: the operator.
        function: the name that the source defines.
        infos: gives the entries of derivatives.yaml; None: the kernel notes a view, and needs none.
    """

    f: NativeFunction
    function: str
    infos: Callable[[], Infos] | None = None

    @property
    def filename(self) -> str:
        """The file name of the generated source in tracebacks."""
        return f"<{'view' if self.infos is None else 'autograd'}: {self.f.name}>"

    @functools.cached_property
    def info(self) -> DifferentiabilityInfo | None:
        """The entry whose node the kernel creates, or None if it creates none."""
        info = entry_of(self.f, self.infos()) if self.infos is not None else None
        return info if info is not None and info.node else None

    @property
    def source(self) -> str:
        """The generated source code of the kernel."""
        if self.infos is None:
            return view_source(self.f)
        return kernel_source(Recorded(self.f, entry_of(self.f, self.infos())), DEBUG)

    def kernel(self) -> Kernel:
        """Return the kernel to register, which compiles itself at its first call and refreshes the dispatch cache."""
        entry = registry.find(f"aten::{self.f.name}")

        def first_call(key_set: int, *arguments: Any) -> Any:
            kernel.function, kernel.wants_key_set = self.compile(), False
            kernel.below = AFTER_ADINPLACEORVIEW if self.infos is None else AFTER_AUTOGRAD
            entry.forget()
            return kernel.function(*arguments, entry.redispatches[key_set & kernel.below])

        first_call.__qualname__ = self.function
        kernel = Kernel(first_call, None, wants_key_set=True, debug=f"registered at {self.filename}")
        return kernel

    def compile(self) -> Callable[..., Any]:
        """Compile the source and return the kernel function."""
        scope = dict(IN_SCOPE)
        if self.info is not None:
            scope[self.info.node] = node_class(self.info)
        run(self.source, self.filename, scope)
        function = scope[self.function]
        if self.info is not None:
            _compiled[function] = self.info
        return function


def generated(f: NativeFunction, infos: Callable[[], Infos]) -> dict[str, Generated]:
    """Return the generated kernels of an operator, keyed by dispatch key."""
    name = f.func.unambiguous_name
    kernels: dict[str, Generated] = {}
    if is_recorded(f) and str(f.name) not in BY_HAND:
        kernels["Autograd"] = Generated(f, f"Autograd_{name}", infos)
        if f.func.is_view and not f.func.is_mutable and "no_view" not in f.engine_tags:
            kernels["ADInplaceOrView"] = Generated(f, f"ADInplaceOrView_{name}")
    return kernels


def written_by_hand(operator: str) -> Kernel:
    """Return the handwritten kernel of an operator that has no generated one."""
    function = BY_HAND[operator]
    return Kernel(function, None, wants_key_set=True, debug=f"registered at {function.__module__}")


def use_handwritten(names: Collection[str]) -> None:
    """Register kernels of `variable_type_manual.HANDWRITTEN` instead of the generated ones of their operators.

    Args:
        names: of these functions besides `IN_USE`; the operators of all others have their generated kernels again.
    """
    while _handwritten:
        _handwritten.pop().destroy()
    for name, (operator, function) in variable_type_manual.HANDWRITTEN.items():
        if name in names or name in variable_type_manual.IN_USE:
            kernel = Kernel(function, None, debug=f"registered at {function.__module__}", below=AFTER_AUTOGRAD)
            _handwritten.append(registry.register(f"aten::{operator}", DispatchKey.Autograd, kernel))


def generate_nodes_again() -> None:
    """Make each kernel regenerate its node class with the current `node_source` when it next creates a node."""
    NODES.clear()
    for function, info in _compiled.items():
        function.__globals__[info.node] = _first_node(function.__globals__, info)


def _first_node(scope: dict[str, Any], info: DifferentiabilityInfo) -> Callable[..., Node]:
    """Return a function that makes a kernel's first node: it generates the class and puts it into `scope`.

    Args:
        scope: the globals of the kernel, which calls the function by the name of the class.
    """

    def first(edges: Any) -> Node:
        cls = scope[info.node] = node_class(info)
        return cls(edges)

    return first


def register_autograd_kernels(functions: Iterable[NativeFunction], infos: Callable[[], Infos]) -> Handle:
    """Register the autograd kernels of operators.

    Args:
        infos: gives the entries of derivatives.yaml, by operator.
    Returns:
        A handle whose `destroy()` takes them out again.
    """
    handles = [
        registry.register(f"aten::{f.name}", DispatchKey[key], kernel.kernel())
        for f in functions
        for key, kernel in generated(f, infos).items()
    ]
    handles += [
        registry.register(f"aten::{f.name}", DispatchKey.Autograd, written_by_hand(str(f.name)))
        for f in functions
        if str(f.name) in BY_HAND
    ]

    def destroy() -> None:
        for handle in reversed(handles):
            handle.destroy()

    return Handle(destroy)


def sources() -> dict[str, str]:
    """Return all generated source code, with the nodes of each operator family before its kernels."""
    texts: dict[str, str] = {}
    for family, members in operators.families(operators.NATIVE_FUNCTIONS).items():
        kernels = [kernel for f in members for kernel in generated(f, entries).values()]
        infos = {kernel.info.text: kernel.info for kernel in kernels if kernel.info}
        nodes = [node_source(info) for info in infos.values()]
        if kernels:
            texts[family] = "\n\n".join([*nodes, *(kernel.source for kernel in kernels)])
    return texts


def register_extension(functions: Sequence[NativeFunction], text: str, kernels: operators.Kernels) -> Handle:
    """Register the autograd kernels of operators that were added at run time.

    Args:
        text: their entries, in the form of derivatives.yaml.
        kernels: what their formulas may name beside the functions of functions_manual/.
    Raises:
        ValueError: as `derivatives.parse`.
    """
    infos = derivatives.parse(text)
    EXTENSIONS.update({info.text: kernels for info in infos.values()})
    handle = register_autograd_kernels(functions, lambda: infos)

    def destroy() -> None:
        handle.destroy()
        for info in infos.values():
            EXTENSIONS.pop(info.text, None)
            NODES.pop(info.text, None)

    return Handle(destroy)


entries: Callable[[], Infos] = functools.cache(derivatives.load)
"""The entries of derivatives.yaml, by operator; read when the first operator is called."""

MANUAL = manual_functions()
BOOT = register_autograd_kernels(operators.NATIVE_FUNCTIONS, entries)
use_handwritten(())
operators.AFTER_REGISTRATION.append(register_extension)
operators.SOURCES["autograd"] = sources
