"""Dispatch keys, and sets of them as bits of one int.

A runtime key is a functionality (Dense, AutogradFunctionality, ...) at a backend (CPU, CUDA, ...), or a functionality
that is the same on all of them (ADInplaceOrView, ...). A set holds the two kinds of bits apart:

    bit   0      1       12            15      16      ...  16 + functionality - 1
          CPU    CUDA    PrivateUse1   Meta    Dense        AutogradFunctionality, Tracer, ...

so `{CPU, AutogradCPU}` is one backend bit and two functionality bits, and the highest bit of each kind names the key
that a call goes to. Numbers and bits are the same as in PyTorch 2.13; this is the part that the engine uses.
Mirrors c10/core/DispatchKey.h and c10/core/DispatchKeySet.h.
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum

from ..backend import ROWS


class DispatchKey(IntEnum):
    """Keys that can have a kernel: runtime keys, and alias keys that represent several of them."""

    Undefined = 0
    Dense = 1
    Quantized = 5
    BackendSelect = 11
    Python = 13
    FuncTorchDynamicLayerBackMode = 14
    Functionalize = 15
    ADInplaceOrView = 19
    AutogradOther = 20
    AutogradFunctionality = 21
    Tracer = 23
    AutocastCPU = 24
    AutocastCUDA = 32
    FuncTorchBatched = 34
    FuncTorchVmapMode = 36
    FuncTorchGradWrapper = 39
    PythonTLSSnapshot = 41
    FuncTorchDynamicLayerFrontMode = 42
    # a functionality at one backend
    CPU = 49
    CUDA = 50
    PrivateUse1 = 61
    Meta = 64
    QuantizedCPU = 66
    AutogradCPU = 134
    AutogradCUDA = 135
    AutogradPrivateUse1 = 146
    AutogradMeta = 149
    # alias keys
    Autograd = 150
    CompositeImplicitAutograd = 151
    FuncTorchBatchedDecomposition = 152
    CompositeExplicitAutograd = 154
    CompositeExplicitAutogradNonFunctional = 155

    def __str__(self) -> str:
        return f"DispatchKey.{self.name}"


K = DispatchKey

BACKEND_BITS = {backend.name: backend.bit for backend in ROWS}  # {"CPU": 0, "CUDA": 1, ...}
BACKEND_MASK = (1 << 16) - 1  # all bits below the functionality bits
FUNCTIONALITY_SHIFT = 15  # functionality f is bit f + 15

# Functionalities that have a kernel for each backend -> backend -> its key there, which is called prefix + backend:
# {Dense: {"CPU": CPU, "CUDA": CUDA, ...}, Quantized: {"CPU": QuantizedCPU}, AutogradFunctionality: {...}}
_PREFIXES = {K.Dense: "", K.Quantized: "Quantized", K.AutogradFunctionality: "Autograd"}
PER_BACKEND = {
    functionality: {name: DispatchKey[prefix + name] for name in BACKEND_BITS if prefix + name in K.__members__}
    for functionality, prefix in _PREFIXES.items()
}
_PARTS = {key: (functionality, backend) for functionality, keys in PER_BACKEND.items() for backend, key in keys.items()}
BACKEND_OF_BIT = {bit: backend for backend, bit in BACKEND_BITS.items()}

AUTOGRAD_KEYS = (K.AutogradOther, *PER_BACKEND[K.AutogradFunctionality].values())
AUTOGRADOTHER_BACKENDS = (K.QuantizedCPU,)  # backends without an autograd key of their own
BACKEND_KEYS = (*PER_BACKEND[K.Dense].values(), *AUTOGRADOTHER_BACKENDS)

ALIASES: dict[DispatchKey, tuple[DispatchKey, ...]] = {
    K.Autograd: AUTOGRAD_KEYS,
    K.CompositeImplicitAutograd: (*BACKEND_KEYS, *AUTOGRAD_KEYS),
    K.FuncTorchBatchedDecomposition: (K.FuncTorchBatched,),
    K.CompositeExplicitAutograd: BACKEND_KEYS,
    K.CompositeExplicitAutogradNonFunctional: BACKEND_KEYS,
}


def to_functionality_key(key: DispatchKey) -> DispatchKey:
    """Return a runtime key's functionality: Dense for CPU, AutogradFunctionality for AutogradCUDA."""
    return _PARTS.get(key, (key, ""))[0]


def to_backend_component(key: DispatchKey) -> str:
    """Return a runtime key's backend: "CPU" for CPU and for AutogradCPU, "" for Tracer, which has no backend."""
    return _PARTS.get(key, (key, ""))[1]


def backend_of_autograd(key: DispatchKey) -> tuple[DispatchKey, ...]:
    """Return the backend keys whose autograd key is `key`; an empty tuple if `key` is not an autograd key."""
    if key is K.AutogradOther:
        return AUTOGRADOTHER_BACKENDS
    functionality, backend = _PARTS.get(key, (None, ""))
    return (PER_BACKEND[K.Dense][backend],) if functionality is K.AutogradFunctionality else ()


def bits(key: DispatchKey) -> int:
    """Return the key set that holds one runtime key, as an int.

    Args:
        key: a runtime key. One that is a functionality at a backend has two bits, one for its functionality and one for
            its backend: CPU is Dense at CPU, AutogradCPU is AutogradFunctionality at CPU. Any other, a functionality
            without a backend included, has the bit of its functionality alone. Undefined, which means "no key", has
            none.
    Returns:
        The int with these bits. Functionality f is bit f + FUNCTIONALITY_SHIFT; a backend is bit BACKEND_BITS[backend].
    Raises:
        RuntimeError: an alias key, `Autograd` or any key that is greater. It represents several runtime keys, and no
            set can hold it. (PyTorch raises nothing: its set of an alias is empty.)

    >>> bin(bits(DispatchKey.CUDA))
    '0b10000000000000010'

    Source: c10/core/DispatchKeySet.h, the constructor DispatchKeySet(DispatchKey).
    """
    if key >= K.Autograd:
        raise RuntimeError(f"{key.name} is an alias key: it stands for several runtime keys and is in no set")
    key_set = 0
    functionality, backend = to_functionality_key(key), to_backend_component(key)
    if functionality:
        key_set |= 1 << (functionality + FUNCTIONALITY_SHIFT)
    if backend:
        key_set |= 1 << BACKEND_BITS[backend]
    return key_set


def highest_bit(key_set: int) -> int:
    """Return the bit of the highest functionality in a set that has one; all backend bits are lower."""
    return 1 << (key_set.bit_length() - 1)


def highest_key(key_set: int) -> DispatchKey:
    """Return the key to which a call with this set dispatches: its highest functionality, at its highest backend.

    Args:
        key_set: an int, as the union (`|`) of the `bits` of runtime keys, or what is left of one when functionalities
            have been taken away.
    Returns:
        The member of DispatchKey. If the highest functionality is one of PER_BACKEND, that is
        `PER_BACKEND[functionality][backend]` for the highest backend in the set; Undefined if the set has no backend
        bit, or if PER_BACKEND has no key for that functionality at that backend: lower backends are not tried. If the
        highest functionality is any other, it is the key itself. Undefined if the set has no functionality at all.

    >>> highest_key(DispatchKeySet([DispatchKey.CPU, DispatchKey.AutogradCPU]).raw_repr())
    <DispatchKey.AutogradCPU: 134>

    Source: c10/core/DispatchKeySet.h, highestPriorityTypeId.
    """
    functionality = DispatchKey(max(key_set.bit_length() - 1 - FUNCTIONALITY_SHIFT, 0))
    if functionality not in PER_BACKEND:
        return functionality
    backend = BACKEND_OF_BIT.get((key_set & BACKEND_MASK).bit_length() - 1, "")
    return PER_BACKEND[functionality].get(backend, K.Undefined)


def without(key_set: int, removed: int) -> int:
    """Return `key_set` without the functionalities of `removed`; backend bits stay, as in DispatchKeySet::operator-."""
    return key_set & (~removed | BACKEND_MASK)


def below(key: DispatchKey) -> int:
    """Return a mask of all functionalities lower than `key`'s, and every backend bit: `key_set & below(key)` is for a
    redispatch below it."""
    functionality = _PARTS.get(key, (key, ""))[0]
    return (1 << (functionality + FUNCTIONALITY_SHIFT)) - 1


def keys_of(key_set: int) -> Iterator[DispatchKey]:
    """Yield the runtime keys of a set in PyTorch's printing order: by functionality, then by backend, lowest first."""
    backends = [name for name, bit in BACKEND_BITS.items() if key_set >> bit & 1]
    for functionality in DispatchKey:
        if functionality and functionality < K.CPU and key_set >> (functionality + FUNCTIONALITY_SHIFT) & 1:
            if functionality in PER_BACKEND:
                named = PER_BACKEND[functionality]
                yield from (named[backend] for backend in backends if backend in named)
            else:
                yield functionality


_ALL = below(K.Autograd)  # every functionality has a lower number than an alias, and a bit
RUNTIME_KEYS = (K.Undefined, *keys_of(_ALL))  # by priority, lowest first, as PyTorch's dumps have them


def parse_key(name: str) -> DispatchKey:
    """Return the dispatch key with the given name.

    Raises:
        RuntimeError: no key has this name.
    """
    try:
        return DispatchKey[name]
    except KeyError:
        raise RuntimeError(f"could not parse dispatch key: {name}") from None


class DispatchKeySet:
    """A set of runtime keys, stored as the bits of an int; `raw_repr()` is the same number as in PyTorch.

    Args:
        keys: a key, several, or none.
    """

    __slots__ = ("_bits",)

    def __init__(self, keys: DispatchKey | Iterable[DispatchKey] = ()):
        self._bits = 0
        for key in (keys,) if isinstance(keys, DispatchKey) else keys:
            self._bits |= bits(key)

    @classmethod
    def from_raw_repr(cls, number: int) -> "DispatchKeySet":
        """Return the set with the bits of `number`."""
        made = cls()
        made._bits = number
        return made

    def raw_repr(self) -> int:
        return self._bits

    def has(self, key: DispatchKey) -> bool:
        """Return True if the functionality and, if it has one, the backend of `key` are in the set."""
        wanted = bits(key)
        return bool(wanted) and self._bits & wanted == wanted

    def add(self, key: DispatchKey) -> "DispatchKeySet":
        return self.from_raw_repr(self._bits | bits(key))

    def remove(self, key: DispatchKey) -> "DispatchKeySet":
        """Return the set without the functionality of `key`; the backend's bit stays."""
        return self.from_raw_repr(without(self._bits, bits(key)))

    def highestPriorityTypeId(self) -> DispatchKey:
        """Return the key to which a call with this set dispatches."""
        return highest_key(self._bits)

    def __or__(self, other: "DispatchKeySet") -> "DispatchKeySet":
        return self.from_raw_repr(self._bits | other._bits)

    def __and__(self, other: "DispatchKeySet") -> "DispatchKeySet":
        return self.from_raw_repr(self._bits & other._bits)

    def __sub__(self, other: "DispatchKeySet") -> "DispatchKeySet":
        return self.from_raw_repr(without(self._bits, other._bits))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self._bits == other._bits

    def __hash__(self) -> int:
        return hash(self._bits)

    def __bool__(self) -> bool:
        return self._bits != 0

    def __iter__(self) -> Iterator[DispatchKey]:
        return keys_of(self._bits)

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(key.name for key in self)})"


AFTER_AUTOGRAD = below(K.AutogradOther)
AFTER_ADINPLACEORVIEW = below(K.ADInplaceOrView)
AUTOGRAD_FUNCTIONALITIES = bits(K.AutogradOther) | 1 << (K.AutogradFunctionality + FUNCTIONALITY_SHIFT)
AUTOCAST = bits(K.AutocastCPU) | bits(K.AutocastCUDA)
PYTHON = bits(K.Python) | bits(K.PythonTLSSnapshot)
ABOVE_PYTHON = _ALL & ~below(K.Python) & ~bits(K.Python)
"""The functionalities above Python, which a `__torch_dispatch__` has behind it."""
LAYERS = bits(K.FuncTorchDynamicLayerFrontMode) | bits(K.FuncTorchDynamicLayerBackMode)
"""The keys that a thread includes inside a transform."""
SUBCLASS_LIKE = (
    bits(K.Python) | bits(K.Functionalize) | bits(K.FuncTorchBatched) | bits(K.FuncTorchGradWrapper) | LAYERS
)
"""The keys of tensors that wrap others, whose memory nobody may reach for, and of modes that are to see each call."""


def _keys_of_tensors(backend: str) -> int:
    """Return an ordinary tensor's keys on a backend, whether or not it requires grad (TensorImpl's constructor)."""
    named = [PER_BACKEND[functionality][backend] for functionality in (K.Dense, K.AutogradFunctionality)]
    autocast = DispatchKey.__members__.get(f"Autocast{backend}")
    keys = (*named, K.ADInplaceOrView, *((autocast,) if autocast else ()))
    return DispatchKeySet(keys).raw_repr()


KEY_SETS = {backend.device_type: _keys_of_tensors(backend.name) for backend in ROWS}
BACKEND_KEY_OF_DEVICE = {backend.device_type: PER_BACKEND[K.Dense][backend.name] for backend in ROWS}
