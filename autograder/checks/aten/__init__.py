"""The checks of lab 3, operators, in the order of the lab."""

from autograder.checks.model import in_order

ORDER: tuple[str, ...] = ()
CHECKS = in_order(ORDER, ())
