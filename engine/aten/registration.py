"""The operators come to life: native_functions.yaml and the functions that it names, into the dispatcher.

`register_operators` defines each operator and registers all kernels, the generated ones by their names; `at`
gets a function for each operator.
"""

import builtins
import importlib
import linecache
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import dtypes
from ..dispatch import calling, registry
from ..dispatch.backend_select import key_set_of_options
from ..dispatch.function_schema import FunctionSchema
from ..dispatch.keys import AFTER_ADINPLACEORVIEW, DispatchKey
from ..dispatch.local import local
from ..dispatch.registry import Handle
from ..dispatch.table import Kernel
from . import codegen, native_functions
from .at import at
from .device_check import check_common_device, on_cpu
from .empty_tensor import new_dense
from .iterator import TensorIteratorBase, cast_inputs, remember
from .iterator_plan import PLAN_MEMOS
from .model import NativeFunction, NativeFunctionsGroup, group_structured
from .scalar_ops import wrapped_scalar_tensor
from .structured import Functional, Inplace, MetaBase, Out
from .type_promotion import require_dtype
from .wrapper_memos import geometries_of, remember_declared

Kernels = Mapping[str, Callable[..., Any]]

IN_SCOPE: dict[str, Any] = {
    "__builtins__": {"__build_class__": builtins.__build_class__},  # `sum` is a native function, or missing
    "__name__": f"{__package__}.generated",
    "AFTER_ADINPLACEORVIEW": AFTER_ADINPLACEORVIEW,
    "Functional": Functional,
    "Inplace": Inplace,
    "MetaBase": MetaBase,
    "Out": Out,
    "TensorIteratorBase": TensorIteratorBase,
    "at": at,
    "cast_inputs": cast_inputs,
    "check_common_device": check_common_device,
    "dtypes": dtypes,
    "geometries_of": geometries_of,
    "key_set_of_options": key_set_of_options,
    "local": local,
    "new": object.__new__,
    "new_dense": new_dense,
    "on_cpu": on_cpu,
    "plan_memo": PLAN_MEMOS.new,
    "remember": remember,
    "remember_declared": remember_declared,
    "require_dtype": require_dtype,
    "wrapped_scalar_tensor": wrapped_scalar_tensor,
}
"""Names for generated code besides the native functions."""

AFTER_REGISTRATION: list[Callable[[Sequence[NativeFunction], str, Kernels], Handle]] = []
"""Callbacks of layers above this one for new operators: f(entries, text of their derivatives, functions)."""

SOURCES: dict[str, Callable[[], dict[str, str]]] = {}
"""Generated source of layers above this one: the layer -> a function that gives a text for each family."""

FAMILIES: dict[str, "Family"] = {}
"""The operators by the name that their forms share, "add"; each has its generated source."""


@dataclass(eq=False)
class Family:
    """The generated source of all forms of an operator, compiled when the first of its kernels is called.

    `kernels` are those whose functions the source defines, by operator and key.
    """

    name: str
    pieces: codegen.Pieces
    natives: Kernels
    kernels: dict[tuple[str, str], Kernel]

    @property
    def source(self) -> str:
        return "\n".join(map(str, self.pieces))

    @property
    def filename(self) -> str:
        return f"<generated: {self.name}>"

    def compile(self) -> None:
        """Compile and run the source, whose `impl` lines set the functions of the kernels."""

        def impl(op: str, key: str, function: Callable[..., Any], below: int = 0) -> None:
            if (op, key) in self.kernels:
                kernel = self.kernels[op, key]
                kernel.function, kernel.below, kernel.wants_key_set = function, below, False

        source = self.source
        linecache.cache[self.filename] = (len(source), None, source.splitlines(keepends=True), self.filename)
        redispatches = {op: registry.find(f"aten::{op}").redispatches for op, _ in self.kernels}
        exec(
            compile(source, self.filename, "exec"),
            {**IN_SCOPE, **self.natives} | {"impl": impl, "redispatches": redispatches},
        )

    def forget(self) -> None:
        """Return to the state before the first call, so that the next call of a kernel generates the source again."""
        for piece in self.pieces:
            if isinstance(piece, codegen.Registration) and (piece.op, piece.key) in self.kernels:
                kernel = self.kernels[piece.op, piece.key]
                kernel.function, kernel.below = self.at_first_call(piece), 0
                kernel.wants_key_set = bool(piece.below)
        for op in {op for op, _ in self.kernels}:
            registry.find(f"aten::{op}").forget()

    def at_first_call(self, registration: codegen.Registration) -> Callable[..., Any]:
        """Return a stub for a generated function: its first call compiles the source and runs the compiled kernel."""

        def first_call(*arguments: Any) -> Any:  # a kernel that goes on below itself is given the key set first
            self.compile()
            for op, _ in self.kernels:
                registry.find(f"aten::{op}").forget()
            kernel = self.kernels[registration.op, registration.key]
            if not kernel.below:
                return kernel.function(*arguments)
            key_set, *given = arguments
            below = registry.find(f"aten::{registration.op}").redispatches[key_set & kernel.below]
            return kernel.function(*given, below)

        first_call.__qualname__ = registration.function
        return first_call


def native_kernels() -> dict[str, Callable[..., Any]]:
    """Return the functions of aten/native/ by name, except names that two files define, as they would be ambiguous."""
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


def register_operators(functions: Sequence[NativeFunction], kernels: Kernels, derivatives: str = "") -> Handle:
    """Define the operators of the given entries, and register their kernels.

    Args:
        kernels: the functions that the entries name, meta functions (`add_Tensor_meta`) included.
        derivatives: entries in the form of derivatives.yaml, for the layers of `AFTER_REGISTRATION`.
    Returns:
        A handle whose `destroy()` takes them all out again.
    Raises:
        ValueError: an entry names a function or an operator that is not there; with file and line.
        RuntimeError: an operator exists already. Nothing is left behind.
    """
    handles: list[Handle] = []
    named: list[str] = []
    known = set(FAMILIES)

    def destroy() -> None:
        for handle in reversed(handles):
            handle.destroy()
        for name in named:
            delattr(at, name)
        for name in set(FAMILIES) - known:
            del FAMILIES[name]

    try:
        for f in functions:
            debug = f"registered at {f.location}"
            handles.append(registry.define(f.func.with_namespace("aten"), calling.attach, sorted(f.all_tags), debug))
            setattr(at, f.func.unambiguous_name, registry.find(f"aten::{f.func.name}").call)
            named.append(f.func.unambiguous_name)
        groups = {str(f.func.name): group for group in group_structured(functions) for f in group.functions}
        for family, members in families(functions).items():
            handles += enter_family(family, members, groups, kernels)
        handles += [add(functions, derivatives, kernels) for add in AFTER_REGISTRATION]
    except BaseException:
        destroy()
        raise
    return Handle(destroy)


def families(functions: Iterable[NativeFunction]) -> dict[str, list[NativeFunction]]:
    """Group entries by the name that their forms share: "add" for add.Tensor, add_.Tensor, add.out."""
    grouped: dict[str, list[NativeFunction]] = {}
    for f in functions:
        grouped.setdefault(f.name.functional, []).append(f)
    return grouped


def enter_family(
    name: str, members: Sequence[NativeFunction], groups: Mapping[str, NativeFunctionsGroup], natives: Kernels
) -> list[Handle]:
    """Register all kernels of a family: native functions directly, generated kernels as stubs until first called."""
    for f in members:
        _require_named(f, groups.get(str(f.name)), natives)
    if name in FAMILIES:  # another text adds forms to an operator that exists
        name = f"{name} of {members[0].location}"
    targets = {str(f.name): target_of(f) for f in members if f.target}
    family = FAMILIES[name] = Family(name, codegen.pieces_of_family(members, groups, targets), natives, {})
    handles = []
    for piece in family.pieces:
        if not isinstance(piece, codegen.Registration):
            continue
        native = natives.get(piece.function) or IN_SCOPE.get(piece.function)
        place = f"{native.__code__.co_filename}:{native.__code__.co_firstlineno}" if native else family.filename
        function = native or family.at_first_call(piece)
        kernel = Kernel(function, native, bool(piece.below), debug=f"registered at {place}")
        if native is None:
            family.kernels[piece.op, piece.key] = kernel
        handles.append(registry.register(f"aten::{piece.op}", DispatchKey[piece.key], kernel))
    return handles


def _require_named(f: NativeFunction, group: NativeFunctionsGroup | None, natives: Kernels) -> None:
    named = {f.kernels[key] for key in codegen.keys_of(f)} | ({group.meta_name} if group else set())
    if f.target:
        for name in named & natives.keys():
            raise ValueError(f"{f.location}: {f.name} generates {name}, which a file of aten/native/ defines, too")
        return
    for name in sorted(name for name in named if name not in natives):
        raise ValueError(
            f"{f.location}: {f.name} names {name}, which no file of aten/native/, or more than one, defines"
        )


def target_of(f: NativeFunction) -> FunctionSchema:
    """Return the schema of the operator that an entry's `alias_of`, `scalar_of` or `copy_of` names.

    Raises:
        ValueError: there is no such operator. It does not take the same arguments, in their order, and after them only
            ones with a default; with `scalar_of`, at least one is a number here and a tensor there.
    """
    entry = registry.operators.get(f"aten::{f.target}")
    if entry is None or entry.schema is None:
        known = [name.removeprefix("aten::") for name in registry.operators]
        similar = native_functions.similar(str(f.target), known)
        raise ValueError(f"{f.location}: {f.name} calls {f.target}, which is no operator{similar}")
    if not _fits(f, entry.schema):
        raise ValueError(
            f"{f.location}: {f.name} calls {f.target}, which takes other arguments:\n  {f.func}\n  {entry.schema}"
        )
    return entry.schema


def _fits(f: NativeFunction, target: FunctionSchema) -> bool:
    own, wanted = f.func.arguments, target.arguments
    if len(own) > len(wanted) or not all(argument.has_default for argument in wanted[len(own) :]):
        return False
    differing = [pair for pair in zip(own, wanted, strict=False) if pair[0].type != pair[1].type]
    return all(codegen.is_wrapped(*pair) for pair in differing) and bool(differing) == bool(f.scalar_of)


def generate_again() -> None:
    """Forget all generated source, so that a replaced code generator takes effect at the next calls."""
    for family in FAMILIES.values():
        family.forget()


def read_again() -> None:
    """Read native_functions.yaml again with the current parser. The registered operators stay as they are.

    Raises:
        ValueError: the file can't be read any more, or other entries come out.
    """
    for was, entry in zip(NATIVE_FUNCTIONS, native_functions.load(), strict=True):
        if (was, was.written) != (entry, entry.written):
            raise ValueError(f"{was.location}: {was.name} is another entry now:\n{entry}")


registry.open_namespace("aten", f"registered at {__file__}")
NATIVE_FUNCTIONS = native_functions.load()
NATIVE_KERNELS = native_kernels()
BOOT = register_operators(NATIVE_FUNCTIONS, NATIVE_KERNELS)
