"""Registering operators and kernels from Python, as torch.library: `Library("mylib", "DEF")`.

Each registration returns a handle whose `destroy()` undoes it; PyTorch returns the operator's name from `define` and
None from `impl`. Mirrors torch/library.py and aten/src/ATen/core/library.cpp.
"""

import contextlib
import dataclasses
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import _ops
from .dispatch import boxing, calling, registry
from .dispatch.function_schema import FunctionSchema
from .dispatch.keys import ALIASES, DispatchKey, DispatchKeySet, parse_key
from .dispatch.registry import Handle, OperatorEntry
from .dispatch.schema import parse_operator_name, parse_schema
from .dispatch.table import Kernel, fallthrough_kernel

__all__ = ["Handle", "Library", "fallthrough_kernel"]

KINDS = {"DEF": "TORCH_LIBRARY", "IMPL": "TORCH_LIBRARY_IMPL", "FRAGMENT": "TORCH_LIBRARY_FRAGMENT"}
RESERVED_NAMESPACES = ("prim",)


class Library:
    """A set of registrations in one namespace, which are undone together.

    Args:
        ns: the namespace; "_" for backend fallbacks, which serve every operator.
        kind: "DEF" for the one library that owns the namespace, "FRAGMENT" to define beside it, "IMPL" for kernels.
        dispatch_key: the key of `impl` and `fallback` where they name none.
    Raises:
        ValueError: an unknown kind, or a reserved namespace.
        RuntimeError: the namespace has its DEF; an unknown key, or one for a kind other than IMPL.
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = ""):
        if kind not in KINDS:
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in RESERVED_NAMESPACES and kind != "IMPL":
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._debug = _caller()
        self._handles: list[Handle] = []
        if ns == "_" and kind != "IMPL":
            raise RuntimeError(
                f"{KINDS[kind]}: cannot define {KINDS[kind]} with the wildcard namespace _ (every {KINDS[kind]} "
                "defines operators for a distinct namespace!) Did you mean to use TORCH_LIBRARY_IMPL instead?  "
                f"{self._where()}"
            )
        if dispatch_key and parse_key(dispatch_key) and kind != "IMPL":
            raise RuntimeError(f"Only a library of kind IMPL has a dispatch key, not {kind}.  {self._where()}")
        if kind == "DEF":
            self._handles.append(registry.open_namespace(ns, self._debug))

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> Handle:
        """Define an operator by its schema, `"add_one(Tensor x) -> Tensor"`.

        Args:
            schema: with or without the library's namespace.
            alias_analysis: "" or "FROM_SCHEMA": what an operator aliases is read off its schema. PyTorch also has
                    "CONSERVATIVE", which only its compiler needs.
            tags: names, or one of them.
        Raises:
            RuntimeError: no schema, another namespace, an operator that exists, or a library of kind IMPL.
        """
        if self.kind == "IMPL":
            raise RuntimeError(
                f'def("{schema.partition("(")[0]}"): Cannot define an operator inside of a TORCH_LIBRARY_IMPL block.  '
                "All def()s should be placed in the (unique) TORCH_LIBRARY block for their namespace.  "
                f"{self._where()}"
            )
        parsed = self._in_namespace(parse_schema(schema))
        handle = registry.define(parsed, calling.attach, (tags,) if isinstance(tags, str) else tags, _caller())
        return self._keep(handle)

    def impl(
        self, op_name: Any, fn: Callable[..., Any], dispatch_key: str = "", *, with_keyset: bool = False,
        allow_override: bool = True,
    ) -> Handle:  # fmt: skip
        """Register a kernel, ahead of existing ones. The operator may be defined later.

        Args:
            op_name: "op", "op.overload", with or without the namespace, or one of `engine.ops`.
            fn: takes the arguments of the schema, or `fallthrough_kernel`.
            dispatch_key: a runtime or alias key; by default the library's key, else CompositeImplicitAutograd, as for
                    "Undefined".
            with_keyset: `fn` takes the DispatchKeySet of the call as its first argument.
            allow_override: the key may have a kernel already; it comes back when this one is destroyed.
        Raises:
            TypeError: `fn` can't be called.
            RuntimeError: an unknown key, another namespace, parameters that can't take the schema's arguments, a Meta
                kernel for an operator that is not defined or is made of others.
        """
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        key = self._key(dispatch_key, op_name)
        name = self._qualified(op_name)
        entry = registry.operators.get(name)
        if entry is not None and entry.schema is not None:
            _check_parameters(entry.schema, fn, with_keyset)
        if key is DispatchKey.Meta:
            _check_meta(name, op_name, entry)
        if not allow_override and entry is not None and key in entry.registered:
            raise RuntimeError(
                f"This is not allowed since there's already a kernel registered from python overriding {op_name}'s "
                f"behavior for {key.name} dispatch key and {self.ns} namespace."
            )
        debug = _caller()
        if fn is fallthrough_kernel:
            return self._keep(registry.register(name, key, Kernel(fn, fn, debug=debug)))

        def schema_of() -> FunctionSchema:
            schema = registry.find(name).schema
            assert schema is not None
            return schema

        if with_keyset:
            kernel = Kernel(_with_key_set(schema_of, fn), fn, wants_key_set=True, debug=debug)
        else:
            kernel = Kernel(boxing.unboxed(schema_of, fn), fn, debug=debug)
        return self._keep(registry.register(name, key, kernel))

    def fallback(self, fn: Callable[..., Any], dispatch_key: str = "", *, with_keyset: bool = False) -> Handle:
        """Register a fallback for all operators without a kernel at a key; only in the namespace "_".

        Args:
            fn: takes the operator, an OpOverload, and then its arguments; or `fallthrough_kernel`.
            dispatch_key: a runtime key, or Autograd for all of its keys; the library's own key if it has one.
            with_keyset: `fn` takes the DispatchKeySet of the call before the operator.
        Raises:
            AssertionError: no key.
            RuntimeError: another namespace, an unknown key, or a key that has a fallback.
        """
        name = dispatch_key or self.dispatch_key
        assert name != "", "dispatch_key must not be empty for fallback"
        if self.ns != "_":
            raise RuntimeError(
                'Fallback can only be registered using library fragment on the global namespace "_" but it is '
                f"{self.ns}"
            )
        key, debug = parse_key(name), _caller()
        if key is DispatchKey.Undefined:
            raise RuntimeError(f"There is no backend fallback for calls without tensors: give a key.  {self._where()}")
        handles: list[Handle] = []
        try:
            for runtime_key in ALIASES.get(key, (key,)):
                if fn is fallthrough_kernel:
                    kernel = Kernel(fn, fn, debug=debug)
                else:
                    kernel = Kernel(_boxed_fallback(fn, with_keyset), fn, True, True, debug)
                handles.append(registry.register_fallback(runtime_key, kernel))
        except RuntimeError:
            for handle in handles:
                handle.destroy()
            raise

        def destroy() -> None:
            for handle in handles:
                handle.destroy()

        return self._keep(Handle(destroy))

    def _destroy(self) -> None:
        """Undo every registration of this library, newest first."""
        for handle in reversed(self._handles):
            handle.destroy()
        self._handles.clear()

    def _keep(self, handle: Handle) -> Handle:
        self._handles.append(handle)
        return handle

    def _key(self, dispatch_key: str, op_name: Any) -> DispatchKey:
        if dispatch_key and self.dispatch_key and dispatch_key != self.dispatch_key:
            raise RuntimeError(
                f'impl("{op_name}", ...): Explicitly provided dispatch key ({dispatch_key}) is inconsistent with the '
                f"dispatch key of the enclosing TORCH_LIBRARY_IMPL block ({self.dispatch_key}).  Please declare a "
                "separate TORCH_LIBRARY_IMPL block for this dispatch key and move your impl() there.  "
                f"{self._where()}"
            )
        key = parse_key(dispatch_key or self.dispatch_key or "CompositeImplicitAutograd")
        return DispatchKey.CompositeImplicitAutograd if key is DispatchKey.Undefined else key

    def _qualified(self, op_name: Any) -> str:
        if not isinstance(op_name, (str, _ops.OpOverload)):
            raise RuntimeError(
                "impl should be passed either a name or an OpOverload object as the first argument, got "
                f"{type(op_name)}"
            )
        text = op_name if isinstance(op_name, str) else op_name.name()
        parsed = parse_operator_name(text)
        if parsed.namespace not in ("", self.ns):
            told = self._other_namespace("operator name", parsed.namespace, KINDS[self.kind])
            raise RuntimeError(f'impl("{text}", ...): {told}')
        return str(dataclasses.replace(parsed, namespace=self.ns))

    def _in_namespace(self, schema: FunctionSchema) -> FunctionSchema:
        if schema.name.namespace not in ("", self.ns):
            raise RuntimeError(
                self._other_namespace("schema string", schema.name.namespace, f"(unique) {KINDS['DEF']}")
            )
        if schema.name.overload == "default":
            raise RuntimeError("default is not a legal overload name for aten operators")
        return schema.with_namespace(self.ns)

    def _other_namespace(self, text: str, given: str, block: str) -> str:
        return (
            f"Explicitly provided namespace ({given}) in {text} does not match namespace of enclosing "
            f"{KINDS[self.kind]} block ({self.ns}).  Move this definition to the {block} block corresponding to this "
            f"namespace (and consider deleting the namespace from your schema string.)  {self._where()}"
        )

    def _where(self) -> str:
        place = self._debug.removeprefix("registered at ")
        return f"(Error occurred while processing {KINDS[self.kind]} block at {place})"


@contextlib.contextmanager
def _scoped_library(ns: str, kind: str, dispatch_key: str = "") -> Iterator[Library]:
    """Open a `Library` and undo its registrations when the block ends, also when it ends with an error.

    >>> with _scoped_library("shop", "DEF") as lib:
    ...     _ = lib.define("total(Tensor prices) -> Tensor")

    Source: torch/library.py, _scoped_library.
    """
    library = Library(ns, kind, dispatch_key)
    try:
        yield library
    finally:
        library._destroy()


def _with_key_set(schema_of: Callable[[], FunctionSchema], fn: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(key_set: int, *stack: Any) -> Any:
        return boxing.call_python(schema_of(), fn, [DispatchKeySet.from_raw_repr(key_set)], stack)

    return kernel


def _boxed_fallback(fn: Callable[..., Any], with_keyset: bool) -> Callable[..., Any]:
    """Return a fallback as the dispatcher calls it: with the operator's entry and the key set before the arguments."""

    def fallback(entry: OperatorEntry, key_set: int, *stack: Any) -> Any:
        assert entry.schema is not None
        first: list[Any] = [DispatchKeySet.from_raw_repr(key_set)] if with_keyset else []
        first.append(_ops.overload_of(entry))
        return boxing.call_python(entry.schema, fn, first, stack)

    return fallback


def _check_parameters(schema: FunctionSchema, fn: Callable[..., Any], with_keyset: bool) -> None:
    """Refuse a kernel that no call could reach: neither with all the arguments nor with those that have no default."""
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):
        return
    first: Iterable[Any] = (None,) if with_keyset else ()
    refusals = []
    for chosen in (schema.arguments, [argument for argument in schema.arguments if not argument.has_default]):
        positional = [None for argument in chosen if not argument.kwarg_only]
        try:
            signature.bind(*first, *positional, **{argument.name: None for argument in chosen if argument.kwarg_only})
        except TypeError as refusal:
            refusals.append(refusal)
    if len(refusals) == 2:
        raise RuntimeError(
            f"Inferred operator schema for a kernel function doesn't match the expected function schema.\n"
            f"  operator: {schema}\n  kernel: {signature}\n  reason: {refusals[0]}"
        )


def _check_meta(name: str, op_name: Any, entry: OperatorEntry | None) -> None:
    """Refuse a meta kernel of an operator made of others: it works on meta if they do; a kernel would hide that."""
    if entry is None:
        raise RuntimeError(f"operator {name} does not exist")
    if DispatchKey.CompositeImplicitAutograd in entry.registered:
        raise RuntimeError(
            f"We should not register a meta kernel directly to the operator '{op_name}', because it has a "
            "CompositeImplicitAutograd kernel in core. Instead we should let the operator decompose, and ensure that "
            "we have meta kernels for the base ops that it decomposes into."
        )


def _caller() -> str:
    """Return the place of the registering code outside this file (and `with`): "registered at file:line"."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename in (__file__, contextlib.__file__):
        frame = frame.f_back
    return f"registered at {frame.f_code.co_filename}:{frame.f_lineno}"
