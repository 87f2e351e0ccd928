"""Checks of dispatch keys as bits, and of the key set of a call (engine/dispatch/keys.py, boxing.py)."""

import functools
import operator
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import engine
from autograder.examine.model import Aspect, Case, Check, Mistake
from autograder.labs.dispatch.keys.probe import names_of_bits, set_of
from engine.dispatch.keys import DispatchKey as K

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


def _names(key_set: int) -> list[str]:
    """Return a set as the probes give it: the names of its bits."""
    return names_of_bits(engine, key_set)


def _gives(mistaken: Callable[..., Any]) -> Callable:
    """Build a `Mistake.shows`: the answer is what `mistaken` makes of the case's arguments."""
    return lambda args, wanted, got: not got.raised and got.value == mistaken(*args)


def _bit_names_of(key: str) -> tuple[list[str], list[str]]:
    """Return the names of a key's bits of both kinds: functionality, backend."""
    names = _names(set_of(engine, [key]))
    return [name for name in names if name not in BACKENDS], [name for name in names if name in BACKENDS]


BITS_MISTAKES = (
    Mistake(
        "this is the bit of the key's own number; a key has the bit of its functionality, and of its backend if it has "
        "one: `to_functionality_key(key)` and `to_backend_component(key)`",
        _gives(lambda key: _names(1 << K[key])),
    ),
    Mistake(
        "the functionality's bit is missing: `1 << (functionality + FUNCTIONALITY_SHIFT)`",
        lambda args, wanted, got: (
            not wanted.raised and got.value == _bit_names_of(args[0])[1] != wanted.value and args[0] != "Undefined"
        ),
    ),
    Mistake(
        "the backend's bit is missing: `1 << BACKEND_BITS[backend]`",
        lambda args, wanted, got: (
            not wanted.raised and got.value == _bit_names_of(args[0])[0] != wanted.value and args[0] != "Undefined"
        ),
    ),
    Mistake(
        "functionality f is bit f + FUNCTIONALITY_SHIFT, not bit f: the lower bits are those of the backends",
        _gives(lambda key: _names((set_of(engine, [key]) >> 16 << 1) | (set_of(engine, [key]) & 0xFFFF))),
    ),
    Mistake(
        "Undefined means no key at all: its set is empty, so it has no functionality bit",
        lambda args, wanted, got: args[0] == "Undefined" and not got.raised,
    ),
    Mistake(
        "functionality f is bit f + FUNCTIONALITY_SHIFT, which is one less than 16 + f",
        _gives(lambda key: _names((set_of(engine, [key]) >> 16 << 17) | (set_of(engine, [key]) & 0xFFFF))),
    ),
)


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
        "undefined": "Undefined means no key at all: its set is empty",
        "one backend": "this key has two bits: `to_functionality_key(key)` and `to_backend_component(key)` say which; "
        "its own number is the number of no bit",
        "everywhere": "this key is the same on all backends: it has the bit of its functionality and no other",
        "alias": "an alias key means several runtime keys and is in no set: Autograd, and every key that is "
        "greater, is refused with a RuntimeError",
        "type": "return an int: the set of bits",
        "returned None": "the function ends without `return`",
        "raised": "this is a runtime key, which is not refused",
        "raised another": "it is right to refuse an alias key, but the error is a RuntimeError",
    },
    probe="dispatch.keys.bits",
    mistakes=BITS_MISTAKES,
    program="dispatch.program.run",
)


def _several(rng: random.Random, *pools: Sequence[str]) -> tuple[str, ...]:
    """Draw one key of each pool, in any order."""
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
        for other in BACKENDS:
            if other != backend:
                yield Case(((backend, other),), "several backends")
                yield Case(((f"Autograd{backend}", other),), "several backends")
    for key in FUNCTIONALITIES:
        yield Case((("CPU", "AutogradCPU", key),), "everywhere" if K[key] > K.AutogradFunctionality else "one backend")
        yield Case(((key,),), "everywhere")
    for _ in range(15):
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


def _key(of: Callable[[int], Any]) -> Callable:
    """Build a `Mistake.shows` for `highest_key`: the answer is the key that `of` makes of the set."""
    return _gives(lambda keys: K(of(set_of(engine, keys))).name)


def _functionality(key_set: int) -> int:
    return max(key_set.bit_length() - 16, 0)


def _at(key_set: int, backend: str) -> int:
    """Return the key of a set's highest functionality at a backend."""
    per_backend = engine.dispatch.keys.PER_BACKEND
    functionality = K(_functionality(key_set))
    return per_backend[functionality].get(backend, 0) if functionality in per_backend else functionality


def _backends(key_set: int) -> list[str]:
    """Return the backends of a set, from the lowest to the highest."""
    return [name for name, bit in engine.dispatch.keys.BACKEND_BITS.items() if key_set >> bit & 1]


def _highest_with_a_key(key_set: int) -> int:
    return next((key for name in reversed(_backends(key_set)) if (key := _at(key_set, name))), 0)


def _by_number(key_set: int) -> int:
    return max(engine.dispatch.keys.keys_of(key_set), default=0)


HIGHEST_MISTAKES = (
    Mistake(
        "this is the functionality alone: it has a key of its own at each backend, which PER_BACKEND names",
        lambda args, wanted, got: got.value == K(_functionality(set_of(engine, args[0]))).name,
    ),
    Mistake(
        "at the highest backend of the set this functionality has no key: Undefined. Lower backends are not tried",
        _key(_highest_with_a_key),
    ),
    Mistake(
        "this is the key at the lowest backend of the set: among several backends, too, the highest bit counts",
        _key(lambda key_set: _at(key_set, _backends(key_set)[0])),
    ),
    Mistake(
        "this is the key with the greatest number; the highest bit of the set decides, not the number of a key",
        _key(_by_number),
    ),
    Mistake(
        "this is a number: `DispatchKey(number)` makes a member of DispatchKey of it",
        lambda args, wanted, got: got.value[0] == "not a DispatchKey" and type(got.value[1]) is int,
    ),
)


HIGHEST_KEY = Check(
    "dispatch.keys.highest_key",
    ("keys",),
    (Aspect("ordinary", 3, _highest_ordinary), Aspect("edge", 3, _highest_edge, needs="ordinary")),
    {
        "one backend": "the highest functionality bit is one of PER_BACKEND: the key is named there, by backend",
        "several backends": "several backends are in this set: the highest bit counts among them too",
        "everywhere": "the highest functionality bit is that of a key that is the same on all backends: it is the key",
        "only backends": "backend bits without any functionality, as they are left behind: Undefined",
        "nothing": "an empty set: Undefined",
        "no backend": "a functionality that has a key for each backend, and no backend in the set: Undefined",
        "no such key": "PER_BACKEND names no key for this functionality at this backend: Undefined",
        "type": "return a member of DispatchKey",
        "returned None": "the function ends without `return`",
        "raised": "every set has a highest key, if only Undefined",
    },
    probe="dispatch.keys.highest_key",
    mistakes=HIGHEST_MISTAKES,
    program="dispatch.program.run",
)


def _tensor(rng: random.Random, *keys: str) -> str:
    """Write a tensor as the probe makes it: with these keys, or with the keys of a tensor of some backend."""
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
        (["parameter(CPU, AutogradCPU)"], "subclass"), (["parameter(CUDA)", "tensor(CPU)"], "subclass"),
        ([{"named tuple": ["tensor(CPU)", "tensor(Meta)"]}], "subclass"), ([["parameter(CPU)"]], "subclass"),
        ([{"named tuple": [None, "tensor(CUDA)"]}, 2], "subclass"), ([{"list subclass": ["tensor(CPU)"]}], "subclass"),
        ([[["tensor(CUDA)"]], "tensor(CPU)"], "not deeper"), (["tensor(CPU)", [2, ("tensor(Meta)",)]], "not deeper"),
        ([{"dict": ["tensor(CUDA)"]}, "tensor(CPU)"], "not deeper"),
        ([{"dict of keys": ["tensor(CUDA)"]}, 2], "not deeper"), ([{"set": ["tensor(Meta)"]}], "not deeper"),
        ([{"iterator": ["tensor(CUDA)"]}, "tensor(CPU)"], "not deeper"), ([{"object": ["CUDA"]}], "no tensor"),
        ([{"object": ["Tracer"]}, "tensor(CPU)"], "no tensor"), (["tensor", "_key_set", "CPU"], "no tensors"),
    ]:  # fmt: skip
        yield Case((stack, (), ()), about)
    for stack in (["tensor(CPU)", 2, "tensor(Meta)"], [["tensor(CPU)", None], "tensor(CUDA, Tracer)"], []):
        for exclude in ((), ("Tracer",)):
            yield Case((stack, (), exclude), "afterwards", "dispatch.keys.afterwards")
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


def _union(stack: Sequence, entries_of: Callable = lambda value: value if type(value) in (list, tuple) else [value],
           ) -> int:  # fmt: skip
    """Return the union of the keys of all tensors on a stack and in the lists that `entries_of` looks into."""
    found = 0
    for value in stack:
        for entry in entries_of(value):
            if type(entry) is str and entry.startswith(("tensor(", "parameter(")):
                found |= set_of(engine, entry.partition("(")[2][:-1].split(", "))
    return found


def _everything(value: Any) -> Iterator[Any]:
    """Yield one by one the values in lists, tuples and dicts, however deep."""
    if type(value) is dict:
        value = [*value.values()][0]
    if type(value) in (list, tuple):
        for entry in value:
            yield from _everything(entry)
    else:
        yield value


def _stack(mistaken: Callable[[int, list, int, int], int]) -> Callable:
    """Build a `Mistake.shows`: the answer is what `mistaken` makes of the union, the stack, included and excluded."""
    local = engine.dispatch.local

    def given(stack: list, include: Sequence[str], exclude: Sequence[str]) -> list[str]:
        included = local.DEFAULT_INCLUDED | set_of(engine, include)
        excluded = local.DEFAULT_EXCLUDED | set_of(engine, exclude)
        union = _union(stack, lambda value: _everything(value) if type(value) is dict and "dict" not in value else value
                       if type(value) in (list, tuple) else [value])  # fmt: skip
        return _names(mistaken(union, stack, included, excluded))

    return _gives(given)


def _allowed(excluded: int) -> int:
    return ~excluded | 0xFFFF


def _of_the_first(union: int, stack: list, included: int, excluded: int) -> int:
    return (_union(stack[:1]) | included) & _allowed(excluded)


def _first_tensor(stack: list) -> list:
    return [value for value in map(str, _everything(stack)) if value.startswith(("tensor(", "parameter("))][:1]


def _joins(join: Callable[[int, int], int]) -> Callable:
    """Build a `Mistake.shows`: `join` joins the keys of each argument in turn to the keys that the thread includes."""

    def joined(union: int, stack: list, included: int, excluded: int) -> int:
        tensors = (_union([value]) for value in stack if type(value) is str and "(" in value)
        return functools.reduce(join, tensors, included) & _allowed(excluded)

    return _stack(joined)


def _has_subclass(stack: list) -> bool:
    return any(word in str(stack) for word in ("parameter(", "named tuple", "list subclass"))


def _without_subclasses(union: int, stack: list, included: int, excluded: int) -> int:
    plain = [[entry for entry in value if not str(entry).startswith("parameter(")] if type(value) in (list, tuple)
             else value for value in stack if not str(value).startswith("parameter(")]  # fmt: skip
    return (_union(plain) | included) & _allowed(excluded)


STACK_MISTAKES = (
    *(
        Mistake(f"sets are joined with `|`: `{sign}` {goes_wrong}", _joins(join))
        for sign, join, goes_wrong in (
            ("^", operator.xor, "loses a bit that two of them have"),
            ("+", operator.add, "carries over where two of them have the same bit"),
            ("&", operator.and_, "keeps only what all of them have"),
        )
    ),
    Mistake(
        "what the thread includes is missing: `local.state.included` joins the union",
        _stack(lambda union, stack, included, excluded: union & _allowed(excluded)),
    ),
    Mistake(
        "what the thread excludes is still there: `& local.state.allowed`, at the very end",
        _stack(lambda union, stack, included, excluded: union | included),
    ),
    Mistake(
        "a key that is both included and excluded is excluded: what the thread includes joins the union first",
        _stack(lambda union, stack, included, excluded: union & _allowed(excluded) | included),
    ),
    Mistake(
        "a backend's bit has gone with the key that is excluded: only functionalities are excluded, as in "
        "`local.state.allowed`",
        _stack(lambda union, stack, included, excluded: (union | included) & ~excluded),
    ),
    Mistake(
        "objects of subclasses, as a Parameter or a named tuple, count as well: ask `isinstance`",
        lambda args, wanted, got: _has_subclass(args[0]) and _stack(_without_subclasses)(args, wanted, got),
    ),
    Mistake(
        "only the first argument counts here; every tensor does",
        lambda args, wanted, got: len(args[0]) > 1 and _stack(_of_the_first)(args, wanted, got),
    ),
    Mistake(
        "only the first tensor counts here; every one does: the union of their keys",
        _stack(lambda union, stack, included, excluded: (_union(_first_tensor(stack)) | included) & _allowed(excluded)),
    ),
    Mistake(
        "a tensor in a list or tuple brings its keys, too",
        _stack(
            lambda union, stack, included, excluded: (
                (_union(stack, lambda value: [value]) | included) & _allowed(excluded)
            )
        ),
    ),
    Mistake(
        "lists inside of lists, and dicts, are not looked into: only what is an entry of an argument counts",
        _stack(
            lambda union, stack, included, excluded: (_union([*_everything(stack)]) | included) & _allowed(excluded)
        ),
    ),
)


KEY_SET_OF_STACK = Check(
    "dispatch.boxing.key_set_of_stack",
    ("stack", "include", "exclude"),
    (
        Aspect("ordinary", 4, _stack_ordinary),
        Aspect("edge", 2, _stack_edge, needs="ordinary"),
        Aspect("thread", 2, _stack_thread, needs="ordinary"),
    ),
    {
        "one": "the keys of the tensor, and those that the thread includes for every call",
        "all": "every tensor counts, not only the first one: the union of their keys",
        "others": "numbers, strings and None bring no keys",
        "no tensors": "no tensor brings a key; what the thread includes is there all the same",
        "subclass": "objects of subclasses, as a Parameter or a named tuple, count as well: ask `isinstance`",
        "no tensor": "what is no Tensor has no keys, whatever attributes it has: ask `isinstance(value, Tensor)`",
        "not deeper": "lists inside of lists, and dicts, are not looked into: only the entries of an argument count",
        "afterwards": "the stack is the caller's: nothing in it is changed, nor are its tensors or the thread",
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
    mistakes=STACK_MISTAKES,
    words={
        "stack": "tensor(CPU, Tracer) is a tensor that has these keys in its `_key_set`; parameter(CPU) is the same, "
        "of a class that is derived from Tensor",
        "named tuple": "an object of a class made by `typing.NamedTuple`, with these entries",
        "list subclass": "an object of a class that is derived from list, with these entries",
        "dict": "a dict with these values",
        "dict of keys": "a dict with these keys",
        "iterator": "an iterator that gives these",
        "object": "an object that is no tensor and has a `_key_set`",
    },
)

CHECKS = (BITS, HIGHEST_KEY, KEY_SET_OF_STACK)
