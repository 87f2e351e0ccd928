"""Checks of dispatch keys as bits, and of the key set of a call (engine/dispatch/keys.py, boxing.py)."""

import random
from collections.abc import Iterator, Sequence

from autograder.examine.model import Aspect, Case, Check

BACKENDS = ("CPU", "CUDA", "PrivateUse1", "Meta")  # from the lowest to the highest
DENSE = BACKENDS
AUTOGRAD = tuple(f"Autograd{backend}" for backend in BACKENDS)
FUNCTIONALITIES = (
    "BackendSelect", "Python", "Functionalize", "ADInplaceOrView", "AutogradOther", "Tracer", "AutocastCPU",
    "AutocastCUDA", "FuncTorchBatched", "FuncTorchVmapMode",
)  # fmt: skip
WITHOUT_BACKEND = ("Dense", "Quantized", "AutogradFunctionality")  # half of a key: a functionality, but where?
RUNTIME = (*DENSE, "QuantizedCPU", *AUTOGRAD, *FUNCTIONALITIES)
ALIASES = (
    "Autograd", "CompositeImplicitAutograd", "FuncTorchBatchedDecomposition", "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
)  # fmt: skip


def _bits_ordinary(rng: random.Random) -> Iterator[Case]:
    yield Case(("Undefined",), "undefined")
    keys = [*RUNTIME, *WITHOUT_BACKEND]
    for key in (*keys, *rng.choices(keys, k=20)):
        yield Case((key,), "one backend" if key in (*DENSE, "QuantizedCPU", *AUTOGRAD) else "everywhere")


def _bits_refusals(rng: random.Random) -> Iterator[Case]:
    for alias in (*ALIASES, *rng.choices(ALIASES, k=35)):
        yield Case((alias,), "alias")


BITS = Check(
    "dispatch.keys.bits",
    ("key",),
    (Aspect("ordinary", 2, _bits_ordinary), Aspect("refusals", 1, _bits_refusals, needs="ordinary")),
    {
        "undefined": "Undefined stands for no key at all: its set is empty",
        "one backend": "this key has two bits: `to_functionality_key(key)` and `to_backend_component(key)` say which; "
        "its own number is the number of no bit",
        "everywhere": "this key is the same on all backends: it has the bit of its functionality and no other",
        "alias": "an alias key stands for several runtime keys: RuntimeError",
        "type": "return an int: the set of bits",
        "returned None": "the function ends without `return`",
        "raised": "this is a runtime key: it has a bit",
        "not raised": "alias keys are refused: Autograd, and all that are greater",
    },
    probe="dispatch.keys.bits",
)


def _several(rng: random.Random, *pools: Sequence[str]) -> tuple[str, ...]:
    """One key of each pool, in any order."""
    keys = [rng.choice(pool) for pool in pools]
    return tuple(rng.sample(keys, len(keys)))


def _highest_ordinary(rng: random.Random) -> Iterator[Case]:
    for keys, about in [
        (("CPU",), "one backend"), (("Tracer",), "everywhere"), (("Meta",), "one backend"),
        (("CPU", "AutogradCPU"), "one backend"), (("CUDA", "AutogradCUDA"), "one backend"),
        (("CPU", "Tracer"), "everywhere"), (("CPU", "ADInplaceOrView", "AutogradCPU"), "one backend"),
        (("CPU", "AutocastCPU", "AutogradCPU"), "everywhere"), (("CPU", "BackendSelect"), "everywhere"),
    ]:  # fmt: skip
        yield Case((keys,), about)
    for backend in BACKENDS:
        yield Case(((backend, "Python", f"Autograd{backend}", "ADInplaceOrView"),), "one backend")
    for _ in range(25):
        yield Case((_several(rng, DENSE, AUTOGRAD, FUNCTIONALITIES[:4]),), "one backend")
        yield Case((_several(rng, DENSE, AUTOGRAD, FUNCTIONALITIES[5:], FUNCTIONALITIES),), "everywhere")
        yield Case((_several(rng, DENSE, DENSE, AUTOGRAD),), "several backends")


def _highest_edge(rng: random.Random) -> Iterator[Case]:
    yield Case(((),), "nothing")
    yield Case((("CPU bit",),), "only backends")
    yield Case((("CPU bit", "Meta bit"),), "only backends")
    yield Case((("CUDA bit", "Tracer"),), "everywhere")
    yield Case((("CPU", "CUDA bit"),), "several backends")
    for key in WITHOUT_BACKEND:
        yield Case(((key,),), "no backend")
        yield Case((("ADInplaceOrView", "Tracer", key),), "everywhere")
    for backend in BACKENDS[1:]:
        yield Case((("QuantizedCPU", backend),), "no such key")
        yield Case((("Quantized", backend),), "no such key")
    yield Case((("QuantizedCPU",),), "one backend")
    yield Case((("QuantizedCPU", "CPU"),), "one backend")
    yield Case((("AutogradOther", "QuantizedCPU", "Meta"),), "everywhere")
    for _ in range(15):
        yield Case((_several(rng, ("AutogradFunctionality",), FUNCTIONALITIES[:4]),), "no backend")
        yield Case((_several(rng, ("Dense",), ("Quantized", "Dense")),), "no backend")
        yield Case((_several(rng, ("QuantizedCPU",), DENSE[1:], DENSE),), "no such key")


HIGHEST_KEY = Check(
    "dispatch.keys.highest_key",
    ("keys",),
    (Aspect("ordinary", 2, _highest_ordinary), Aspect("edge", 2, _highest_edge, needs="ordinary")),
    {
        "one backend": "the highest functionality bit is one of PER_BACKEND: the key is named there, by backend",
        "several backends": "several backends are in this set: the highest bit counts among them too",
        "everywhere": "the highest functionality bit is that of a key that is the same on all backends: it is the key",
        "only backends": "backend bits without any functionality, as they are left behind: Undefined",
        "nothing": "an empty set: Undefined",
        "no backend": "a functionality that has a key for each backend, and no backend in the set: Undefined",
        "no such key": "PER_BACKEND names no key for this functionality at this backend: Undefined",
        "type": "return a member of DispatchKey: `DispatchKey(number)` makes one of a number",
        "returned None": "the function ends without `return`",
        "raised": "every set has a highest key, if only Undefined",
    },
    probe="dispatch.keys.highest_key",
)


def _tensor(rng: random.Random, *keys: str) -> str:
    """A tensor as the probe makes it: with these keys, or those that tensors of some backend have."""
    if not keys:
        backend = rng.choice(BACKENDS)
        keys = (backend, "ADInplaceOrView", f"Autograd{backend}") if rng.random() < 0.7 else (backend,)
    return f"tensor({', '.join(keys)})"


def _other(rng: random.Random) -> object:
    return rng.choice([None, True, 0, 2, -1, 0.5, "mean", "Meta", (), [], (1, 2), [3]])


def _stack_ordinary(rng: random.Random) -> Iterator[Case]:
    for stack, about in [
        (["tensor(CPU)"], "one"), (["tensor(CPU, AutogradCPU)"], "one"), (["tensor(CPU)", "tensor(CUDA)"], "all"),
        (["tensor(CPU)", "tensor(CPU, AutogradCPU)"], "all"), (["tensor(Meta)", "tensor(CPU, Tracer)", 2], "all"),
        ([2, "tensor(CPU)"], "others"), (["tensor(CPU)", None, "mean", 0.5], "others"),
    ]:  # fmt: skip
        yield Case((stack, (), ()), about)
    for count in (1, 2, 2, 3, 4) * 12:
        tensors = [_tensor(rng) for _ in range(count)]
        stack = [*tensors[:1], *([_other(rng)] if rng.random() < 0.6 else []), *tensors[1:]]
        yield Case((stack, (), ()), "all" if len(set(tensors)) > 1 else "one")


def _stack_edge(rng: random.Random) -> Iterator[Case]:
    for stack, about in [
        ([], "no tensors"), ([3], "no tensors"), ([None], "no tensors"), ([[]], "no tensors"), ([[3, 4]], "no tensors"),
        ([["tensor(CPU)"]], "list"), ([("tensor(CPU)",)], "list"), ([["tensor(CPU)", "tensor(Meta)"]], "list"),
        ([[None, "tensor(CPU)"]], "Nones"), ([(None, "tensor(CPU)", None)], "Nones"), ([[None]], "no tensors"),
        (["tensor(CPU)", ["tensor(CUDA)"], 2], "list"), ([["tensor(Meta)"], "tensor(CPU)"], "list"),
        ([["tensor(CPU)"], ["tensor(CUDA)"]], "list"),
    ]:  # fmt: skip
        yield Case((stack, (), ()), about)
    for _ in range(40):
        entries = [_tensor(rng) if rng.random() < 0.7 else None for _ in range(rng.randint(1, 4))]
        made: object = tuple(entries) if rng.random() < 0.5 else entries
        rest = [_tensor(rng) if rng.random() < 0.3 else _other(rng) for _ in range(rng.randint(0, 2))]
        stack = [made, *rest] if rng.random() < 0.6 else [*rest, made]
        yield Case((stack, (), ()), "Nones" if None in entries else "list")


def _stack_thread(rng: random.Random) -> Iterator[Case]:
    cpu = "tensor(CPU, ADInplaceOrView, AutogradCPU, AutocastCPU)"
    for stack, include, exclude, about in [
        (["tensor(CPU)"], ("Tracer",), (), "included"), ([], ("Python",), (), "included"),
        ([], ("CUDA",), (), "included"), ([cpu], (), ("Tracer",), "excluded"),
        ([cpu], (), ("ADInplaceOrView",), "excluded"), ([cpu], (), ("AutogradCPU",), "backend"),
        ([cpu], (), ("AutogradCUDA",), "backend"), ([cpu], (), ("CPU",), "backend"),
        (["tensor(CPU)"], ("Tracer",), ("Tracer",), "both"), ([cpu], ("AutogradCPU",), ("AutogradCPU",), "both"),
        ([], (), ("BackendSelect",), "excluded"), ([], (), ("BackendSelect", "ADInplaceOrView"), "excluded"),
    ]:  # fmt: skip
        yield Case((stack, include, exclude), about)
    for _ in range(40):
        stack = [_tensor(rng) for _ in range(rng.randint(0, 3))]
        include = tuple(rng.sample((*FUNCTIONALITIES, *AUTOGRAD, *DENSE), rng.randint(0, 2)))
        exclude = tuple(rng.sample((*FUNCTIONALITIES, *AUTOGRAD, *include), rng.randint(0 if include else 1, 2)))
        about = "both" if set(include) & set(exclude) else "backend" if set(exclude) & set(AUTOGRAD) else "excluded"
        yield Case((stack, include, exclude), about if exclude else "included")


KEY_SET_OF_STACK = Check(
    "dispatch.boxing.key_set_of_stack",
    ("stack", "include", "exclude"),
    (
        Aspect("ordinary", 3, _stack_ordinary),
        Aspect("edge", 2, _stack_edge, needs="ordinary"),
        Aspect("thread", 2, _stack_thread, needs="ordinary"),
    ),
    {
        "one": "the keys of the tensor, and those that the thread includes for every call",
        "all": "every tensor counts, not only the first one: the union of their keys",
        "others": "numbers, strings and None bring no keys",
        "no tensors": "no tensor brings a key; what the thread includes is there all the same",
        "list": "a list or tuple may hold tensors: each of them brings its keys",
        "Nones": "an entry of a list may be None, the first one too: it has no `_key_set`",
        "included": "`local.state.included` joins the union",
        "excluded": "what the thread excludes is taken away: `& local.state.allowed`",
        "backend": "only functionalities are excluded: the backend's bit stays, other keys need it",
        "both": "a key that is both included and excluded is excluded: take away last",
        "type": "return an int: the bits of the set",
        "returned None": "the function ends without `return`",
        "raised": "there is nothing to refuse: what is no tensor brings no keys",
    },
    probe="dispatch.keys.key_set_of_stack",
)

CHECKS = (BITS, HIGHEST_KEY, KEY_SET_OF_STACK)
