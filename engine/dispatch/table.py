"""Which kernel a key gets: the precedence of registrations.

The function `computed_kernel` is the whole rule; a table is its value at each runtime key.
Mirrors OperatorEntry::computeDispatchTableEntryWithDebug (aten/src/ATen/core/dispatch/OperatorEntry.cpp).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .keys import ALIASES, RUNTIME_KEYS, DispatchKey, backend_of_autograd

K = DispatchKey


@dataclass(eq=False, slots=True)
class Kernel:
    """A kernel: a registered function, and the way to call it.

    Attributes:
        function: takes the operator's arguments, all of them positional, in the order of the schema.
        registered: the callable that was handed in, of which `function` may be an adapter; None for the engine's own.
        wants_key_set: whether `function` takes the key set of the call, as an int, before the arguments.
        wants_operator: whether it takes the operator before that: a boxed fallback, which serves all of them.
        below: keys of the call that it goes on to, passed as its last argument. 0: it computes them itself.
        debug: "registered at file:line".
    """

    function: Callable[..., Any]
    registered: Callable[..., Any] | None = None
    wants_key_set: bool = False
    wants_operator: bool = False
    debug: str = ""
    below: int = 0

    @property
    def is_fallthrough(self) -> bool:
        return self.function is fallthrough_kernel


Kernels = Mapping[DispatchKey, Kernel]


def fallthrough_kernel(*arguments: Any) -> Any:
    """Mark the key at which it is registered as one that calls skip. It never runs: the dispatcher skips such keys."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def is_in_alias(key: DispatchKey, alias: DispatchKey) -> bool:
    """Return True if the alias key includes this runtime key."""
    return key in ALIASES[alias]


def serves(alias: DispatchKey, key: DispatchKey) -> bool:
    """Return True if a kernel at an alias key may be used at a runtime key.

    The alias includes the key; or it is one of the three whose names begin with Composite, and the key is Undefined,
    to which calls without tensors go.
    """
    return is_in_alias(key, alias) or (key is K.Undefined and alias.name.startswith("Composite"))


def computed_kernel(kernels: Kernels, fallbacks: Kernels, key: DispatchKey) -> tuple[Kernel | None, str]:
    """Return the kernel that serves an operator at a runtime key, and where it comes from.

    Args:
        kernels: the operator's own kernels, by runtime or alias key. One at an alias counts only if the alias `serves`
            the key.
        fallbacks: the backend fallbacks, which serve every operator, by runtime key.
        key: a runtime key, Undefined included.
    Returns:
        The tuple (kernel, origin): the best kernel that serves the key, best first in this list, and its word. The
        kernel is the object that was registered, and nothing is added to or taken from the dicts.

        "kernel": at the key itself. A kernel that falls through counts like any other.
        "default": at the alias CompositeExplicitAutogradNonFunctional, then at CompositeExplicitAutograd.
        "math": at CompositeImplicitAutograd, unless it would hide a kernel below that has no gradient of its own: it is
            passed over if one of `backend_of_autograd(key)` has a kernel, or if CompositeExplicitAutograd has one.
        "autograd": at the alias Autograd.
        "batched": at the alias FuncTorchBatchedDecomposition.
        "fallback": in `fallbacks`.

        (None, "missing") if nothing serves the key. (None, "ambiguous") at AutogradOther, which several backends share,
        if CompositeImplicitAutograd has a kernel, so has one of these backends, and nothing above "math" serves the
        key.

    Source: aten/src/ATen/core/dispatch/OperatorEntry.cpp, computeDispatchTableEntryWithDebug.
    """
    if key in kernels:
        return kernels[key], "kernel"
    for alias in (K.CompositeExplicitAutogradNonFunctional, K.CompositeExplicitAutograd):
        if alias in kernels and serves(alias, key):
            return kernels[alias], "default"
    if K.CompositeImplicitAutograd in kernels and serves(K.CompositeImplicitAutograd, key):
        backend_has_kernel = any(backend in kernels for backend in backend_of_autograd(key))
        if backend_has_kernel and key is K.AutogradOther:
            return None, "ambiguous"
        if not backend_has_kernel and K.CompositeExplicitAutograd not in kernels:
            return kernels[K.CompositeImplicitAutograd], "math"
    for alias, origin in ((K.Autograd, "autograd"), (K.FuncTorchBatchedDecomposition, "batched")):
        if alias in kernels and serves(alias, key):
            return kernels[alias], origin
    if key in fallbacks:
        return fallbacks[key], "fallback"
    return None, "missing"


def computed_table(kernels: Kernels, fallbacks: Kernels) -> dict[DispatchKey, tuple[Kernel | None, str]]:
    """Return what `computed_kernel` returns for every runtime key."""
    return {key: computed_kernel(kernels, fallbacks, key) for key in RUNTIME_KEYS}


class Table(Mapping[DispatchKey, tuple[Kernel | None, str]]):
    """The dispatch table of an operator, whose entries are computed on lookup."""

    __slots__ = ("kernels", "fallbacks")

    def __init__(self, kernels: Kernels, fallbacks: Kernels):
        self.kernels, self.fallbacks = kernels, fallbacks

    def __getitem__(self, key: DispatchKey) -> tuple[Kernel | None, str]:
        return computed_kernel(self.kernels, self.fallbacks, key)

    def __iter__(self) -> Iterator[DispatchKey]:
        return iter(RUNTIME_KEYS)

    def __len__(self) -> int:
        return len(RUNTIME_KEYS)
