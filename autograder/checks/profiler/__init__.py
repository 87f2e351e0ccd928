"""The checks of lab 7, the profiler, in the order of the lab."""

from types import ModuleType

from autograder.checks.model import in_order

ORDER: tuple[str, ...] = ()
MODULES: tuple[ModuleType, ...] = ()
CHECKS = in_order(ORDER, MODULES)
