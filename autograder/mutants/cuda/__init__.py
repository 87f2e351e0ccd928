"""The wrong answers to lab 6, CUDA kernels."""

from types import ModuleType

from autograder.mutants.cuda import blocks, equivalent_b, gemm, grids, memory, transposes

MODULES: tuple[ModuleType, ...] = (grids, transposes, blocks, equivalent_b, gemm, memory)
