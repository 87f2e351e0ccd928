"""The wrong answers to lab 2, dispatch."""

from types import ModuleType

from autograder.mutants.dispatch import entries, factories, graphs, guards, keys, resolving, schemas, stacks, table

MODULES: tuple[ModuleType, ...] = (entries, factories, graphs, guards, keys, resolving, schemas, stacks, table)
