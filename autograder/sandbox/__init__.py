"""Runs students' code where it can do no harm, and asks it questions: see `broker.py`."""

from autograder.sandbox.broker import Sandbox
from autograder.sandbox.canary import OPEN, Isolation, NoIsolation, canary
from autograder.sandbox.grade import grade_cell
from autograder.sandbox.guest import BrokenSandbox
from autograder.sandbox.isolation import Limits

__all__ = ["OPEN", "BrokenSandbox", "Isolation", "Limits", "NoIsolation", "Sandbox", "canary", "grade_cell"]
