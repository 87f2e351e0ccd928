"""The names that a lab's notebook imports: `from autograder.notebook import check, progress, resume`."""

from autograder.student.notebook import CheckFailed, check, progress, replay, resume

__all__ = ["CheckFailed", "check", "progress", "replay", "resume"]
