"""All checks, by exercise, lab after lab, each in the order of its text."""

from autograder.checks import aten, autograd, cpu, cuda, dispatch, profiler, strides
from autograder.checks.model import Aspect, Case, Check

__all__ = ["CHECKS", "Aspect", "Case", "Check"]

CHECKS: dict[str, Check] = {
    check.exercise: check for lab in (strides, dispatch, aten, autograd, cpu, cuda, profiler) for check in lab.CHECKS
}
