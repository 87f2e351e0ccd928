"""nbgrader's exchange between an instructor's account and a student's, and what a student's account can't do in it."""

import csv
import json
import logging
import os
import pwd
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from handed_in import LAB, REPOSITORY, copied, hand_in, notebook_of, write_course
from nbgrader.coursedir import CourseDirectory

from autograder.department.exchange import PagesRelease, PlainCollect
from autograder.grading import gradebook, submission_record

COURSE = "inside-the-tensor"
ME = pwd.getpwuid(os.getuid()).pw_name
pytestmark = [
    pytest.mark.department,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # nbgrader's own
]


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    return write_course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def root(released, tmp_path):
    """A course whose exchange has a box for submissions."""
    root = copied(released, tmp_path / "course")
    (root / "autograder" / "exchange" / COURSE / "inbound").mkdir(parents=True)
    return root


def submit(root, student, when="2026-10-12 10:00:00.000000 UTC", files=None):
    """A folder in the box, as `nbgrader submit` makes it, owned by the account that runs the tests."""
    folder = root / "autograder" / "exchange" / COURSE / "inbound" / f"{student}+{LAB}+{when}+x"
    folder.mkdir()
    files = {"lab.ipynb": json.dumps(notebook_of(root)), "timestamp.txt": when} if files is None else files
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def start(kind, root, caplog, **options):
    course = gradebook.prepare(root)
    course.CourseDirectory.assignment_id = LAB
    with caplog.at_level(logging.INFO):
        log = logging.getLogger("exchange")
        kind(coursedir=CourseDirectory(config=course), config=course, log=log, **options).start()
    return "\n".join(record.getMessage() for record in caplog.records)


def collected(root, student=ME):
    folder = root / "autograder" / "submitted" / student / LAB
    return {path.name: path.read_text() for path in folder.glob("*")}


def test_the_classes_are_those_that_nbgrader_s_commands_use(root):
    course = gradebook.prepare(root)
    from nbgrader.exchange import ExchangeFactory

    factory = ExchangeFactory(config=course)
    assert (factory.collect, factory.release_feedback) == (PlainCollect, PagesRelease)


def test_no_link_of_a_student_s_is_followed(root, caplog):
    key = root / "secret.txt"
    key.write_text("the gradebook's key")
    folder = submit(root, ME)
    (folder / "TRACE.md").symlink_to(key)
    (folder / "more").mkdir()
    os.mkfifo(folder / "pipe")
    said = start(PlainCollect, root, caplog)
    assert set(collected(root)) == {"lab.ipynb", "timestamp.txt"}
    assert re.findall(r"left out of .*: '(.*)': (.*)", said) == [
        ("TRACE.md", "a link, or not readable (Too many levels of symbolic links)"),
        ("pipe", "no plain file"),
    ]


def test_nobody_submits_in_another_s_name_and_no_name_ends_it_for_the_class(root, caplog):
    theirs = submit(root, ME)
    submit(root, "ada", "2026-10-13 10:00:00.000000 UTC")
    submit(root, ME, "the day after tomorrow")
    box = theirs.parent
    (box / f"{ME}+{LAB}+2026-10-14 10:00:00.000000 UTC+x").symlink_to(theirs)
    (box / f"{ME}+{LAB}+2026-10-15 10:00:00.000000 UTC+x").write_text("no folder")
    said = start(PlainCollect, root, caplog)
    assert collected(root)["timestamp.txt"] == "2026-10-12 10:00:00.000000 UTC" and not collected(root, "ada")
    assert f"it says ada, and its owner is {ME}" in said
    assert len(re.findall("^not collected: ", said, re.M)) == 4


def test_a_file_that_is_too_large_is_left_out(root, caplog):
    course = gradebook.prepare(root)
    most = CourseDirectory(config=course).max_file_size * 1000
    with open(submit(root, ME) / "data.bin", "wb") as file:
        file.truncate(most + 1)
    assert f"'data.bin': more than {most:,} bytes" in start(PlainCollect, root, caplog)
    assert set(collected(root)) == {"lab.ipynb", "timestamp.txt"}


def test_a_page_is_released_for_the_submission_that_it_is_about(root, caplog):
    for student in ("ada", "bob", "carla"):
        path = hand_in(root, student)
        if student != "carla":
            path.with_name("submission_secret.txt").write_text(f"secret of {student}")
        record = submission_record.refused(student, LAB, "only for a page", submission_record.Settings(root=root))
        record |= {"status": "graded", "submission": record_of(root, student)}
        submission_record.write(root, record)
        gradebook.write_plain_feedback(root, record)
    hand_in(root, "bob", {})
    said = start(PagesRelease, root, caplog)
    pages = list((root / "autograder" / "exchange" / COURSE / "feedback").iterdir())
    assert ["01-strides: ada" in page.read_text() for page in pages] == [True]
    assert pages[0].stat().st_mode & 0o777 == 0o644
    assert "no feedback released for bob: submitted again since it was graded" in said
    assert "no feedback released for carla: submission_secret.txt is missing" in said


def record_of(root, student):
    return submission_record.intake.admit(root / "autograder" / "submitted", student, LAB).digest


# ---- two accounts


def accounts():
    """An instructor and a student among the accounts that every system has."""
    try:
        return pwd.getpwnam("daemon"), pwd.getpwnam("nobody")
    except KeyError:
        return None


WHY = (
    "only root becomes two users" if os.geteuid() != 0
    else "no accounts daemon and nobody" if accounts() is None else ""
)  # fmt: skip


@pytest.fixture
def place():
    """A folder that every account may enter; pytest's are root's alone."""
    with tempfile.TemporaryDirectory(prefix="exchange-") as made:
        os.chmod(made, 0o755)
        yield Path(made)


class Account:
    """Runs commands as a user of its own, who has a home and may write nowhere else."""

    def __init__(self, place, entry):
        self.place, self.entry, self.home = place, entry, place / f"home-{entry.pw_name}"
        self.home.mkdir(mode=0o700)
        self.owns(self.home)

    def owns(self, folder):
        for path in (folder, *folder.rglob("*")):
            os.chown(path, self.entry.pw_uid, self.entry.pw_gid)

    def does(self, *command, folder=None):
        from red_team.__main__ import ordinary

        environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8"}
        words = [*ordinary(str(self.place), self.entry.pw_uid), sys.executable, "-W", "ignore", "-m", *command]
        done = subprocess.run(
            words, cwd=folder or self.home, env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.skipif(bool(WHY), reason=f"not run: {WHY}")
@pytest.mark.usefixtures("bubblewrap")
def test_a_lab_goes_to_a_student_s_account_and_its_feedback_comes_back(place, monkeypatch):
    monkeypatch.syspath_prepend(str(REPOSITORY / "tests"))
    teacher, student = (Account(place, entry) for entry in accounts())
    root, name = write_course(place / "course"), student.entry.pw_name
    settings = f'c = get_config()\nc.CourseDirectory.course_id = "{COURSE}"\nc.Exchange.root = "{place}/exchange"\n'
    with open(root / "nbgrader_config.py", "a") as file:
        file.write(f'c.Exchange.root = "{place}/exchange"\n')
    (student.home / ".jupyter").mkdir()
    (student.home / ".jupyter" / "nbgrader_config.py").write_text(settings)
    (place / "exchange").mkdir()
    teacher.owns(root), teacher.owns(place / "exchange"), student.owns(student.home / ".jupyter")
    os.chmod(root, 0o700)  # no student can look into the course

    teacher.does("nbgrader", "release_assignment", LAB, folder=root)
    student.does("nbgrader", "fetch_assignment", LAB)
    notebook = student.home / LAB / "lab.ipynb"
    assert notebook.read_bytes() == (root / "course" / LAB / "lab.ipynb").read_bytes()
    notebook.write_text(json.dumps(notebook_of(root)))
    student.does("nbgrader", "submit", LAB)
    assert "Collecting submission: nobody 01-strides" in teacher.does("nbgrader", "collect", LAB, folder=root)

    teacher.does("autograder.grading", "--root", str(root), "--jobs", "1", folder=root)
    with open(root / "autograder" / "grades.csv", newline="") as table:
        (row,) = csv.DictReader(table)
    assert (row["student"], row["status"], row["points"]) == (name, "graded", "20")
    assert row["submitted"].startswith("20") and row["seconds_late"] == ""

    teacher.does("nbgrader", "release_feedback", LAB, folder=root)
    student.does("nbgrader", "fetch_feedback", LAB)
    (page,) = (student.home / LAB / "feedback").glob("*/lab.html")
    assert page.read_bytes() == (root / "autograder" / "feedback" / name / LAB / "lab.html").read_bytes()
    assert f"{LAB}: {name}" in page.read_text()
