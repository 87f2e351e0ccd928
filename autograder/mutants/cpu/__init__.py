"""The wrong answers to lab 5, CPU kernels."""

from types import ModuleType

from autograder.mutants.cpu import elementwise, equivalent_a, equivalent_b, kernels, products, scatter, sums, threads

MODULES: tuple[ModuleType, ...] = (elementwise, equivalent_a, equivalent_b, kernels, products, scatter, sums, threads)
