"""Check of the key that a call goes to (engine/dispatch/dispatcher.py, dispatch_key_set)."""

import random
from collections.abc import Iterator

from autograder.examine.model import Aspect, Case, Check

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
    """Every key has a kernel or falls through, but for a few that have neither."""
    return [(key, rng.choice((FALLS, FALLS, RUNS))) for key in keys if rng.random() < 0.85]


def _highest(rng: random.Random) -> Iterator[Case]:
    yield Case(([("CPU", RUNS)], [], ["CPU"]), "stays")
    yield Case(([("CPU", RUNS), ("AutogradCPU", FALLS)], [], ["CPU", "AutogradCPU"]), "falls through")
    yield Case(([("CPU", RUNS), ("AutogradCPU", RUNS)], [], ["CPU", "AutogradCPU"]), "stays")
    yield Case(([("CPU", RUNS)], [("AutogradCPU", FALLS)], ["CPU", "AutogradCPU"]), "falls through")
    yield Case(([("AutogradCPU", RUNS)], [("AutogradCPU", FALLS)], ["CPU", "AutogradCPU"]), "stays")
    yield Case(([("CPU", RUNS)], [], ["CPU", "AutogradCPU"]), "missing")
    yield Case(([], [], ["Tracer", "CPU"]), "missing")
    yield Case(([("CPU", RUNS)], [("Tracer", FALLS), ("AutogradCPU", FALLS)], [*TENSOR, "Tracer"]), "falls through")
    yield Case(([("Tracer", FALLS)], [], ["Tracer"]), "nothing left")
    yield Case(([("CPU", FALLS)], [], ["CPU"]), "nothing left")
    yield Case(([("CPU", FALLS), ("Undefined", FALLS)], [], ["CPU", "BackendSelect"]), "nothing left")
    yield Case(([("Undefined", RUNS)], [], []), "nothing left")
    yield Case(([("Undefined", FALLS)], [], []), "nothing left")
    for _ in range(30):
        keys = _keys_of_one_backend(rng)
        yield Case((_registered(rng, keys), _registered(rng, keys), keys), "falls through")


def _lower(rng: random.Random) -> Iterator[Case]:
    yield Case(([("AutogradCPU", RUNS), ("CPU", FALLS)], [], ["CPU", "AutogradCPU"]), "below")
    yield Case(
        ([("AutogradCPU", RUNS), ("CPU", RUNS)], [("ADInplaceOrView", FALLS), ("BackendSelect", FALLS)],
         [*TENSOR, "BackendSelect"]),
        "below",
    )  # fmt: skip
    yield Case(([("CPU", RUNS)], [("ADInplaceOrView", FALLS)], list(TENSOR)), "below")
    for backends, kernels in [
        (("CPU", "CUDA"), [("CPU", RUNS), ("CUDA", FALLS)]), (("CPU", "CUDA"), [("CPU", FALLS), ("CUDA", RUNS)]),
        (("CPU", "Meta"), [("CPU", RUNS)]), (("CPU", "PrivateUse1", "Meta"), [("CPU", FALLS), ("Meta", FALLS)]),
    ]:  # fmt: skip
        yield Case((kernels, [], list(backends)), "several backends")
        autograd = [(f"Autograd{backend}", kind) for backend, kind in kernels]
        yield Case((kernels + autograd, [], [*backends, f"Autograd{backends[0]}"]), "several backends")
    for _ in range(12):
        keys = _keys_of_one_backend(rng)
        yield Case(([(max(keys, key=len), RUNS)], [(key, FALLS) for key in keys], keys), "below")
    for _ in range(18):
        several = rng.sample(BACKENDS, rng.randint(2, 3))
        keys = [*several, *(f"Autograd{backend}" for backend in several[1:]), *rng.sample(ONE_EACH, 2)]
        yield Case((_registered(rng, keys), _registered(rng, keys), rng.sample(keys, len(keys))), "several backends")


HINTS = {
    "stays": "a key whose own kernel is no fallthrough stays; the operator's kernel goes before a fallback",
    "falls through": "walk down from the highest key: each key whose kernel is a fallthrough goes, whether it is the "
    "operator's own or a backend fallback",
    "missing": "no kernel (None) is no fallthrough: the call stops there, with an error, and must not go on below",
    "nothing left": "a fallthrough goes even if it is the last key: then only backend bits are left, or nothing, and "
    "the walk ends",
    "below": "the walk does not end at the first kernel that runs: it may redispatch, and must meet no fallthrough",
    "several backends": "at a functionality with several backends only the kernel of the highest one counts; the "
    "functionality stays or goes as a whole, and backend bits stay",
    "type": "return an int: the bits that are left",
    "returned None": "the function ends without `return`",
    "raised": "there is nothing to refuse here",
}

DISPATCH_KEY_SET = Check(
    "dispatch.dispatcher.dispatch_key_set",
    ("kernels", "fallbacks", "keys"),
    (Aspect("ordinary", 3, _highest), Aspect("below", 2, _lower)),
    HINTS,
    probe="dispatch.resolving.kept_keys",
)

CHECKS = (DISPATCH_KEY_SET,)
