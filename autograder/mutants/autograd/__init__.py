"""The wrong answers to lab 4, autograd."""

from types import ModuleType

from autograder.mutants.autograd import calls, equivalent, saved, writes

MODULES: tuple[ModuleType, ...] = (calls, equivalent, saved, writes)
from autograder.mutants.autograd import equivalent_a, gradients, graphs, recording

MODULES: tuple[ModuleType, ...] = (equivalent_a, gradients, graphs, recording)
