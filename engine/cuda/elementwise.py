"""Elementwise kernels: tables of functions of single numbers, which become kernels of a stub.

The tables stand in `binary_ops`, `unary_ops`, ...; `register` makes a kernel of each row. Rows are written as those of
`engine/cpu/elementwise.py`, and many are the same: a function of single numbers knows no device.
Mirrors aten/src/ATen/native/cuda/*Kernel.cu.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..aten.type_promotion import SCALAR_TYPE_NAMES
from ..cpu.elementwise import Table
from ..cpu.elementwise_loops import Scalar
from ..dtypes import dtype
from ..tensor_impl import Tensor
from . import loops
from .driver import cuda
from .launch import grid_of, launch

Number = bool | int | float

# ---- how a kernel reads an iterator


@functools.lru_cache(maxsize=1024)
def constant(kind: dtype, value: Number, sign: float) -> Any:
    """A cell on the device that holds a number, made once. `sign` tells 0.0 from -0.0."""
    return cuda.to_device(np.array([value], kind.numpy))


def cells_of(tensor: Tensor) -> tuple[Any, int]:
    """The flat array on the device that a kernel reads, and where its first element lies in it.

    A tensor without dimensions may be on the CPU beside others on the device, as the 2 of `x + 2`.
    """
    if tensor._storage.device.type == "cpu":
        value = tensor._flat().item(tensor._storage_offset)
        return constant(tensor._dtype, value, np.copysign(1.0, value)), 0
    return tensor._flat(), tensor._storage_offset


def run(plan: Any, operands: tuple[Tensor, ...], pair: loops.Loops, scalars: tuple) -> None:
    """Launch the kernel that a plan asks for; none if there is no element."""
    if not plan.numel:
        return
    cells = [part for tensor in operands for part in cells_of(tensor)]
    grid, block = grid_of("elementwise", plan.numel)
    if plan.is_contiguous:
        launch(pair[0], grid, block, plan.numel, *cells, scalars)
    else:
        launch(pair[1], grid, block, plan.numel, *cells, plan.loop_sizes, *plan.loop_strides, scalars)


# ---- from a table to kernels

MAKERS = {1: loops.nullary, 2: loops.unary, 3: loops.binary, 4: loops.ternary}


def register(table: Table) -> None:
    """Enter a kernel for CUDA at each stub.

    Args:
        table: rows of (stub, name in messages, {dtypes: function of single numbers}, dtypes of output and inputs, how
            many scalars follow the inputs). Functions of vectors are not looked at.
    """
    for stub, name, functions, operands, _ in table:
        of_dtype = {kind: of_one(function) for kinds, function in functions.items() for kind in kinds}
        stub.register("cuda", kernel_of(name.replace("_cpu", "_cuda"), of_dtype, MAKERS[len(operands)]))


def of_one(function: Callable | Scalar) -> Callable:
    """The function of single numbers."""
    return function.of_one if isinstance(function, Scalar) else function


def kernel_of(
    name: str, functions: Mapping[dtype, Callable], make: Callable[[Callable], loops.Loops]
) -> Callable[..., None]:
    """kernel(iter, *scalars): out = f(inputs, *scalars) over the iterator's plan and operands.

    Each function becomes kernels when it is first asked for; numba compiles them for the dtypes that they meet.
    """
    made: dict[Callable, loops.Loops] = {}

    def kernel(iter: Any, *scalars: Any) -> None:
        kind = iter.operands[-1]._dtype
        if kind not in functions:
            raise NotImplementedError(f"\"{name}\" not implemented for '{SCALAR_TYPE_NAMES[kind]}'")
        function = functions[kind]
        if function not in made:
            made[function] = make(function)
        run(iter.plan, iter.operands, made[function], tuple(map(kind.numpy.type, scalars)))

    return kernel
