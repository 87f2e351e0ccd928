"""The checks of lab 6, CUDA kernels, in the order of the lab."""

from types import ModuleType

from autograder.checks.cuda import blocks, fusion, gemm, gemm_tile, grids, histograms, memory, queues, transposes
from autograder.checks.model import in_order

ORDER: tuple[str, ...] = (
    "cuda.loops.binary_strided",
    "cuda.transpose.naive_kernel",
    "cuda.transpose.tiled_kernel",
    "cuda.reduce.block_reduce",
    "cuda.soft_max.row_softmax",
    "cuda.summary_ops.block_histogram",
    "cuda.gemm.naive_kernel",
    "cuda.gemm.tiled_kernel",
    "cuda.gemm_tile.multiplier_of",
    "cuda.bias_activation.bias_activation_kernel",
    "cuda.queue.schedule",
    "cuda.caching_allocator.find_free_block",
    "cuda.caching_allocator.CachingAllocator",
)
MODULES: tuple[ModuleType, ...] = (blocks, fusion, gemm, gemm_tile, grids, histograms, memory, queues, transposes)
CHECKS = in_order(ORDER, MODULES)
