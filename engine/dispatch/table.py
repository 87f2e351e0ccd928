"""Which kernel a key gets: the precedence of registrations.

The function `computed_kernel` is the whole rule; a table is its value at each runtime key.
Mirrors OperatorEntry::computeDispatchTableEntryWithDebug (aten/src/ATen/core/dispatch/OperatorEntry.cpp).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .keys import ALIASES, AUTOGRADOTHER_BACKENDS, RUNTIME_KEYS, DispatchKey, backend_of_autograd

K = DispatchKey


@dataclass(eq=False, slots=True)
class Kernel:
    """A registered function.

    Attributes:
        function: takes the operator's arguments, all of them positional, in the order of the schema.
        registered: the callable that was handed in, of which `function` may be an adapter; None for the engine's own.
        wants_key_set: whether `function` takes the key set of the call, as an int, before the arguments.
        wants_operator: whether it takes the operator before that: a boxed fallback, which serves all of them.
        below: keys of the call that it goes on to; what stands there is its last argument. 0: it asks by itself.
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
    """Registered at a key, it makes calls skip the key. It is never run: the dispatcher leaves such keys out."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def is_in_alias(key: DispatchKey, alias: DispatchKey) -> bool:
    """Whether a kernel at the alias key may serve this runtime key."""
    return key in ALIASES[alias]


def computed_kernel(kernels: Kernels, fallbacks: Kernels, key: DispatchKey) -> tuple[Kernel | None, str]:
    """The kernel that serves an operator at a runtime key, and where it comes from.

    Args:
        kernels: the operator's own kernels, by runtime or alias key.
        fallbacks: the backend fallbacks, which serve every operator, by runtime key.
        key: a runtime key, Undefined included.
    Returns:
        (kernel, origin): the first of these that applies. A kernel at an alias key serves the runtime keys for which
        `is_in_alias(key, alias)` is true. One at an alias whose name begins with Composite serves Undefined too.

        1. "kernel": the operator's kernel at the key itself. One that falls through is a kernel as any other.
        2. "default": the kernel at CompositeExplicitAutogradNonFunctional, else the one at CompositeExplicitAutograd.
        3. The kernel at CompositeImplicitAutograd, with two exceptions:
           (None, "ambiguous") if the key is AutogradOther and one of AUTOGRADOTHER_BACKENDS has a kernel;
           go on with 4 if the key is an Autograd key whose backend (`backend_of_autograd`) has a kernel, or if there is
           a kernel at CompositeExplicitAutograd: what stands below has no formula of its own, so it must not be hidden
           by one that is made of differentiable operators. Otherwise its origin is "math".
        4. "autograd": the kernel at the alias Autograd.
        5. "batched": the kernel at the alias FuncTorchBatchedDecomposition.
        6. "fallback": the backend fallback of the key.
        7. (None, "missing").

    Source: aten/src/ATen/core/dispatch/OperatorEntry.cpp, computeDispatchTableEntryWithDebug.
    """
    if key in kernels:
        return kernels[key], "kernel"
    for alias in (K.CompositeExplicitAutogradNonFunctional, K.CompositeExplicitAutograd):
        if alias in kernels and (key is K.Undefined or is_in_alias(key, alias)):
            return kernels[alias], "default"
    if K.CompositeImplicitAutograd in kernels and (key is K.Undefined or is_in_alias(key, K.CompositeImplicitAutograd)):
        if key is K.AutogradOther and any(backend in kernels for backend in AUTOGRADOTHER_BACKENDS):
            return None, "ambiguous"
        below = (*backend_of_autograd(key), K.CompositeExplicitAutograd)
        if not any(other in kernels for other in below):
            return kernels[K.CompositeImplicitAutograd], "math"
    for alias, origin in ((K.Autograd, "autograd"), (K.FuncTorchBatchedDecomposition, "batched")):
        if alias in kernels and is_in_alias(key, alias):
            return kernels[alias], origin
    if key in fallbacks:
        return fallbacks[key], "fallback"
    return None, "missing"


def computed_table(kernels: Kernels, fallbacks: Kernels) -> dict[DispatchKey, tuple[Kernel | None, str]]:
    """`computed_kernel` at every runtime key."""
    return {key: computed_kernel(kernels, fallbacks, key) for key in RUNTIME_KEYS}
