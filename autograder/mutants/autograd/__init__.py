"""The wrong answers to lab 4, autograd."""

from types import ModuleType

from autograder.mutants.autograd import calls, equivalent, equivalent_a, gradients, graphs, recording, saved, writes

MODULES: tuple[ModuleType, ...] = (calls, equivalent, equivalent_a, gradients, graphs, recording, saved, writes)
