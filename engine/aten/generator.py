"""torch.Generator: where random numbers come from, and the module's functions that seed the default one.

The state is at::mt19937's: 624 words and how many of them are spent. What draws from it is a kernel of the device;
here is only how it is seeded, saved and restored.
Mirrors aten/src/ATen/CPUGeneratorImpl.cpp, torch/csrc/Generator.cpp and torch/random.py.
"""

import math
import os
import threading
from typing import Any

import numpy as np

from .. import dtypes
from ..tensor_impl import Tensor
from .empty_tensor import new_tensor

WORDS = 624
DEFAULT_SEED = 67280421310721  # c10::default_rng_seed_val

STATE_DTYPE = np.dtype(
    [("seed", "u8"), ("left", "i4"), ("seeded", "i4"), ("next", "u8"), ("words", "u8", WORDS), ("normal_x", "f8"),
     ("normal_y", "f8"), ("normal_rho", "f8"), ("normal_is_valid", "i4"), ("padding", "i4"),
     ("float_normal", "f4"), ("float_normal_is_valid", "?"), ("end", "V3")]
)  # fmt: skip
"""The bytes of a saved state, as PyTorch's CPUGeneratorImplState."""


def seeded_words(seed: int) -> np.ndarray:
    """Return the 624 state words that a seed produces, of which only the low 32 bits count.

    Returns:
        uint32 (625,): the words, then 0, the number of them that are spent.

    Source: mt19937_engine::init_with_uint32 (aten/src/ATen/core/MT19937RNGEngine.h).
    """
    words = [seed & 0xFFFFFFFF]
    for j in range(1, WORDS):
        words.append((1812433253 * (words[-1] ^ (words[-1] >> 30)) + j) & 0xFFFFFFFF)
    return np.array([*words, 0], np.uint32)


def as_seed(seed: int) -> int:
    """Return a seed as an unsigned 64-bit integer; a negative seed has 2**64 added.

    Raises:
        ValueError: it does not fit.
    """
    if not -(2**63) <= seed < 2**64:
        raise ValueError("Overflow when unpacking long long")
    return seed % 2**64


class Generator:
    """A random number generator: the Mersenne Twister, seeded as in PyTorch, so that it yields PyTorch's numbers.

    Args:
        device: "cpu", or one whose layer has a class in `GENERATORS`, of which an object is made then.
    Raises:
        RuntimeError: a device that has no generator here.

    Attributes of the machinery: `lock` is held by whoever draws; `state` is uint32 (625,): 624 words and how many of
    them are spent; `spare_normal` is the normal value that the last pair left over, NaN if there is none.
    """

    __slots__ = ("lock", "state", "spare_normal", "_seed", "_device", "__weakref__")

    def __new__(cls, device: Any = "cpu") -> "Generator":
        kind = dtypes.device(device).type
        if kind not in GENERATORS:
            raise RuntimeError(f"there is no generator for {kind}: expected {' or '.join(GENERATORS)}")
        return object.__new__(GENERATORS[kind] if cls is Generator else cls)

    def __init__(self, device: Any = "cpu"):
        self._device = dtypes.device(device)
        self.lock = threading.Lock()
        self.state = np.empty(WORDS + 1, np.uint32)
        self.spare_normal = math.nan
        self.manual_seed(DEFAULT_SEED)

    @property
    def device(self) -> dtypes.device:
        return self._device

    def manual_seed(self, seed: int) -> "Generator":
        """Reset the generator to `seed`, discard a cached normal value, and return the generator itself.

        Raises:
            RuntimeError: `seed` is not an int.
            ValueError: it is outside [-2**63, 2**64).
        """
        if not isinstance(seed, (int, np.integer)):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        unsigned = as_seed(int(seed))
        with self.lock:
            self.begin_at(unsigned)
        return self

    def begin_at(self, seed: int) -> None:
        """Reset the generator's state for a seed; the caller holds the lock."""
        self.state[:] = seeded_words(seed)
        self.spare_normal, self._seed = math.nan, seed

    def seed(self) -> int:
        """Reset the generator to a seed drawn from the operating system, and return the seed."""
        drawn = int.from_bytes(os.urandom(8), "little")
        self.manual_seed(drawn)
        return drawn

    def initial_seed(self) -> int:
        """Return the seed that the generator started from."""
        return self._seed

    def get_state(self) -> Tensor:
        """Return the complete state of the generator, which determines the next numbers.

        PyTorch gives its 5,056 bytes as uint8; here the same bytes are int64 (632,), because uint8 is not a dtype here.
        """
        saved = np.zeros((), STATE_DTYPE)
        with self.lock:
            spent = int(self.state[WORDS])
            saved["seed"], saved["seeded"], saved["next"] = self._seed, 1, spent
            saved["left"] = WORDS + 1 - spent if spent else 1
            saved["words"] = self.state[:WORDS]
            if not math.isnan(self.spare_normal):
                saved["normal_is_valid"], saved["normal_y"] = 1, self.spare_normal
        made = new_tensor((saved.nbytes // 8,), (1,), dtypes.int64)
        made._flat()[:] = np.frombuffer(saved.tobytes(), np.int64)
        return made

    def set_state(self, new_state: Tensor) -> "Generator":
        """Restore a state that `get_state` returned, and return the generator itself.

        Raises:
            TypeError: not an int64 tensor.
            RuntimeError: of another size, or no state of a Mersenne Twister.
        """
        if not isinstance(new_state, Tensor) or new_state._dtype is not dtypes.int64:
            raise TypeError("RNG state must be an int64 tensor, as get_state gives it")
        if new_state.nbytes != STATE_DTYPE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE_DTYPE.itemsize} "
                f"but found the input RNG state size to be {new_state.nbytes}"
            )
        first, stride = new_state._storage_offset, new_state._strides[0]
        cells = np.ascontiguousarray(new_state._flat()[first :: stride or 1][: new_state._sizes[0]])
        saved = cells.view(STATE_DTYPE)[0]
        if not (saved["seeded"] and 0 < saved["left"] <= WORDS and saved["next"] <= WORDS):
            raise RuntimeError("Invalid mt19937 state")
        with self.lock:
            self._seed = int(saved["seed"])
            self.state[:WORDS] = saved["words"]
            self.state[WORDS] = saved["next"]
            self.spare_normal = float(saved["normal_y"]) if saved["normal_is_valid"] else math.nan
        return self

    def clone_state(self) -> "Generator":
        """Return a copy of the generator, which will produce the same numbers."""
        return Generator(self._device).set_state(self.get_state())

    def __reduce__(self) -> Any:
        return Generator, (self._device,), self.get_state()

    def __setstate__(self, state: Tensor) -> None:
        self.set_state(state)


GENERATORS: dict[str, type[Generator]] = {"cpu": Generator}
"""Device type -> its kind of generator; layers above enter theirs."""

default_generator = Generator()
default_generator.seed()
default_generators: list[Generator] = []
"""The generators of other devices."""


def manual_seed(seed: int) -> Generator:
    """Seed the default generators of all devices with `seed`, which may be anything that `int` accepts."""
    for generator in default_generators:
        generator.manual_seed(int(seed))
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seed the default generator with a number drawn from the operating system, and return the number."""
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed that the default generator started from."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the state of the default generator, as `Generator.get_state` does."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Set the state of the default generator to one that `get_rng_state` returned."""
    default_generator.set_state(new_state)
