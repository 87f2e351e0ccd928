"""The wrong answers to lab 3, operators."""

from types import ModuleType

from autograder.mutants.aten import iteration, promotion, shapes

MODULES: tuple[ModuleType, ...] = (iteration, promotion, shapes)
