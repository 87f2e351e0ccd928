"""Due dates and the late policy as `course.yaml` states them: exact to the second, and an error names its line."""

import datetime as dt
import re
from pathlib import Path

import pytest

from autograder.author import lab_text
from autograder.grading import course_file
from autograder.grading.course_file import Course, CourseFileError, Policy, parse
from autograder.grading.timestamps import DAY, BadTime, read_moment

LABS = ("01-strides", "02-dispatch")
UTC = dt.datetime  # the gradebook's times are UTC, and name no zone

MOMENTS = {
    "2015-02-02 15:58:23.948203 UTC": UTC(2015, 2, 2, 15, 58, 23, 948203),  # as nbgrader writes it
    "2026-11-21 08:00:00 +0200": UTC(2026, 11, 21, 6),  # nbgrader takes 0200 for 200 seconds
    "2026-11-21T08:00:00+02:00": UTC(2026, 11, 21, 6),
    "2026-11-21 08:00Z": UTC(2026, 11, 21, 8),
    "2026-11-21 08:00": UTC(2026, 11, 21, 8),
    "2026-11-21 08:00 America/New_York": UTC(2026, 11, 21, 13),
    "2026-10-25 02:30 Europe/Berlin": UTC(2026, 10, 25, 1, 30),  # comes twice: the later one
    "2026-03-29 02:30 Europe/Berlin": UTC(2026, 3, 29, 1, 30),  # never comes
    "": None,
}


@pytest.mark.parametrize(("text", "moment"), MOMENTS.items(), ids=MOMENTS)
def test_a_moment_is_read_to_the_second(text, moment):
    assert read_moment(text) == moment


@pytest.mark.parametrize(
    "text",
    ["9" * 30 + " h", "yesterday", "5", "12:00", "2026-11-21", "2026-11-21 25:00", "2026-02-30 10:00 UTC",
     "2026-11-21 08:00 XYZ", "2026-11-21 08:00 CEST", "2026-11-21 08:00 Europe", "2026-11-21 08:00 +9999",
     "0001-01-01 00:00 +12:00", "9999-12-31 23:59 -12:00", "\x00", "2026-11-21 08:00 UTC\nmore"],
)  # fmt: skip
def test_a_text_that_is_no_moment_is_refused_in_a_sentence(text):
    with pytest.raises(BadTime, match="expected"):
        read_moment(text)


def test_a_due_date_is_in_the_course_s_time_zone():
    course = parse("timezone: Europe/Berlin\ndue:\n  1: 2026-10-12 23:59\n  02-dispatch: 2026-10-26", LABS)
    assert course.due == {"01-strides": UTC(2026, 10, 12, 21, 59), "02-dispatch": UTC(2026, 10, 26, 23)}
    assert course.shown(course.due["02-dispatch"]) == "2026-10-27 00:00:00+01:00"


def test_a_lab_that_is_not_listed_is_due_never_and_without_the_section_the_gradebook_decides():
    assert (parse("due:\n  01: none\n", LABS).due, parse("timezone: UTC", LABS).due) == ({}, None)


BAD = {
    "due: 5": "line 1: expected lines such as NN-name",
    "\ndue:\n  01: 2026-13-40": "line 3: the due date holds '2026-13-40'",
    "due:\n  09: 2026-10-10": "line 2: no lab '09'",
    "due:\n  01: 2026-10-10\n  01: 2026-10-11": "line 3: 01 is there twice",
    "late: often": "line 1: late: 'often', expected none, zero",
    "late:\n  percent_per_day: 120": "line 2: percent_per_day: '120', expected a number from 0 to 100",
    "late:\n  grace_minutes: -1": "line 2: grace_minutes: '-1'",
    "late:\n  grace_minutes: inf": "line 2: grace_minutes: 'inf'",
    "late:\n  per_day: 1": "line 2: unknown key 'per_day'",
    "timezone: Mars": "line 1: unknown time zone 'Mars'",
    "dew: 1": "line 1: unknown key 'dew'",
    "late: none\nscheduler: host": "line 2: scheduler: expected tls://host:8786, got 'host'",
    "scheduler: tls://host:port": "line 1: scheduler: expected tls://host:8786, got 'tls://host:port'",
    "scheduler: tcp://192.0.2.1:8786": "line 1: scheduler: tcp://192.0.2.1:8786 would send students' answers",
    "scheduler: [tls://host:8786]": "line 1: scheduler: expected tls://host:8786, got 'several lines'",
    "count_predictions: often": "line 1: count_predictions: 'often', expected true or false",
    "count_predictions: [true]": "line 1: count_predictions: 'several lines', expected true or false",
    "due: [": "line 1: ",
    "- 1": "line 1: expected lines",
    "a\x00b": "not allowed",
}


@pytest.mark.parametrize(("text", "message"), BAD.items(), ids=BAD)
def test_a_mistake_in_the_file_is_named_with_its_line(text, message):
    with pytest.raises(CourseFileError, match=re.escape(message)):
        parse(text, LABS)


def test_bytes_that_are_no_text_are_a_mistake_too(tmp_path):
    (tmp_path / "course.yaml").write_bytes(b"due:\n\xff")
    assert "can't be read" in course_file.problem(tmp_path)


PENALTIES = [
    (Policy(), 3 * DAY, 0),
    (Policy(zero_after_days=0), 1, 80),
    (Policy(percent_per_day=10), 1, 8),
    (Policy(percent_per_day=10), DAY, 8),
    (Policy(percent_per_day=10), DAY + 1, 16),
    (Policy(percent_per_day=10, at_most_percent=50), 30 * DAY, 40),
    (Policy(percent_per_day=10, at_most_percent=50, zero_after_days=7), 7 * DAY, 40),
    (Policy(percent_per_day=10, at_most_percent=50, zero_after_days=7), 7 * DAY + 1, 80),
    (Policy(percent_per_day=10, grace_minutes=15), 900, 0),
    (Policy(percent_per_day=10, grace_minutes=15), 901, 8),
]


@pytest.mark.parametrize(("policy", "late", "penalty"), PENALTIES)
def test_a_late_submission_of_80_points_loses(policy, late, penalty):
    assert policy.penalty(80, late) == penalty


def test_the_file_of_the_repository_decides_nothing_and_its_example_is_valid():
    text = (lab_text.ROOT / course_file.FILE).read_text()
    known = lab_text.lab_ids()
    assert parse(text, known) == Course()
    example = re.sub(r"^# (due:|late:$|scheduler:|count_predictions:|  )", r"\1", text, flags=re.M)
    course = parse(example, known)
    assert set(course.due) == {"01-strides", "02-dispatch", "03-operators"}
    assert course.late == Policy(10, 50, 15, 7)
    assert course.scheduler == "tls://host:8786" and course.count_predictions


@pytest.mark.parametrize(
    ("text", "counts"), [("", False), ("count_predictions: true", True), ("count_predictions: false", False),
                         ("count_predictions:", False), ("count_predictions: true\nlate: often", False)],
)  # fmt: skip
def test_predictions_are_counted_only_where_a_valid_file_says_so(tmp_path, text, counts):
    (tmp_path / course_file.FILE).write_text(text)
    assert course_file.counts_predictions(tmp_path) is counts


def test_without_a_file_nothing_is_ever_late(tmp_path: Path):
    assert course_file.load(tmp_path) == Course()
