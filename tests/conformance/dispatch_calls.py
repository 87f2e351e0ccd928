"""Calls that the two dispatchers make: kernels write down who they are, and call on.

A kernel ends the call, redispatches below its key, or calls the operator again without its key. Calls are made under
random nests of include and exclude guards, with CPU and meta tensors, with none, and with mixed ones.
"""

import contextlib
import itertools
import random
from collections.abc import Callable
from typing import Any

import torch

import engine

from .registrations import RUNTIME_KEYS, Action, Side, describe, draw

SCHEMAS = (
    "op(Tensor x) -> Tensor",
    "op(Tensor x, Tensor? y=None, *, int n=1) -> Tensor",
    "op(Tensor[] xs) -> Tensor",
    "op(int n) -> Tensor",
)
QUANTIZED = "QuantizedCPU"  # stays alone: at another backend it is a key that the engine doesn't have
BESIDE_QUANTIZED = ("FuncTorchVmapMode", "AutocastCPU", "AutocastCUDA", "ADInplaceOrView", "BackendSelect", "CPU")
DEEPEST = 8  # calls inside one another
NEEDS_STATE = ("FuncTorchBatched", "Tracer", "Functionalize", "Python")  # whose fallbacks in PyTorch need it
KEYS = (*RUNTIME_KEYS[:-1], *("CPU",) * 6, *("Meta", "AutogradCPU", "BackendSelect", "ADInplaceOrView") * 2)
CALLS = 6  # of each sequence
ENDS, REDISPATCHES, CALLS_WITHOUT = range(3)

_namespaces = (f"conformance_calls_{number}" for number in itertools.count())


class Deep(Exception):
    """A kernel that calls itself for ever is stopped here, on both sides at the same depth."""


class Kernels:
    """The functions of a sequence on one side, and what they wrote down.

    Args:
        T: the engine or PyTorch.
        namespace: of the operator.
        actions: the sequence; what a function does is drawn from its number.
        seed: of that drawing.
    """

    def __init__(self, T: Any, namespace: str, actions: tuple[Action, ...], seed: int):
        self.T, self.namespace, self.actions, self.seed = T, namespace, actions, seed
        self.log: list[tuple] = []
        self.depth = 0
        self.result = T.ones(1)

    def kernel(self, number: int) -> Callable[..., Any]:
        """The function that an `impl` registers."""
        return lambda keys, *args, **kwargs: self._step(number, keys, self._op(), args, kwargs)

    def fallback(self, number: int) -> Callable[..., Any]:
        return lambda keys, op, *args, **kwargs: self._step(number, keys, op, args, kwargs)

    def _op(self) -> Any:
        return getattr(self.T.ops, self.namespace).op.default

    def _step(self, number: int, keys: Any, op: Any, args: tuple, kwargs: dict) -> Any:
        _C = self.T._C
        names = tuple(name for name in RUNTIME_KEYS[:-1] if keys.has(_C._dispatch_key_parse(name)))
        self.log.append((number, names, op.name().partition("::")[2], len(args), sorted(kwargs)))
        self.depth += 1
        try:
            if self.depth > DEEPEST:
                raise Deep
            choice = random.Random(self.seed * 1000 + number).choice((ENDS, REDISPATCHES, REDISPATCHES, CALLS_WITHOUT))
            highest = keys.highestPriorityTypeId()
            if choice == REDISPATCHES:
                return op.redispatch(keys & _C._dispatch_keyset_full_after(highest), *args, **kwargs)
            if choice == CALLS_WITHOUT:
                with _C._ExcludeDispatchKeyGuard(_C.DispatchKeySet(highest)):
                    return op(*args, **kwargs)
            return self.result
        finally:
            self.depth -= 1


Guard = tuple[bool, str]  # include or exclude, key


def _arguments(T: Any, schema: str, chance: random.Random, devices: tuple[str, ...]) -> tuple[tuple, dict]:
    def tensor() -> Any:
        return T.empty(2, device=chance.choice(devices))

    if schema == SCHEMAS[0]:
        return (tensor(),), {}
    if schema == SCHEMAS[1]:
        return (tensor(), *((tensor(),) if chance.random() < 0.5 else ())), ({"n": 3} if chance.random() < 0.3 else {})
    if schema == SCHEMAS[2]:
        return ([tensor() for _ in range(chance.randint(0, 2))],), {}
    return (3,), {}


def _call(kernels: Kernels, schema: str, guards: list[Guard], seed: int) -> tuple:
    """The outcome of one call: the log, and the error's type or the device of the result."""
    T, kernels.log, kernels.depth = kernels.T, [], 0
    devices = ("cpu",) if (True, QUANTIZED) in guards else ("cpu", "cpu", "meta")
    args, kwargs = _arguments(T, schema, random.Random(seed), devices)
    try:
        with contextlib.ExitStack() as stack:
            for include, name in guards:
                stack.enter_context(_guard(T._C, include, name))
            result = getattr(T.ops, kernels.namespace).op(*args, **kwargs)
    except Exception as error:
        return (*kernels.log, type(error).__name__)
    return (*kernels.log, result.device.type)


def _guard(_C: Any, include: bool, name: str) -> Any:
    key = _C._dispatch_key_parse(name)
    return _C._IncludeDispatchKeyGuard(key) if include else _C._ExcludeDispatchKeyGuard(_C.DispatchKeySet(key))


def _guards(chance: random.Random, directly: set[str]) -> list[Guard]:
    """Up to three guards; a key whose fallback needs a state of its own is included only over a kernel."""
    safe = [key for key in RUNTIME_KEYS[:-1] if key not in NEEDS_STATE or key in directly]
    guards = [
        (True, chance.choice(safe)) if chance.random() < 0.5 else (False, chance.choice(RUNTIME_KEYS[:-1]))
        for _ in range(chance.randint(0, 3))
    ]
    if (True, QUANTIZED) in guards:
        guards = [(include, key) for include, key in guards if not include or key in (QUANTIZED, *BESIDE_QUANTIZED)]
    return guards


def compare(seed: int) -> list[str]:
    """Run a sequence on both sides, then calls; what differs."""
    chance = random.Random(seed)
    schema, actions = chance.choice(SCHEMAS), draw(seed, KEYS)
    with contextlib.ExitStack() as stack:
        sides = [_side(T, schema, actions, seed, stack) for T in (engine, torch)]
        directly = {actions[number].key for number in sides[1][0].libraries if actions[number].what == "impl"}
        for number in range(CALLS):
            guards = _guards(chance, directly)
            ours, theirs = (_call(kernels, schema, guards, seed + number) for _, kernels in sides)
            if ours != theirs and _is_stale(actions):
                theirs = _call(_anew(schema, sides[1][0], actions, seed, stack), schema, guards, seed + number)
            if ours != theirs:
                told = f"seed {seed}, {schema}, guards {guards}, after {describe(actions)}"
                return [f"{told}: engine {ours} | PyTorch {theirs}"]
    return []


def _side(T: Any, schema: str, actions: tuple[Action, ...], seed: int, stack: contextlib.ExitStack) -> tuple:
    namespace = next(_namespaces)
    kernels = Kernels(T, namespace, actions, seed)
    side = Side(T, namespace, schema, kernels.kernel, kernels.fallback, with_keyset=True)
    stack.callback(side.close)
    for number, action in enumerate(actions):
        side.run(number, action)
    return side, kernels


def _is_stale(actions: tuple[Action, ...]) -> bool:
    """Return whether PyTorch's own table may be stale: it doesn't look at the Autograd keys again when a kernel comes
    or goes at CompositeExplicitAutograd."""
    return any(action.key == "CompositeExplicitAutograd" for action in actions)


def _anew(schema: str, side: Side, actions: tuple[Action, ...], seed: int, stack: contextlib.ExitStack) -> Kernels:
    """PyTorch with only what is registered now, CompositeExplicitAutograd first: then nothing is stale."""
    alive = sorted(
        (number for number in side.libraries if actions[number].what != "fallback"),
        key=lambda number: (actions[number].key != "CompositeExplicitAutograd", number),
    )
    namespace = next(_namespaces)
    kernels = Kernels(torch, namespace, actions, seed)
    again = Side(torch, namespace, schema, kernels.kernel, kernels.fallback, with_keyset=True)
    stack.callback(again.close)
    for number in alive:
        again.run(number, actions[number])
    return kernels


def check(sets: int, first_seed: int = 0) -> list[str]:
    """Return the differences, one line a sequence."""
    return [failure for seed in range(first_seed, first_seed + sets) for failure in compare(seed)]
