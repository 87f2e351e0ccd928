"""Runs students' code where it can do no harm, and asks it questions: see `sandbox.py`."""

from autograder.sandbox.canary import OPEN, Isolation, NoIsolation, canary
from autograder.sandbox.grade import grade_cell
from autograder.sandbox.guest_process import BrokenSandbox
from autograder.sandbox.isolation import Limits
from autograder.sandbox.sandbox import Sandbox

__all__ = ["OPEN", "BrokenSandbox", "Isolation", "Limits", "NoIsolation", "Sandbox", "canary", "grade_cell"]
