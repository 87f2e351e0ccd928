"""Check of the key that a call goes to (engine/dispatch/dispatcher.py, dispatch_key_set)."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import engine
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.dispatch.resolving.probe import kept_keys
from engine.dispatch.keys import DispatchKey as K

Given = list[tuple[str, str]]
TENSOR = ("CPU", "ADInplaceOrView", "AutogradCPU")
ONE_EACH = ("BackendSelect", "ADInplaceOrView", "Tracer", "AutocastCPU", "FuncTorchBatched", "Functionalize")
BACKENDS = ("CPU", "CUDA", "PrivateUse1", "Meta")
FALLS, RUNS = "fallthrough", "kernel"


def _keys_of_one_backend(rng: random.Random) -> list[str]:
    backend = rng.choice(BACKENDS)
    keys = [backend, f"Autograd{backend}", *rng.sample(ONE_EACH, rng.randint(1, 5))]
    return rng.sample(keys, len(keys))


def _registered(rng: random.Random, keys: list[str]) -> Given:
    """Give every key a kernel or a fallthrough, except for a few keys that get neither."""
    return [(key, rng.choice((FALLS, FALLS, RUNS))) for key in keys if rng.random() < 0.85]


def _from_the_top(rng: random.Random, kinds: Sequence[str]) -> tuple[Given, Given, list[str]]:
    """Return registrations at the keys of one backend: the highest fall through, the others are of these kinds."""
    keys = sorted(_keys_of_one_backend(rng), key=lambda key: engine.dispatch.keys.to_functionality_key(K[key]))
    falling = rng.randint(1, 2)
    given = [(key, FALLS) for key in keys[-falling:]] + [(key, rng.choice(kinds)) for key in keys[:-falling]]
    given = [(key, kind) for key, kind in given if kind]
    own = [pair for pair in given if pair[1] == RUNS or rng.random() < 0.5]
    return own, [pair for pair in given if pair not in own], rng.sample(keys, len(keys))


def _highest(rng: random.Random) -> Iterator[Case]:
    yield Case(([("CPU", RUNS)], [], ["CPU"]), "stays")
    yield Case(([("CPU", RUNS), ("AutogradCPU", FALLS)], [], ["CPU", "AutogradCPU"]), "falls through")
    yield Case(([("CPU", RUNS), ("AutogradCPU", RUNS)], [], ["CPU", "AutogradCPU"]), "stays")
    yield Case(([("CPU", RUNS)], [("AutogradCPU", FALLS)], ["CPU", "AutogradCPU"]), "falls through")
    yield Case(([("AutogradCPU", RUNS), ("CPU", RUNS)], [("AutogradCPU", FALLS)], ["CPU", "AutogradCPU"]), "stays")
    kernels = [("CPU", RUNS), ("ADInplaceOrView", RUNS)]
    yield Case((kernels, [("Tracer", FALLS), ("AutogradCPU", FALLS)], [*TENSOR, "Tracer"]), "falls through")
    yield Case(([("Tracer", FALLS)], [], ["Tracer"]), "nothing left")
    yield Case(([("CPU", FALLS)], [], ["CPU"]), "nothing left")
    for key in ("Functionalize", "AutogradOther", "FuncTorchBatched"):
        yield Case(([("CPU", RUNS), (key, FALLS)], [], ["CPU", key]), "falls through")
        yield Case(([("CPU", RUNS), (key, RUNS)], [], ["CPU", key]), "stays")
        yield Case(([("CPU", RUNS)], [(key, FALLS)], ["CPU", key]), "falls through")
    for _ in range(20):
        yield Case(_from_the_top(rng, (RUNS,)), "falls through")


def _missing(rng: random.Random) -> Iterator[Case]:
    yield Case(([("CPU", RUNS), ("Tracer", FALLS)], [], ["CPU", "AutogradCPU", "Tracer"]), "missing")
    yield Case(([("Tracer", FALLS)], [], ["Tracer", "CPU"]), "missing")
    yield Case(([("CPU", RUNS)], [("Tracer", FALLS)], ["CPU", "AutogradCPU", "Tracer"]), "missing")
    for _ in range(30):
        yield Case(_from_the_top(rng, (RUNS, "")), "missing")


def _lower(rng: random.Random) -> Iterator[Case]:
    yield Case(([("AutogradCPU", RUNS), ("CPU", FALLS)], [], ["CPU", "AutogradCPU"]), "below")
    yield Case(
        ([("AutogradCPU", RUNS), ("CPU", RUNS)], [("ADInplaceOrView", FALLS), ("BackendSelect", FALLS)],
         [*TENSOR, "BackendSelect"]),
        "below",
    )  # fmt: skip
    yield Case(([("AutogradCPU", RUNS), ("CPU", RUNS)], [("ADInplaceOrView", FALLS)], list(TENSOR)), "below")
    kernels = [("Tracer", RUNS), ("ADInplaceOrView", RUNS), ("CPU", RUNS)]
    yield Case((kernels, [("AutogradCPU", FALLS)], ["Tracer", *TENSOR]), "below")
    for _ in range(30):
        keys = _keys_of_one_backend(rng)
        yield Case(([(max(keys, key=len), RUNS)], [(key, FALLS) for key in keys], keys), "below")


def _backends(rng: random.Random) -> Iterator[Case]:
    yield Case(([("CPU", RUNS)], [], ["CPU bit"]), "only backends")
    yield Case(([("CPU", FALLS), ("Undefined", FALLS)], [("CPU", FALLS)], ["CPU bit", "Meta bit"]), "only backends")
    yield Case(([("CPU", FALLS), ("Undefined", FALLS)], [], ["CPU", "BackendSelect"]), "nothing left")
    yield Case(([("Undefined", RUNS)], [], []), "nothing left")
    yield Case(([("Undefined", FALLS)], [], []), "nothing left")
    for backends, kernels in [
        (("CPU", "CUDA"), [("CPU", RUNS), ("CUDA", FALLS)]), (("CPU", "CUDA"), [("CPU", FALLS), ("CUDA", RUNS)]),
        (("CPU", "Meta"), [("CPU", RUNS)]), (("CPU", "PrivateUse1", "Meta"), [("CPU", FALLS), ("Meta", FALLS)]),
    ]:  # fmt: skip
        yield Case((kernels, [], list(backends)), "several backends")
        autograd = [(f"Autograd{backend}", kind) for backend, kind in kernels]
        yield Case((kernels + autograd, [], [*backends, f"Autograd{backends[0]}"]), "several backends")
    for backends in (("CPU", "CUDA"), ("CUDA", "PrivateUse1"), ("PrivateUse1", "Meta")):
        low, high = backends
        for lower, higher in ((FALLS, RUNS), (RUNS, FALLS)):
            autograd = [("Autograd" + low, lower), ("Autograd" + high, higher)]
            yield Case(
                ([(low, RUNS), (high, RUNS), *autograd], [], [*backends, "Autograd" + low]), "several backends"
            )  # fmt: skip
    yield Case(([("QuantizedCPU", FALLS)], [], ["QuantizedCPU", "Meta"]), "several backends")
    yield Case(([("QuantizedCPU", RUNS), ("Undefined", FALLS)], [], ["QuantizedCPU", "Meta bit"]), "several backends")
    for _ in range(18):
        several = rng.sample(BACKENDS, rng.randint(2, 3))
        keys = [*several, *(f"Autograd{backend}" for backend in several[1:]), *rng.sample(ONE_EACH, 2)]
        yield Case((_registered(rng, keys), _registered(rng, keys), rng.sample(keys, len(keys))), "several backends")


def _walk(key_set: int, table: Any, goes: Callable, stops: Callable = lambda kernel: False, with_backend: bool = False
          ) -> int:  # fmt: skip
    """Return what is left of a set if the kernels for which `goes` is true go, down to the first that `stops`."""
    keys = engine.dispatch.keys
    kept = rest = key_set
    while rest & ~keys.BACKEND_MASK:
        key = keys.highest_key(rest)
        kernel, _ = table[key]
        bit = 1 << rest.bit_length() - 1
        if goes(kernel):
            kept &= ~(keys.bits(key) if with_backend else bit)
        rest &= ~bit
        if stops(kernel):
            return kept
    return kept


def _leaves(mistaken: Callable[[int, Any], int]) -> Callable:
    """Build a `Mistake.shows`: the answer is what `mistaken` leaves of the set."""
    return lambda args, wanted, got: got.value == kept_keys(engine, *args, of=mistaken)


def _highest_again(key_set: int, table: Any) -> int:
    """Return what is left if the kernel of the whole set's highest key decides about every functionality."""
    keys = engine.dispatch.keys
    return key_set & keys.BACKEND_MASK if _falls(table[keys.highest_key(key_set)][0]) else key_set


def _falls(kernel: Any) -> bool:
    return kernel is not None and kernel.is_fallthrough


MISTAKES = (
    Mistake(
        "a key without a kernel (None) is no fallthrough: it stays, and the call ends there with an error",
        _leaves(lambda key_set, table: _walk(key_set, table, lambda kernel: kernel is None or _falls(kernel))),
    ),
    Mistake(
        "every functionality goes here, as if all had the kernel of the highest key: ask `highest_key` of what is left "
        "of the set",
        lambda args, wanted, got: got.value["functionalities"] == [] and _leaves(_highest_again)(args, wanted, got),
    ),
    Mistake(
        "the set itself came back: each functionality whose kernel is a fallthrough goes, also below the first kernel "
        "that is none",
        _leaves(lambda key_set, table: key_set),
    ),
    Mistake(
        "the walk ended at the first kernel that is no fallthrough; the keys below it are looked at as well, for that "
        "kernel may redispatch",
        _leaves(lambda key_set, table: _walk(key_set, table, _falls, lambda kernel: not _falls(kernel))),
    ),
    Mistake(
        "only the highest key was looked at; every functionality of the set is decided for itself",
        _leaves(lambda key_set, table: _walk(key_set, table, _falls, lambda kernel: True)),
    ),
    Mistake(
        "the functionality goes, the backend's bit stays: other functionalities of the set need it",
        _leaves(lambda key_set, table: _walk(key_set, table, _falls, with_backend=True)),
    ),
    Mistake(
        "a backend's bit has gone: backend bits stay, whatever goes",
        lambda args, wanted, got: {*got.value["backends"]} < {*wanted.value["backends"]},
    ),
)

HINTS = {
    "stays": "a key whose own kernel is no fallthrough stays; the operator's kernel goes before a fallback",
    "falls through": "each key whose kernel is a fallthrough goes, whether it is the operator's own or a backend "
    "fallback",
    "missing": "no kernel (None) is no fallthrough: the call stops there, with an error, and must not go on below",
    "nothing left": "a fallthrough goes even if it is the last functionality; the walk ends where only backend bits "
    "are left, or nothing",
    "below": "the walk does not end at the first kernel that runs: it may redispatch, and must meet no fallthrough",
    "several backends": "at a functionality with several backends only the kernel of the highest one counts; the "
    "functionality stays or goes as a whole, and backend bits stay",
    "only backends": "backend bits are no functionalities: nothing is looked up for them, and they stay",
    "type": "return an int: the bits that are left",
    "returned None": "the function ends without `return`",
    "raised": "there is nothing to refuse here",
}

DISPATCH_KEY_SET = Check(
    "dispatch.dispatcher.dispatch_key_set",
    ("kernels", "fallbacks", "keys"),
    (
        Aspect("below", 2, _lower),
        Aspect("highest", 2, _highest),
        Aspect("missing", 1, _missing),
        Aspect("backends", 1, _backends),
    ),
    HINTS,
    probe="dispatch.resolving.kept_keys",
    mistakes=MISTAKES,
    program="dispatch.program.run",
)

CHECKS = (DISPATCH_KEY_SET,)
