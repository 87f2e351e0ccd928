"""`engine.ops.<namespace>.<op>.<overload>`: operators by name, called with checks, as torch.ops.

Mirrors torch/_ops.py.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from .dispatch import boxing, registry
from .dispatch.dispatcher import runnable
from .dispatch.function_schema import FunctionSchema, ListType
from .dispatch.keys import DispatchKey, DispatchKeySet
from .dispatch.public_schema import PublicSchema, Tag
from .dispatch.registry import OperatorEntry


class OpOverload:
    """One overload of an operator. Calling it checks the arguments against the schema and dispatches."""

    __slots__ = ("_entry", "_gives_list", "_declared", "__dict__")

    def __init__(self, entry: OperatorEntry):
        assert entry.schema is not None
        self._entry = entry
        self._declared: FunctionSchema = entry.schema
        self._gives_list = len(entry.schema.returns) == 1 and isinstance(entry.schema.returns[0].type, ListType)
        self.__name__ = f"{self._opname}.{self._overloadname}"
        self.__qualname__ = self.name()
        self.__module__ = f"{__name__}.{self.namespace}"

    @cached_property
    def _schema(self) -> PublicSchema:
        return PublicSchema(self._declared)

    @cached_property
    def is_view(self) -> bool:
        """True if an argument is annotated as shared, and none as written."""
        annotated = [argument for argument in self._declared.arguments if argument.annotation]
        return bool(annotated) and not self._declared.is_mutable

    @property
    def namespace(self) -> str:
        return self._declared.name.namespace

    @property
    def _opname(self) -> str:
        return self._declared.name.base

    @property
    def _overloadname(self) -> str:
        return self._declared.name.overload or "default"

    @property
    def overloadpacket(self) -> "OpOverloadPacket":
        return getattr(getattr(ops, self.namespace), self._opname)

    _overloadpacket = overloadpacket

    @property
    def tags(self) -> list[Tag]:
        return [Tag[tag] for tag in sorted(self._entry.tags)]

    def name(self) -> str:
        """Return the qualified name, "aten::add.Tensor"."""
        return str(self._declared.name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self._entry.call(*boxing.stack_of(self._declared, args, kwargs))
        return list(result) if self._gives_list else result

    def redispatch(self, keyset: DispatchKeySet, *args: Any, **kwargs: Any) -> Any:
        """Redispatch, from a kernel, to the highest key of `keyset`, whatever the arguments' and the thread's keys."""
        result = self._entry.redispatch(keyset.raw_repr(), *boxing.stack_of(self._declared, args, kwargs))
        return list(result) if self._gives_list else result

    def decompose(self, *args: Any, **kwargs: Any) -> Any:
        """Call the other operators that a composite operator consists of; return NotImplemented for any other one."""
        kernel = self._entry.kernels.get(DispatchKey.CompositeImplicitAutograd)
        if kernel is None:
            return NotImplemented
        stack = boxing.stack_of(self._declared, args, kwargs)
        key_set = boxing.key_set_of_stack(stack)
        result = runnable(self._entry, DispatchKey.CompositeImplicitAutograd, key_set, kernel, "call")(*stack)
        return list(result) if self._gives_list else result

    def has_kernel_for_dispatch_key(self, key: DispatchKey) -> bool:
        """Return True if a kernel is registered at exactly this key."""
        return key in self._entry.registered

    def call_boxed(self, stack: list[Any]) -> None:
        """Call the operator with its arguments on a stack, where the results replace them."""
        boxing.call_boxed(self._entry, stack)

    def __deepcopy__(self, memo: Any) -> "OpOverload":
        return self

    def __str__(self) -> str:
        return f"{self.namespace}.{self._opname}.{self._overloadname}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.namespace}.{self._opname}', overload='{self._overloadname}')>"


class OpOverloadPacket:
    """All overloads of an operator. Calling it takes the first one whose schema accepts the arguments."""

    __slots__ = ("_namespace", "_op", "_qualified_op_name", "__name__")

    def __init__(self, namespace: str, op: str):
        self._namespace = namespace
        self._op = self.__name__ = op
        self._qualified_op_name = f"{namespace}::{op}"

    def overloads(self) -> list[str]:
        """Return the names of the overloads, "default" for the overload without a name."""
        return [
            entry.schema.name.overload or "default" for entry in _entries(self._namespace, self._op) if entry.schema
        ]

    def __iter__(self) -> Iterator[str]:
        return iter(self.overloads())

    def __getattr__(self, name: str) -> OpOverload:
        overload = "" if name == "default" else f".{name}"
        entry = registry.operators.get(f"{self._namespace}::{self._op}{overload}")
        if entry is None or entry.schema is None:
            raise AttributeError(f"The underlying op of '{self._namespace}.{self._op}' has no overload name '{name}'")
        return overload_of(entry)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.overloads()]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        entries = _entries(self._namespace, self._op)
        if len(entries) == 1:
            return overload_of(entries[0])(*args, **kwargs)
        refusals = []
        for entry in entries:
            assert entry.schema is not None
            try:
                stack = boxing.stack_of(entry.schema, args, kwargs)
            except RuntimeError as refusal:
                refusals.append(str(refusal))
                continue
            result = entry.call(*stack)
            return list(result) if overload_of(entry)._gives_list else result
        raise RuntimeError(
            "Overloaded torch operator invoked from Python failed to match any schema:\n" + "\n\n".join(refusals)
        )

    def __str__(self) -> str:
        return f"{self._namespace}.{self._op}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self._namespace}.{self._op}')>"


class _OpNamespace:
    def __init__(self, name: str):
        self._name = name
        self._packets: dict[str, tuple[OpOverloadPacket, OperatorEntry]] = {}  # with one of its overloads

    def __getattr__(self, op: str) -> OpOverloadPacket:
        packet, entry = self._packets.get(op, (None, None))
        if packet is None or entry is None or registry.operators.get(entry.name) is not entry or not entry.schema:
            entries = _entries(self._name, op)
            if not entries:
                raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{op}'")
            packet = packet or OpOverloadPacket(self._name, op)
            self._packets[op] = packet, entries[0]
        return packet

    def __dir__(self) -> list[str]:
        names = (entry.schema.name for entry in tuple(registry.operators.values()) if entry.schema)
        return sorted({name.base for name in names if name.namespace == self._name})


class _Ops:
    """`engine.ops`: one namespace per name, made on first use."""

    def __getattr__(self, namespace: str) -> _OpNamespace:
        if namespace.startswith("__"):
            raise AttributeError(namespace)
        self.__dict__[namespace] = made = _OpNamespace(namespace)
        return made

    def __dir__(self) -> list[str]:
        names = (entry.schema.name for entry in tuple(registry.operators.values()) if entry.schema)
        return sorted({*super().__dir__(), *(name.namespace for name in names)})


ops = _Ops()


def overload_of(entry: OperatorEntry) -> OpOverload:
    """Return the OpOverload of a defined operator."""
    if entry.overload is None or entry.overload._declared is not entry.schema:
        entry.overload = OpOverload(entry)
    return entry.overload


def _entries(namespace: str, op: str) -> list[OperatorEntry]:
    """Return the operator's overloads in the order in which they were defined."""
    prefix = f"{namespace}::{op}"
    return [
        entry
        for name, entry in tuple(registry.operators.items())
        if (name == prefix or name.startswith(f"{prefix}.")) and entry.schema is not None
    ]
