"""Reduction kernels: one number from many, over any dimensions of any geometry.

The plain loop that they replace, `self` being read in the order of the iterator's plan:

    for every output: out = start
    for to, of in zip(offsets of out, repeated along what is reduced, offsets of self):
        out[to] = f(out[to], element(self[of]))
    for every output: out = finish(out)

A sum of n floats made one by one is off by up to n roundings. Here it is made in passes (`reduce_walk`): sums of few
elements, then sums of those. Mirrors aten/src/ATen/native/cpu/{SumKernel,ReduceOpsKernel}.cpp.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable

from ..aten.iterator_plan import IteratorPlan
from ..aten.native import reduce_extremes, reduce_norms, reduce_ops, reduce_truth
from ..aten.stubs import DispatchStub
from ..compiled import follow
from ..dtypes import DTYPES, dtype
from . import reduce_loops
from .argument_structs import type_of
from .loops import GEOMETRY, INDEX, NUMBA, named
from .ranges import Ranged, is_shared
from .reduce_functions import (
    amax,
    amin,
    any_root,
    highest,
    is_nonzero,
    itself,
    lowest,
    one,
    power,
    prod,
    quotient,
    root,
    size_of,
    square,
    sum,
    unchanged,
    unless_nan,
    zero,
)
from .reduce_walk import Parts, Pass, passes_of

MAKERS: dict[str, Callable[..., Callable]] = {
    "rows": reduce_loops.rows,
    "apart": reduce_loops.rows_apart,
    "columns": reduce_loops.columns,
    "rows by cascade": reduce_loops.rows_by_cascade,
}
SHAPE_OF_SUMS = {"rows": "rows"}
"""Shape of a pass that sums elements of the dtype of its result -> the name of its loop in MAKERS."""


def _sum_by_cascade(is_replaced: bool) -> None:
    SHAPE_OF_SUMS["rows"] = "rows by cascade" if is_replaced else "rows"


follow("cpu.gemv.cascade_dot", _sum_by_cascade)


def loop_of(name: str, shape: str, result: dtype, f: Callable, element: Callable, finish: Callable) -> Ranged:
    """Return the kernel for one shape of `Pass`, which reads any dtype and accumulates in the dtype of the result."""
    key = (
        name,
        shape,
        result,
        f,
        element,
        finish,
    )  # in no memo: `forget_memos` would take the kernels away
    loop = _LOOPS.get(key)
    if loop is None:
        loop = _LOOPS[key] = _make_loop(name, shape, result, (f, element, finish))
    return loop


_LOOPS: dict[tuple, Ranged] = {}


def _make_loop(name: str, shape: str, result: dtype, parts: tuple[Callable, ...]) -> Ranged:
    is_sum = parts[:2] == (sum, itself)

    def loop(kind: dtype) -> Callable:
        functions = [register_jitable(function) for function in parts]
        name = SHAPE_OF_SUMS.get(shape, shape) if is_sum and kind is result else shape
        return named(MAKERS[name](*functions, result.numpy.type), *parts)

    def arguments(kind: dtype) -> tuple:
        arrays = (NUMBA[result][::1], INDEX, NUMBA[kind][::1], INDEX)
        return (*arrays, GEOMETRY, type_of(Parts, kind), NUMBA[result], NUMBA[result])

    return Ranged(name, tuple(DTYPES.values()), loop, arguments)


def run_pass(loop: Ranged, kind: dtype, turn: Pass, outputs: tuple, inputs: tuple, *last: Any) -> None:
    """Run one pass of a reduction.

    Args:
        outputs, inputs: flat array and first cell of each.
        last: the kernel's last arguments.
    """
    loop(kind, turn.items, turn.cost, *outputs, *inputs, turn.kept, turn.cut, *last)


def reduction_kernel(
    name: str,
    f: Callable,
    start_of: Callable[[dtype], Any],
    element: Callable = itself,
    finish: Callable = unchanged,
) -> Callable[..., None]:
    """Build kernel(iter, parameter), which reduces the operands of `make_reduction` in the dtype of the output.

    Args:
        start_of: dtype -> the number from which the reduction starts.
    """
    starts = {kind: start_of(kind) for kind in DTYPES.values()}

    @functools.lru_cache(maxsize=2048)
    def steps_of(plan: IteratorPlan, kind: dtype, result: dtype) -> tuple[tuple, ...]:
        """Return for each pass: loop, if it is for threads, dtype that it reads, indices, cost, outputs, geometry."""
        steps = []
        for number, turn in enumerate(passes_of(plan)):
            of_element, of_result = element if number == 0 else itself, unchanged if turn.outputs else finish
            loop = loop_of(name, turn.shape, result, f, of_element, of_result)
            work = is_shared(turn.items, turn.cost), result if number else kind, turn.items, turn.cost
            steps.append((loop, *work, turn.outputs, turn.kept, turn.cut))
        return tuple(steps)

    def kernel(iter: Any, parameter: float = 0) -> None:
        out, x = iter.operands
        result, cells, p = out._dtype, x._flat(), x._storage_offset
        start = starts[result]
        for loop, for_threads, kind, items, cost, count, kept, cut in steps_of(iter.plan, x._dtype, result):
            to, o = (np.empty(count, result.numpy), 0) if count else (out._flat(), out._storage_offset)
            if for_threads:
                loop(kind, items, cost, to, o, cells, p, kept, cut, start, parameter)
            else:
                loop.compiled[kind](0, items, to, o, cells, p, kept, cut, start, parameter)
            cells, p = to, o

    return kernel


KERNELS: tuple[tuple[DispatchStub, Callable[..., None]], ...] = (
    (reduce_ops.sum_stub, reduction_kernel("sum_cpu", sum, zero)),
    (reduce_ops.nansum_stub, reduction_kernel("nansum_cpu", sum, zero, unless_nan)),
    (reduce_ops.mean_stub, reduction_kernel("mean_cpu", sum, zero, finish=quotient)),
    (reduce_ops.prod_stub, reduction_kernel("prod_cpu", prod, one)),
    (reduce_ops.count_nonzero_stub, reduction_kernel("count_nonzero_cpu", sum, zero, is_nonzero)),
    (reduce_extremes.amax_stub, reduction_kernel("amax_cpu", amax, lowest)),
    (reduce_extremes.amin_stub, reduction_kernel("amin_cpu", amin, highest)),
    (reduce_truth.and_stub, reduction_kernel("and_cpu", amin, highest)),
    (reduce_truth.or_stub, reduction_kernel("or_cpu", amax, lowest)),
)
NORMS: dict[float | None, Callable[..., None]] = {
    0.0: reduction_kernel("norm_cpu", sum, zero, is_nonzero),
    1.0: reduction_kernel("norm_cpu", sum, zero, size_of),
    2.0: reduction_kernel("norm_cpu", sum, zero, square, root),
    np.inf: reduction_kernel("norm_cpu", amax, zero, size_of),
    -np.inf: reduction_kernel("norm_cpu", amin, highest, size_of),
    None: reduction_kernel("norm_cpu", sum, zero, power, any_root),
}


def norm(iter: Any, ord: float) -> None:
    """Compute the norm of order `ord` by a kernel for that order, if there is one, or by the general kernel."""
    NORMS[ord if ord in NORMS else None](iter, ord)


def register() -> None:
    """Register the reduction kernels for the CPU at their stubs."""
    for stub, kernel in KERNELS:
        stub.register("cpu", kernel)
    reduce_norms.norm_stub.register("cpu", norm)


register()
