"""All checks, by exercise, lab after lab, each in the order of its text."""

from autograder.checks import aten, autograd, dispatch, strides
from autograder.checks.model import Aspect, Case, Check

__all__ = ["CHECKS", "Aspect", "Case", "Check"]

CHECKS: dict[str, Check] = {
    check.exercise: check for lab in (strides, dispatch, aten, autograd) for check in lab.CHECKS
}
