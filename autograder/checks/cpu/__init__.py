"""The checks of lab 5, CPU kernels, in the order of the lab."""

from types import ModuleType

from autograder.checks.model import in_order

ORDER: tuple[str, ...] = ()
MODULES: tuple[ModuleType, ...] = ()
CHECKS = in_order(ORDER, MODULES)
