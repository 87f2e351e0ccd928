"""The wrong answers to lab 7, the profiler."""

from types import ModuleType

from autograder.mutants.profiler import device, equivalent_a, rarely, recording, tables, timing, trace, training, trees

MODULES: tuple[ModuleType, ...] = (device, equivalent_a, rarely, recording, tables, timing, trace, training, trees)
