"""The checks of lab 5, CPU kernels, in the order of the lab."""

from types import ModuleType

from autograder.checks.cpu import elementwise, kernels, scatter, threads
from autograder.checks.model import in_order

ORDER: tuple[str, ...] = (
    "cpu.elementwise_loops.contiguous_binary",
    "cpu.elementwise_loops.strided_unary",
    "cpu.elementwise_loops.contiguous_binary_vec",
    "cpu.capability.compute_cpu_capability",
    "cpu.loops.Compiled",
    "cpu.parallel.take_pieces",
    "cpu.scatter_gather.lines",
)
MODULES: tuple[ModuleType, ...] = (elementwise, kernels, scatter, threads)
CHECKS = in_order(ORDER, MODULES)
