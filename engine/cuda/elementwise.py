"""Elementwise kernels: tables of functions of single numbers, which become kernels of a stub.

The tables are in `binary_ops`, `unary_ops`, ...; `register` makes a kernel of each row. Rows are written as rows of
`engine/cpu/elementwise.py`, and many are the same: a function of single numbers knows no device.
Mirrors aten/src/ATen/native/cuda/*Kernel.cu.
"""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..aten.iterator_plan import IteratorPlan
from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..cpu.elementwise import Table
from ..cpu.elementwise_loops import Scalar
from ..dtypes import dtype
from ..strides import Ints
from ..tensor_impl import Tensor
from . import loops
from .driver import cuda
from .launch import grid_of, launch
from .loops import Loops
from .vectors import FOUR

Number = bool | int | float

# ---- how a kernel reads an iterator


@functools.lru_cache(maxsize=1024)
def constant(kind: dtype, value: Number, sign: float) -> Any:
    """Return a one-element device array that holds a number, cached. `sign` distinguishes 0.0 from -0.0."""
    return cuda.to_device(np.array([value], kind.numpy))


def flat_and_offset(tensor: Tensor) -> tuple[Any, int]:
    """Return the flat device array of a tensor's storage, and the index of the tensor's first element in it.

    A tensor without dimensions may be on the CPU beside others on the device, as the 2 of `x + 2`.
    """
    if tensor._storage.device.type == "cpu":
        value = tensor._flat().item(tensor._storage_offset)
        return constant(tensor._dtype, value, np.copysign(1.0, value)), 0
    return tensor._flat(), tensor._storage_offset


class Walk(NamedTuple):
    """The launch arguments of an elementwise kernel, made from an iterator's plan.

    Args:
        still: which inputs are a single cell while the output and the others are one run each; None if that is not so.
        sizes, strides: of the loop, as NumPy's integers.
    """

    still: tuple[bool, ...] | None
    sizes: tuple[Any, ...]
    strides: tuple[tuple[Any, ...], ...]


@functools.lru_cache(maxsize=8192)
def walk_of(plan: IteratorPlan) -> Walk:
    """Convert a plan to the arguments that kernels take, once for each plan."""
    inner = [steps[-1] for steps in plan.loop_strides]
    still = None
    if plan.is_contiguous:
        still = (False,) * (len(inner) - 1)
    elif len(plan.loop_sizes) == 1 and inner[0] == 1 and set(inner) <= {0, 1}:
        still = tuple(step == 0 for step in inner[1:])
    return Walk(still, *as_numpy(plan.loop_sizes, plan.loop_strides))


def as_numpy(sizes: Ints, strides: Sequence[Ints]) -> tuple[tuple[Any, ...], tuple[tuple[Any, ...], ...]]:
    """Return loop sizes as unsigned integers, of 32 bits if the plan's indices are, and strides as signed ones."""
    unsigned = np.uint32 if math.prod(sizes) < 2**32 else np.uint64
    return tuple(map(unsigned, sizes)), tuple(tuple(map(np.int64, steps)) for steps in strides)


def run(plan: IteratorPlan, operands: tuple[Tensor, ...], loops: Loops, scalars: tuple) -> None:
    """Launch the kernel that a plan needs, unless there are no elements."""
    if not plan.numel:
        return
    still, sizes, strides = walk_of(plan)
    cells = [part for tensor in operands for part in flat_and_offset(tensor)]
    if still is not None and begin_at_vectors(cells[1::2], still):
        grid, block = grid_of("elementwise", -(-plan.numel // FOUR))
        launch(loops.vectors(still), grid, block, plan.numel, *cells, scalars)
        return
    grid, block = grid_of("elementwise", plan.numel)
    if loops.flat is not None and plan.is_contiguous:
        launch(loops.flat, grid, block, plan.numel, *cells, scalars)
    else:
        launch(loops.strided, grid, block, plan.numel, *cells, sizes, *strides, scalars)


def begin_at_vectors(firsts: Sequence[int], still: tuple[bool, ...]) -> bool:
    """Return True if the first index of each operand is a multiple of four, except inputs that are a single cell."""
    return all(is_still or first % FOUR == 0 for first, is_still in zip(firsts, (False, *still), strict=True))


# ---- from a table to kernels

MAKERS = {1: loops.nullary, 2: loops.unary, 3: loops.binary, 4: loops.ternary}


def register(table: Table, instead: Mapping[Callable, Callable] | None = None) -> None:
    """Register a CUDA kernel at each stub of a table.

    Args:
        table: rows of (stub, name in messages, {dtypes: function of single numbers}, dtypes of output and inputs, how
            many scalars follow the inputs), as for the CPU. Functions of vectors are not looked at.
        instead: function of the table -> the one that computes the same here.
    """
    instead = instead or {}
    for stub, name, functions, operands, _ in table:
        ones = {kinds: of_one(function) for kinds, function in functions.items()}
        of_dtype = {kind: instead.get(function, function) for kinds, function in ones.items() for kind in kinds}
        stub.register("cuda", kernel_of(name.replace("_cpu", "_cuda"), of_dtype, MAKERS[len(operands)]))


def of_one(function: Callable | Scalar) -> Callable:
    """Return the scalar version of a function."""
    return function.of_one if isinstance(function, Scalar) else function


def kernel_of(name: str, functions: Mapping[dtype, Callable], make: Callable[[Callable], Loops]) -> Callable[..., None]:
    """Build kernel(iter, *scalars), which computes out = f(inputs, *scalars) over an iterator's plan and operands.

    Each function becomes kernels when it is first asked for; numba compiles them for the dtypes that they meet.
    """

    def kernel(iter: Any, *scalars: Any) -> None:
        kind = iter.operands[-1]._dtype
        if kind not in functions:
            raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        kernels = loops.instantiate(make, functions[kind])
        run(iter.plan, iter.operands, kernels, tuple(map(kind.numpy.type, scalars)))

    return kernel
