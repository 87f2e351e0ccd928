"""Check of the computed table: one entry of it (engine/dispatch/table.py)."""

import random
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.dispatch.keys.check import AUTOGRAD, BACKENDS, FUNCTIONALITIES
from engine.dispatch.keys import DispatchKey as K

BACKEND_KEYS = (*BACKENDS, "QuantizedCPU")
NONFUNCTIONAL, EXPLICIT = "CompositeExplicitAutogradNonFunctional", "CompositeExplicitAutograd"
IMPLICIT, ALIAS, BATCHED = "CompositeImplicitAutograd", "Autograd", "FuncTorchBatchedDecomposition"
FALLS = " falls through"
PLAIN = tuple(key for key in FUNCTIONALITIES if key not in ("AutogradOther", "FuncTorchBatched"))


def _case(rng: random.Random, kernels: Sequence[str], fallbacks: Sequence[str], key: str, about: str) -> Case:
    """Make a case with the kernels in any order: which was registered first does not matter."""
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
    for exact in ("Undefined", "QuantizedCPU", "AutogradOther", "FuncTorchBatched"):
        yield Case(((exact, "CPU"), (exact,), exact), "direct")
        yield Case((("CPU",), (exact,), exact), "fallback")
    for _ in range(18):
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
        ((IMPLICIT,), "QuantizedCPU", "implicit"), ((IMPLICIT, EXPLICIT), "QuantizedCPU", "order"),
        ((EXPLICIT + FALLS,), "CPU", "explicit"), ((IMPLICIT + FALLS,), "CPU", "implicit"),
        ((EXPLICIT, "CPU" + FALLS), "CPU", "direct first"), ((IMPLICIT, NONFUNCTIONAL), "Undefined", "order"),
    ]:  # fmt: skip
        yield Case((kernels, (), key), about)
    for alias in (EXPLICIT, IMPLICIT, NONFUNCTIONAL):
        for key in ("CPU", "Undefined"):
            yield Case(((alias,), (key,), key), "implicit" if alias is IMPLICIT else "explicit")
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
        ((ALIAS, IMPLICIT, EXPLICIT), "AutogradCPU", "explicit below"), ((IMPLICIT, "CUDA"), "AutogradCPU", "math"),
        ((IMPLICIT, EXPLICIT), "AutogradOther", "explicit below"), ((ALIAS, "CPU"), "AutogradCPU", "alias"),
        ((ALIAS, IMPLICIT, NONFUNCTIONAL), "AutogradMeta", "math"), ((ALIAS, EXPLICIT), "AutogradOther", "alias"),
        ((IMPLICIT, "CPU"), "AutogradOther", "math"),
    ]:  # fmt: skip
        for alone in ((), (key,)):
            yield Case((kernels, alone, key), about)
    for backend in BACKENDS[1:]:
        yield Case(((IMPLICIT, backend), (), f"Autograd{backend}"), "backend below")
        yield Case(((IMPLICIT, "CPU"), (f"Autograd{backend}",), f"Autograd{backend}"), "math")
    for _ in range(11):
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
        ((IMPLICIT, "QuantizedCPU" + FALLS), "AutogradOther", "ambiguous"),
        ((BATCHED,), "FuncTorchVmapMode", "not served"),
        ((BATCHED, IMPLICIT, EXPLICIT), "FuncTorchBatched", "batched"),
    ]:  # fmt: skip
        for alone in ((), (key,)):
            yield Case((kernels, alone, key), about)
    for kernels in ((IMPLICIT, "QuantizedCPU"), (ALIAS,), (BATCHED,)):
        for key in ("AutogradOther", "FuncTorchBatched"):
            yield Case((kernels, ("CPU",), key), "dicts", "dispatch.table.afterwards")
    for key in ("CPU", "Tracer"):
        yield Case((("CUDA",), (key,), key), "dicts", "dispatch.table.afterwards")
        yield Case(((key,), (key,), key), "dicts", "dispatch.table.afterwards")
    for _ in range(12):
        more = _some(rng, (*BACKENDS, "Tracer"))
        implicit = [IMPLICIT, "QuantizedCPU", *more, *_some(rng, (ALIAS, EXPLICIT, BATCHED))]
        yield _case(rng, implicit, _some(rng, ("AutogradOther", "CPU")), "AutogradOther", "ambiguous")
        batched = [BATCHED, *more, *_some(rng, (ALIAS, EXPLICIT, IMPLICIT))]
        yield _case(rng, batched, _some(rng, ("FuncTorchBatched", "CPU")), "FuncTorchBatched", "batched")


of_engine = import_module("engine.dispatch.table")
Rule = Callable[[set, set, Any], tuple[Any, str]]
HIDES_NOTHING = ("backend", "explicit")  # what makes the composite step back


def _rule(order: Sequence[str], steps_back: Sequence[str] = HIDES_NOTHING, ambiguous: bool = True,
          serves: Callable = of_engine.serves) -> Rule:  # fmt: skip
    """Build the rule of the docstring, or a mistaken one: which questions are asked in which order."""
    explicit = [(K.CompositeExplicitAutogradNonFunctional, "default"), (K.CompositeExplicitAutograd, "default")]
    simple = {"autograd": (K.Autograd, "autograd"), "batched": (K.FuncTorchBatchedDecomposition, "batched")}

    def rule(kernels: set, fallbacks: set, key: Any) -> tuple[Any, str]:
        has_below = any(backend in kernels for backend in of_engine.backend_of_autograd(key))
        for question in order:
            if question == "kernel" and key in kernels:
                return key, "kernel"
            if question == "default":
                for alias, origin in explicit:
                    if alias in kernels and serves(alias, key):
                        return alias, origin
            implicit = K.CompositeImplicitAutograd
            if question == "math" and implicit in kernels and serves(implicit, key):
                if ambiguous and has_below and key is K.AutogradOther:
                    return None, "ambiguous"
                is_hiding = has_below and "backend" in steps_back
                is_hiding |= K.CompositeExplicitAutograd in kernels and "explicit" in steps_back
                if not is_hiding:
                    return implicit, "math"
            if question in simple:
                alias, origin = simple[question]
                if alias in kernels and serves(alias, key):
                    return alias, origin
            if question == "fallback" and key in fallbacks:
                return key, "fallback"
        return None, "missing"

    return rule


ORDER = ("kernel", "default", "math", "autograd", "batched", "fallback")


def _gives(rule: Rule) -> Callable:
    """Build a `Mistake.shows`: the answer is what this rule gives."""

    def shows(args: tuple, wanted: Any, got: Any) -> bool:
        kernels, fallbacks = ({K[name.removesuffix(FALLS)] for name in names} for names in args[:2])
        key, origin = rule(kernels, fallbacks, K[args[2]])
        kind = "fallback" if origin == "fallback" else "kernel"
        answer = {"kernel": key and f"{kind} at {key.name}", "origin": origin}
        given, right = ({name: one.value[name] for name in answer} for one in (got, wanted))
        return given == answer != right

    return shows


MISTAKES = (
    Mistake(
        "the tuple (kernel, origin) comes back",
        lambda args, wanted, got: got.value[0] == "not a tuple of two",
    ),
    Mistake(
        "a fallback comes last: a kernel that is above it in the docstring's list serves this key",
        lambda args, wanted, got: (
            got.value["origin"] == "fallback" != wanted.value["origin"]
            and got.value["kernel"] == f"fallback at {args[2]}"
            and wanted.value["kernel"] is not None
        ),
    ),
    Mistake(
        "an alias serves only its own runtime keys: ask `serves(alias, key)`",
        _gives(_rule(ORDER, serves=lambda alias, key: True)),
    ),
    Mistake(
        "a call without tensors goes to Undefined, which the three Composite aliases serve as well: ask "
        "`serves(alias, key)`",
        _gives(_rule(ORDER, serves=of_engine.is_in_alias)),
    ),
    Mistake(
        "CompositeImplicitAutograd is passed over where CompositeExplicitAutograd has a kernel, also at keys that this "
        "one does not serve",
        _gives(_rule(("kernel", "math", "default", "autograd", "batched", "fallback"), ("backend",))),
    ),
    Mistake(
        "CompositeImplicitAutograd comes before the alias Autograd",
        _gives(_rule(("kernel", "default", "autograd", "math", "batched", "fallback"))),
    ),
    Mistake(
        "the backend below this Autograd key has a kernel, which CompositeImplicitAutograd must not hide: go on in "
        "the docstring's list, or, at AutogradOther, answer ambiguous",
        _gives(_rule(ORDER, ("explicit",), ambiguous=False)),
    ),
    Mistake(
        "at AutogradOther, which several backends share, a kernel of one of them makes the answer (None, 'ambiguous'), "
        'unless something above "math" in the docstring\'s list serves the key',
        lambda args, wanted, got: wanted.value["origin"] == "ambiguous" != got.value["origin"],
    ),
    Mistake(
        "only AutogradOther is ambiguous, and only if CompositeImplicitAutograd and one of the backends that share it "
        'have kernels, and nothing above "math" in the docstring\'s list serves the key',
        lambda args, wanted, got: got.value["origin"] == "ambiguous" != wanted.value["origin"],
    ),
    Mistake(
        "a kernel at CompositeExplicitAutograd is one for every backend, so CompositeImplicitAutograd steps back at "
        'the Autograd keys: go on with "autograd"',
        _gives(_rule(ORDER, ("backend",))),
    ),
    Mistake(
        "a kernel that falls through is a kernel as any other here: skipping it is not done in this function",
        lambda args, wanted, got: (
            any(name.endswith(FALLS) for name in args[0])
            and wanted.value["kernel"] is not None
            and f"{wanted.value['kernel']}{FALLS}".removeprefix("kernel at ") in args[0]
        ),
    ),
    Mistake(
        "the kernel is right and the origin is not: see the list in the docstring",
        lambda args, wanted, got: (
            got.value["kernel"] == wanted.value["kernel"] is not None and got.value["origin"] != wanted.value["origin"]
        ),
    ),
)


COMPUTED_KERNEL = Check(
    "dispatch.table.computed_kernel",
    ("kernels", "fallbacks", "key"),
    (
        Aspect("direct", 2, _direct),
        Aspect("composite", 4, _composite, needs="direct"),
        Aspect("autograd", 4, _autograd, needs="direct"),
        Aspect("rare", 2, _rare, needs="direct"),
    ),
    {
        "direct": "the operator has a kernel at this very key: nothing goes before it, a fallback least of all",
        "direct first": "a kernel at the key itself goes before every alias and before the fallback",
        "falls through": "a kernel that falls through is in the table as any other: skipping it is not done here",
        "missing": 'no kernel, no alias and no fallback serves this key: (None, "missing")',
        "fallback": "the operator has nothing for this key: the fallback of the key, and of no other",
        "explicit": "CompositeExplicitAutograd serves every backend that has no kernel of its own",
        "implicit": "CompositeImplicitAutograd serves every backend that has nothing better",
        "order": "of the aliases that serve this key the first in the list of the docstring counts",
        "undefined": "a call without tensors goes to Undefined, which the three Composite aliases serve too",
        "not served": "an alias serves only its own runtime keys: ask `serves(alias, key)`",
        "math": "nothing below this Autograd key has a kernel of its own: the operators that the composite calls know "
        "their derivatives",
        "backend below": "the backend below this Autograd key has a kernel: CompositeImplicitAutograd must not hide it",
        "explicit below": "CompositeExplicitAutograd is below every Autograd key, as a kernel of the backend would be",
        "alias": "the alias Autograd serves all Autograd keys, after CompositeImplicitAutograd and before the fallback",
        "ambiguous": "AutogradOther is for backends without an Autograd key of their own; one of them has a kernel",
        "dicts": "`kernels` and `fallbacks` are the caller's: nothing is added or taken away",
        "batched": "FuncTorchBatchedDecomposition serves FuncTorchBatched, before the fallback",
        "returned None": "the function ends without `return`",
        "raised": "every key has an entry, if only a missing one",
    },
    probe="dispatch.table.computed_kernel",
    mistakes=MISTAKES,
)

CHECKS = (COMPUTED_KERNEL,)
