"""Probes of dispatch keys and sets of them: keys are named, sets are shown as the names of their bits."""

from types import SimpleNamespace
from typing import NamedTuple


def bits(engine, key):
    """Return the names of the bits in the set that `bits` returns for the named key."""
    return names_of_bits(engine, engine.dispatch.keys.bits(engine.dispatch.keys.DispatchKey[key]))


def highest_key(engine, keys):
    """Return the name of the key that `highest_key` returns for the set of the named keys."""
    got = engine.dispatch.keys.highest_key(set_of(engine, keys))
    return got.name if type(got) is engine.dispatch.keys.DispatchKey else ("not a DispatchKey", got)


def key_set_of_stack(engine, stack, include, exclude):
    """Return the bit names of `key_set_of_stack` in a thread that also includes and excludes the given keys.

    Args:
        stack: the arguments; "tensor(CPU, Tracer)" stands for a tensor with these keys, "parameter(CPU)" for one of
            a subclass, {"named tuple": [...]}, {"list subclass": [...]}, {"dict": [...]}, {"dict of keys": [...]},
            {"set": [...]} and {"iterator": [...]} for an object with these entries, {"object": [...]} for another
            one with a `_key_set`; in lists and tuples too.
        include, exclude: names of keys, beside what every thread includes and excludes.
    """
    return _asked(engine, stack, include, exclude)["key set"]


def afterwards(engine, stack, include, exclude):
    """Return {"key set": the bit names of `key_set_of_stack`, "afterwards": what the call has changed}."""
    return _asked(engine, stack, include, exclude)


def _asked(engine, stack, include, exclude):
    keys, local = engine.dispatch.keys, engine.dispatch.local
    tensors = []
    made = [_argument(engine, value, tensors) for value in stack]
    contents, key_sets = _contents(made), [tensor._key_set for tensor in tensors]
    before = local.local.state
    local.local.state = state = local.state_of(
        before.included | set_of(engine, include), before.excluded | set_of(engine, exclude)
    )
    try:
        got = engine.dispatch.boxing.key_set_of_stack(made)
        is_changed = local.local.state is not state
    finally:
        local.local.state = before
    changed = [
        *["the stack is another"] * (_contents(made) != contents),
        *["a tensor has other keys"] * ([tensor._key_set for tensor in tensors] != key_sets),
        *["the thread has other keys"] * is_changed,
    ]
    found = ("a DispatchKeySet", []) if type(got) is keys.DispatchKeySet else names_of_bits(engine, got)
    return {"key set": found, "afterwards": changed or "nothing is changed"}


def _contents(stack):
    """Return the identity of everything on a stack, lists and what is in them included."""
    return [
        (id(value), [id(entry) for entry in value] if isinstance(value, (list, tuple)) else None) for value in stack
    ]


def set_of(engine, names):
    """Return the union of the named keys as the bits of an int, independently of the student's code."""
    key_set = 0
    for name in names:
        if name.endswith(" bit"):  # "CPU bit": a backend that is left without a functionality
            key_set |= 1 << engine.dispatch.keys.BACKEND_BITS[name.removesuffix(" bit")]
            continue
        key = engine.dispatch.keys.DispatchKey[name]
        functionality = engine.dispatch.keys.to_functionality_key(key)
        backend = engine.dispatch.keys.to_backend_component(key)
        key_set |= 1 << (functionality + 15) if functionality else 0
        key_set |= 1 << engine.dispatch.keys.BACKEND_BITS[backend] if backend else 0
    return key_set


def names_of_bits(engine, key_set):
    """Return the names of a set's bits, ["CPU", "Dense"] for bits 0 and 16; return anything else unchanged."""
    if type(key_set) is not int or key_set < 0:
        return key_set
    keys = engine.dispatch.keys
    names = {bit: backend for backend, bit in keys.BACKEND_BITS.items()}
    names |= {key + 15: key.name for key in keys.DispatchKey if 0 < key < keys.DispatchKey.CPU}
    return [names.get(bit, f"bit {bit}") for bit in range(key_set.bit_length()) if key_set >> bit & 1]


class Pair(NamedTuple):
    first: object
    second: object


class OwnList(list):
    pass


def _argument(engine, value, tensors):
    if type(value) in (list, tuple):
        return type(value)(_argument(engine, entry, tensors) for entry in value)
    if type(value) is dict:
        ((kind, entries),) = value.items()
        made = [_argument(engine, entry, tensors) for entry in entries]
        return {"named tuple": lambda: Pair(*made), "list subclass": lambda: OwnList(made),
                "dict": lambda: dict(enumerate(made)), "dict of keys": lambda: dict.fromkeys(made),
                "set": lambda: set(made), "iterator": lambda: iter(made),
                "object": lambda: SimpleNamespace(_key_set=set_of(engine, entries))}[kind]()  # fmt: skip
    if type(value) is not str or not value.startswith(("tensor(", "parameter(")):
        return value
    kind, _, names = value[:-1].partition("(")
    made = engine.empty(2)
    if kind == "parameter":
        made = _subclass(engine)(made.untyped_storage(), (2,), (1,), 0, made.dtype, made._key_set)
    made._key_set = set_of(engine, names.split(", "))
    tensors.append(made)
    return made


def _subclass(engine):
    class Parameter(engine.Tensor):
        pass

    return Parameter
