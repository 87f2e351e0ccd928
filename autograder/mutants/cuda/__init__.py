"""The wrong answers to lab 6, CUDA kernels."""

from types import ModuleType

from autograder.mutants.cuda import gemm, memory

MODULES: tuple[ModuleType, ...] = (gemm, memory)
