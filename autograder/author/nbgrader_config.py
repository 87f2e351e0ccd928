"""nbgrader's configuration of the course; loaded by `nbgrader_config.py` in the repository's root."""

from pathlib import Path

from autograder.author.course_config import config
from autograder.grading.nbgrader_hooks import configure, install

install()  # first: without it nbgrader would run what students hand in
c = get_config()  # type: ignore[name-defined]  # noqa: F821
c.merge(configure(config(Path(__file__).resolve().parents[2])))
