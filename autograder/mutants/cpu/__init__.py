"""The wrong answers to lab 5, CPU kernels."""

from types import ModuleType

from autograder.mutants.cpu import elementwise, kernels, scatter, threads

MODULES: tuple[ModuleType, ...] = (elementwise, kernels, scatter, threads)
