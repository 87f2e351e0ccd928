"""The wrong answers to lab 7, the profiler."""

from types import ModuleType

from autograder.mutants.profiler import device, timing, trace, training

MODULES: tuple[ModuleType, ...] = (device, timing, trace, training)
