"""The wrong answers to lab 6, CUDA kernels."""

from types import ModuleType

from autograder.mutants.cuda import equivalent_b, gemm, memory

MODULES: tuple[ModuleType, ...] = (equivalent_b, gemm, memory)
from autograder.mutants.cuda import blocks, grids, transposes

MODULES: tuple[ModuleType, ...] = (blocks, grids, transposes)
