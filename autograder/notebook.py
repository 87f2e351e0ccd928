"""The names that a lab's notebook imports: `from autograder.notebook import check, predict, ...`."""

from autograder.student.notebook import CheckFailed, check, progress, replay, resume
from autograder.student.predict import predict

__all__ = ["CheckFailed", "check", "predict", "progress", "replay", "resume"]
