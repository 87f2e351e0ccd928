"""The generator of random numbers on the device: a seed and an offset, nothing on the device itself.

Each fill takes one offset, and a kernel makes of (seed, offset, index of the element) the state of a xoroshiro128+ of
its own (`engine/cuda/xoroshiro.py`): the numbers do not depend on grid or block. PyTorch does the same with Philox,
whose numbers also depend on the grid. Mirrors aten/src/ATen/cuda/CUDAGeneratorImpl.cpp and torch/cuda/random.py.
"""

import threading
from typing import Any

import numpy as np

from .. import dtypes
from ..aten.empty_tensor import new_tensor
from ..aten.generator import DEFAULT_SEED, GENERATORS, Generator, default_generators
from ..tensor_impl import Tensor

GOLDEN = 0x9E3779B97F4A7C15  # of SplitMix64: 2**64 divided by the golden ratio
MASK = 2**64 - 1


def splitmix64(x: int) -> int:
    """Return a 64-bit number with its bits mixed. Source: Vigna's splitmix64.c, as numba/cuda/random.py has it."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


class CUDAGenerator(Generator):
    """A random number generator for tensors on the device; `Generator(device="cuda")` makes one."""

    __slots__ = ("_offset",)

    def __init__(self, device: Any = "cuda"):
        self._device = dtypes.CUDA
        self.lock = threading.Lock()
        self.manual_seed(DEFAULT_SEED)

    def begin_at(self, seed: int) -> None:
        self._seed, self._offset = seed, 0

    def next_key(self) -> np.uint64:
        """Return the key for the next kernel that draws random numbers, and advance the offset by one."""
        with self.lock:
            self._offset += 1
            return np.uint64(splitmix64(splitmix64((self._seed + GOLDEN) & MASK) + self._offset * GOLDEN & MASK))

    def get_state(self) -> Tensor:
        """Return seed and offset: 16 bytes as in PyTorch, but as int64 (2,), because this engine has no uint8."""
        made = new_tensor((2,), (1,), dtypes.int64)
        with self.lock:
            made._flat()[:] = np.array([self._seed, self._offset], np.uint64).view(np.int64)
        return made

    def set_state(self, new_state: Tensor) -> "CUDAGenerator":
        """Restore a state that `get_state` returned; return the generator itself.

        Raises:
            TypeError: not an int64 tensor.
            RuntimeError: not one of two elements.
        """
        if not isinstance(new_state, Tensor) or new_state._dtype is not dtypes.int64:
            raise TypeError("RNG state must be an int64 tensor, as get_state gives it")
        if new_state._sizes != (2,):
            raise RuntimeError(f"RNG state is wrong size: expected 2 elements, got {new_state.numel()}")
        seed, offset = (number % 2**64 for number in new_state.tolist())
        with self.lock:
            self._seed, self._offset = seed, offset
        return self


default_generator = CUDAGenerator()
default_generator.seed()

GENERATORS["cuda"] = CUDAGenerator
default_generators.append(default_generator)

# ---- the names of torch.cuda


def manual_seed(seed: int) -> None:
    """Seed the default generator of the device; `engine.manual_seed` seeds it too."""
    default_generator.manual_seed(int(seed))


manual_seed_all = manual_seed


def seed() -> None:
    """Seed the default generator of the device with a random number from the operating system."""
    default_generator.seed()


def initial_seed() -> int:
    """Return the seed with which the default generator of the device was last seeded."""
    return default_generator.initial_seed()


def get_rng_state(device: Any = "cuda") -> Tensor:
    """Return the state of the device's default generator, as `Generator.get_state` does."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Restore a state that `get_rng_state` returned to the device's default generator."""
    default_generator.set_state(new_state)
