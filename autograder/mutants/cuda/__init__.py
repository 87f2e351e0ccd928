"""The wrong answers to lab 6, CUDA kernels."""

from types import ModuleType

from autograder.mutants.cuda import equivalent_b, gemm, memory

MODULES: tuple[ModuleType, ...] = (equivalent_b, gemm, memory)
