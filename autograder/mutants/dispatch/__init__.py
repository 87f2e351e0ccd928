"""The wrong answers to lab 2, dispatch."""

from autograder.mutants.dispatch import keys, schemas, table

from autograder.mutants.dispatch import entries, factories, graphs, guards, resolving, stacks

MODULES: tuple[ModuleType, ...] = (entries, factories, graphs, guards, resolving, stacks)
MODULES = (keys, schemas, table)
