"""Check of the computed table: one entry of it (engine/dispatch/table.py)."""

import random
from collections.abc import Iterator, Sequence

from autograder.examine.model import Aspect, Case, Check
from autograder.labs.dispatch.keys.check import AUTOGRAD, BACKENDS, FUNCTIONALITIES

BACKEND_KEYS = (*BACKENDS, "QuantizedCPU")
NONFUNCTIONAL, EXPLICIT = "CompositeExplicitAutogradNonFunctional", "CompositeExplicitAutograd"
IMPLICIT, ALIAS, BATCHED = "CompositeImplicitAutograd", "Autograd", "FuncTorchBatchedDecomposition"
FALLS = " falls through"
PLAIN = tuple(key for key in FUNCTIONALITIES if key not in ("AutogradOther", "FuncTorchBatched"))


def _case(rng: random.Random, kernels: Sequence[str], fallbacks: Sequence[str], key: str, about: str) -> Case:
    """In any order: which was registered first does not matter."""
    return Case((tuple(rng.sample(kernels, len(kernels))), tuple(fallbacks), key), about)


def _some(rng: random.Random, pool: Sequence[str], chance: float = 0.4) -> list[str]:
    return [key for key in pool if rng.random() < chance]


def _direct(rng: random.Random) -> Iterator[Case]:
    yield Case((("CPU",), (), "CPU"), "direct")
    yield Case((("CPU", "CUDA"), (), "CUDA"), "direct")
    yield Case((("CPU",), (), "CUDA"), "missing")
    yield Case(((), (), "Undefined"), "missing")
    yield Case((("CPU",), (), "Undefined"), "missing")
    yield Case(((), ("CPU",), "CPU"), "fallback")
    yield Case(((), ("CPU",), "CUDA"), "missing")
    yield Case((("CPU",), ("CPU",), "CPU"), "direct")
    yield Case((("CPU",), ("AutogradCPU",), "AutogradCPU"), "fallback")
    yield Case((("Tracer",), ("Tracer", "CPU"), "Tracer"), "direct")
    yield Case((("CPU" + FALLS,), (), "CPU"), "falls through")
    yield Case((("CPU" + FALLS,), ("CPU",), "CPU"), "falls through")
    yield Case((("CPU",), ("BackendSelect" + FALLS,), "BackendSelect"), "fallback")
    for _ in range(20):
        key = rng.choice((*BACKENDS, *AUTOGRAD, *PLAIN))
        others = rng.sample([other for other in (*BACKENDS, *AUTOGRAD, *PLAIN) if other != key], 4)
        yield _case(rng, [key, *others[:2]], _some(rng, (key, *others[2:])), key, "direct")
        yield _case(rng, [key + FALLS, *others[:1]], _some(rng, (key, *others[2:])), key, "falls through")
        yield _case(rng, others[:2], [key, *others[2:]], key, "fallback")
        yield _case(rng, others[:2], others[2:], key, "missing")


def _composite(rng: random.Random) -> Iterator[Case]:
    for kernels, key, about in [
        ((EXPLICIT,), "CPU", "explicit"), ((IMPLICIT,), "CPU", "implicit"), ((NONFUNCTIONAL,), "CPU", "explicit"),
        ((EXPLICIT,), "Undefined", "undefined"), ((IMPLICIT,), "Undefined", "undefined"),
        ((NONFUNCTIONAL,), "Undefined", "undefined"), ((EXPLICIT, "CPU"), "CPU", "direct first"),
        ((IMPLICIT, "CPU"), "CPU", "direct first"), ((IMPLICIT, "CPU"), "CUDA", "implicit"),
        ((IMPLICIT, EXPLICIT), "CPU", "order"), ((EXPLICIT, NONFUNCTIONAL), "CPU", "order"),
        ((IMPLICIT, EXPLICIT), "Undefined", "order"), ((IMPLICIT, "QuantizedCPU"), "CPU", "implicit"),
        ((IMPLICIT, "CPU"), "Undefined", "undefined"), ((EXPLICIT,), "QuantizedCPU", "explicit"),
        ((EXPLICIT,), "Tracer", "not served"), ((IMPLICIT,), "Tracer", "not served"),
        ((NONFUNCTIONAL,), "BackendSelect", "not served"), ((IMPLICIT, "QuantizedCPU"), "Undefined", "undefined"),
    ]:  # fmt: skip
        yield Case((kernels, (), key), about)
    for _ in range(12):
        backend, other = rng.sample(BACKENDS, 2)
        explicit = rng.choice((EXPLICIT, NONFUNCTIONAL))
        fallbacks = _some(rng, (backend, other, "Tracer"), 0.6)
        yield _case(rng, [explicit, *_some(rng, (other, "QuantizedCPU", IMPLICIT))], fallbacks, backend, "explicit")
        yield _case(
            rng, [IMPLICIT, *_some(rng, (other, "Tracer", f"Autograd{backend}"))], fallbacks, backend, "implicit"
        )
        yield _case(rng, [EXPLICIT, NONFUNCTIONAL, *_some(rng, (other, IMPLICIT))], fallbacks, backend, "order")
        yield _case(rng, [rng.choice((EXPLICIT, IMPLICIT, NONFUNCTIONAL)), backend], fallbacks, backend, "direct first")
        served = rng.sample((EXPLICIT, IMPLICIT, NONFUNCTIONAL, ALIAS), 2)
        yield _case(rng, served, _some(rng, PLAIN), rng.choice(PLAIN), "not served")


def _autograd(rng: random.Random) -> Iterator[Case]:
    for kernels, key, about in [
        ((IMPLICIT,), "AutogradCPU", "math"), ((IMPLICIT, "CPU"), "AutogradCPU", "backend below"),
        ((IMPLICIT, "CPU"), "AutogradCUDA", "math"), ((IMPLICIT, EXPLICIT), "AutogradCPU", "explicit below"),
        ((IMPLICIT, NONFUNCTIONAL), "AutogradCPU", "math"), ((EXPLICIT,), "AutogradCPU", "not served"),
        ((ALIAS,), "AutogradCPU", "alias"), ((ALIAS, IMPLICIT), "AutogradCPU", "math"),
        ((ALIAS, "AutogradCPU"), "AutogradCPU", "direct first"),
        ((ALIAS, IMPLICIT, "CPU"), "AutogradCPU", "backend below"),
        ((ALIAS,), "AutogradMeta", "alias"), ((ALIAS,), "CPU", "not served"), ((ALIAS,), "Undefined", "not served"),
        ((IMPLICIT, "CPU" + FALLS), "AutogradCPU", "backend below"), ((IMPLICIT,), "AutogradOther", "math"),
        ((ALIAS,), "AutogradOther", "alias"), ((ALIAS,), "Tracer", "not served"),
    ]:  # fmt: skip
        for alone in ((), (key,)):
            yield Case((kernels, alone, key), about)
    for _ in range(14):
        backend, other = rng.sample(BACKENDS, 2)
        key = f"Autograd{backend}"
        fallbacks = _some(rng, (key, backend, "Tracer"), 0.6)
        more = _some(rng, (ALIAS, f"Autograd{other}", "Tracer"))
        yield _case(rng, [IMPLICIT, *more, *_some(rng, (other, NONFUNCTIONAL))], fallbacks, key, "math")
        yield _case(rng, [IMPLICIT, backend, *more], fallbacks, key, "backend below")
        yield _case(rng, [IMPLICIT, EXPLICIT, *more], fallbacks, key, "explicit below")
        yield _case(rng, [ALIAS, *_some(rng, (backend, other, EXPLICIT, NONFUNCTIONAL))], fallbacks, key, "alias")
        yield _case(rng, [key, *_some(rng, (ALIAS, IMPLICIT, EXPLICIT, backend))], fallbacks, key, "direct first")


def _rare(rng: random.Random) -> Iterator[Case]:
    for kernels, key, about in [
        ((IMPLICIT, "QuantizedCPU"), "AutogradOther", "ambiguous"),
        ((ALIAS, IMPLICIT, "QuantizedCPU"), "AutogradOther", "ambiguous"),
        ((IMPLICIT, "QuantizedCPU", "AutogradOther"), "AutogradOther", "direct first"),
        ((ALIAS, "QuantizedCPU"), "AutogradOther", "alias"), ((IMPLICIT, "QuantizedCPU"), "AutogradCPU", "math"),
        ((IMPLICIT, EXPLICIT, "QuantizedCPU"), "AutogradOther", "ambiguous"),
        ((BATCHED,), "FuncTorchBatched", "batched"), ((BATCHED,), "CPU", "not served"),
        ((BATCHED, "FuncTorchBatched"), "FuncTorchBatched", "direct first"), ((BATCHED,), "Undefined", "not served"),
        ((IMPLICIT,), "FuncTorchBatched", "not served"), ((BATCHED, ALIAS), "AutogradCPU", "alias"),
    ]:  # fmt: skip
        for alone in ((), (key,)):
            yield Case((kernels, alone, key), about)
    for _ in range(12):
        more = _some(rng, (*BACKENDS, "Tracer"))
        implicit = [IMPLICIT, "QuantizedCPU", *more, *_some(rng, (ALIAS, EXPLICIT, BATCHED))]
        yield _case(rng, implicit, _some(rng, ("AutogradOther", "CPU")), "AutogradOther", "ambiguous")
        batched = [BATCHED, *more, *_some(rng, (ALIAS, EXPLICIT, IMPLICIT))]
        yield _case(rng, batched, _some(rng, ("FuncTorchBatched", "CPU")), "FuncTorchBatched", "batched")


COMPUTED_KERNEL = Check(
    "dispatch.table.computed_kernel",
    ("kernels", "fallbacks", "key"),
    (
        Aspect("direct", 2, _direct),
        Aspect("composite", 3, _composite, needs="direct"),
        Aspect("autograd", 3, _autograd, needs="direct"),
        Aspect("rare", 2, _rare, needs="direct"),
    ),
    {
        "direct": "the operator has a kernel at this very key: nothing goes before it, a fallback least of all",
        "direct first": "a kernel at the key itself goes before every alias and before the fallback",
        "falls through": "a kernel that falls through stands in the table as any other: skipping it is not done here",
        "missing": 'no kernel, no alias and no fallback serves this key: (None, "missing")',
        "fallback": "the operator has nothing for this key: the fallback of the key, and of no other",
        "explicit": "CompositeExplicitAutograd serves every backend that has no kernel of its own",
        "implicit": "CompositeImplicitAutograd serves every backend that has nothing better",
        "order": "of the aliases that serve this key the first in the list of the docstring counts",
        "undefined": "a call without tensors goes to Undefined, which the three Composite aliases serve too",
        "not served": "an alias serves only its own runtime keys: ask `serves(alias, key)`",
        "math": "nothing of its own stands below this Autograd key: the operators that the kernel calls know their "
        "derivatives",
        "backend below": "the backend below this Autograd key has a kernel: CompositeImplicitAutograd must not hide it",
        "explicit below": "CompositeExplicitAutograd stands below every Autograd key, as a kernel of the backend would",
        "alias": "the alias Autograd serves all Autograd keys, after CompositeImplicitAutograd and before the fallback",
        "ambiguous": "AutogradOther stands for backends without an Autograd key of their own; one of them has a kernel",
        "batched": "FuncTorchBatchedDecomposition serves FuncTorchBatched, before the fallback",
        "type": "return two things: a Kernel or None, and the origin as a string",
        "returned None": "the function ends without `return`",
        "raised": "every key has an entry, if only a missing one",
    },
    probe="dispatch.table.computed_kernel",
)

CHECKS = (COMPUTED_KERNEL,)
