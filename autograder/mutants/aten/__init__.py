"""The wrong answers to lab 3, operators."""

from types import ModuleType

MODULES: tuple[ModuleType, ...] = ()
