"""The checks of lab 2, dispatch, in the order of the lab."""

from autograder.checks.model import in_order

ORDER: tuple[str, ...] = ()
CHECKS = in_order(ORDER, ())
