"""The wrong answers to lab 4, autograd."""

from types import ModuleType

MODULES: tuple[ModuleType, ...] = ()
