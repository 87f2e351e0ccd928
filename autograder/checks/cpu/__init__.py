"""The checks of lab 5, CPU kernels, in the order of the lab."""

from types import ModuleType

from autograder.checks.cpu import elementwise, kernels, products, scatter, strided, sums, threads, tiles
from autograder.checks.model import in_order

ORDER: tuple[str, ...] = (
    "cpu.elementwise_loops.contiguous_binary",
    "cpu.elementwise_loops.strided_unary",
    "cpu.elementwise_loops.contiguous_binary_vec",
    "cpu.capability.compute_cpu_capability",
    "cpu.loops.Compiled",
    "cpu.parallel.take_pieces",
    "cpu.scatter_gather.lines",
    "cpu.gemv.cascade_dot",
    "cpu.soft_max.largest_and_sum",
    "cpu.gemm_loops.row_products",
    "cpu.gemm_loops.blocked_products",
    "cpu.gemm.pack",
    "cpu.gemm_vectors.four_rows",
)
MODULES: tuple[ModuleType, ...] = (elementwise, kernels, products, scatter, strided, sums, threads, tiles)
CHECKS = in_order(ORDER, MODULES)
