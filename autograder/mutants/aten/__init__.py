"""The wrong answers to lab 3, operators."""

from types import ModuleType

from autograder.mutants.aten import equivalent_b, generated, iteration, kernels, promotion, shapes

MODULES: tuple[ModuleType, ...] = (equivalent_b, generated, iteration, kernels, promotion, shapes)
