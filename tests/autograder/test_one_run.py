"""One run at a time, which leaves nothing behind, and ends in a sentence when it can't go on."""

import errno
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from handed_in import LAB, REPOSITORY, hand_in, write_course

from autograder.grading import disk, lock, run, submission_record
from autograder.grading.class_page import files
from autograder.grading.submission_record import Settings
from autograder.sandbox import temporary

needs_sandbox = pytest.mark.usefixtures("isolation")
HOUR_AGO = time.time() - 3600


def start(root, *arguments, **options):
    command = [sys.executable, "-m", "autograder.grading", "--root", str(root), "--jobs", "1", *arguments]
    return subprocess.Popen(
        command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        **options,
    )  # fmt: skip


def kill_this_process():
    os.kill(os.getpid(), signal.SIGKILL)


def in_another_process(work):
    """Run `work` in a process that ends by being killed."""
    if (pid := os.fork()) == 0:
        try:
            work()
        finally:
            kill_this_process()
    os.waitpid(pid, 0)


# ---- the lock


def test_a_second_run_is_told_who_holds_the_course(tmp_path):
    with lock.only_run(tmp_path, "make grade"):
        with pytest.raises(lock.InUse) as told, lock.only_run(tmp_path, "make feedback"):
            pass
        assert re.match(rf"This course is in use by make grade \(process {os.getpid()} on .+, since 2", str(told.value))
    with lock.only_run(tmp_path, "make feedback"):
        pass


@needs_sandbox
@pytest.mark.slow
def test_two_runs_at_once_on_one_course(tmp_path):
    root = write_course(tmp_path)
    hand_in(root, "ada")
    with lock.only_run(root, "make grade"):
        second = start(root)
        said, _ = second.communicate(timeout=120)
    assert second.returncode == 1 and "This course is in use by make grade" in said and "Traceback" not in said
    assert submission_record.read(root, LAB, "ada") is None


def test_a_process_that_was_killed_holds_nothing(tmp_path):
    def hold():
        with lock.only_run(tmp_path, "make grade"):
            kill_this_process()

    in_another_process(hold)
    with lock.only_run(tmp_path, "make grade"):
        pass


# ---- temporary folders


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(temporary.tempfile, "tempdir", str(tmp_path))
    return tmp_path


def make_in_a_process_that_is_killed(folder):
    before = {*folder.iterdir()}
    in_another_process(lambda: temporary.make("run"))
    (made,) = {*folder.iterdir()} - before
    os.utime(made, (HOUR_AGO, HOUR_AGO))
    return made


def test_what_a_killed_process_left_is_removed(folder):
    left = make_in_a_process_that_is_killed(folder)
    (left / "file").touch()
    os.utime(left, (HOUR_AGO, HOUR_AGO))
    assert temporary.sweep() == [left.name] and not left.exists()


def test_what_a_live_process_has_and_what_is_not_ours_stays(folder):
    live = temporary.make("image")
    young = make_in_a_process_that_is_killed(folder)
    os.utime(young)
    other = folder / "inside-the-tensor-image-abc"
    other.mkdir()
    link = folder / f"inside-the-tensor-run-1-{'x' * 8}"
    link.symlink_to(other)
    for path in (live, other):
        os.utime(path, (HOUR_AGO, HOUR_AGO))
    assert temporary.sweep() == [] and all(path.exists() for path in (live, young, other, link))


def test_a_run_leaves_nothing_in_the_temporary_directory(folder):
    with temporary.for_this_run() as own:
        temporary.tempfile.mkdtemp()
        assert os.environ["TMPDIR"] == str(own) and own in list(folder.iterdir())
    assert not own.exists()


# ---- disks

ROOT = Path("/course")
FULL = OSError(errno.ENOSPC, "No space left on device", "/course/autograder/records/a.tmp")
ERRORS = {
    "full": (FULL, "/course/autograder/records/a.tmp can't be written. The disk is full: free some space, then give"),
    "read-only": (OSError(errno.EROFS, "", "/course/x"), "/course/x can't be written. The disk is read-only: let"),
    "quota": (OSError(errno.EDQUOT, ""), "A file below /course can't be written. The quota of this account"),
    "may not write": (PermissionError(errno.EACCES, "", "/course/course"), "/course/course can't be written. Let"),
    "full database": (sqlite3.OperationalError("database or disk is full"), "The gradebook can't be written. The disk"),
    "database": (sqlite3.OperationalError("attempt to write a readonly database"), "The gradebook can't be written."),
    "quoted": (RuntimeError("x\nOSError: [Errno 28] No space left on device: '/course/y'"), "/course/y can't be"),
    "a submission": (PermissionError(errno.EACCES, "", "/course/autograder/submitted/ada/01"), ""),
    "another error": (ValueError("[Errno 2] No such file"), ""),
}


@pytest.mark.parametrize(("error", "said"), ERRORS.values(), ids=ERRORS)
def test_a_disk_that_takes_nothing_is_named_with_what_to_do(error, said):
    got = disk.sentence(error, ROOT)
    assert got.startswith(said) and bool(got) == bool(said)


def test_the_cause_of_an_error_is_looked_at():
    try:
        try:
            raise FULL
        except OSError as error:
            raise RuntimeError("the gradebook") from error
    except RuntimeError as error:
        assert disk.sentence(error, ROOT).startswith("/course/autograder/records/a.tmp")


@needs_sandbox
@pytest.mark.slow
def test_a_run_on_a_full_disk_ends_in_one_sentence_and_loses_nothing(tmp_path, monkeypatch, capsys):
    root = write_course(tmp_path)
    hand_in(root, "ada")
    assert run.main(["--root", str(root), "--jobs", "1"]) == 0
    (root / "autograder" / "report.html").unlink()
    before = {path: path.read_bytes() for path in (root / "autograder").rglob("*") if path.is_file()}
    capsys.readouterr()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", str(root / "autograder" / "report.html"))

    monkeypatch.setattr(files, "write_whole", full)
    assert run.main(["--root", str(root), "--jobs", "1"]) == 1
    said = capsys.readouterr().out
    assert "The disk is full: free some space" in said and "Traceback" not in said
    changed = [path.name for path, text in before.items() if path.read_bytes() != text]
    assert set(changed) <= {"gradebook.db", "grading.lock"}


# ---- files that are nobody's


@needs_sandbox
@pytest.mark.slow
def test_a_stray_file_is_said_once_and_is_no_student(tmp_path, capsys):
    root = write_course(tmp_path)
    hand_in(root, "ada")
    (root / "autograder" / "submitted" / "notes.txt").touch()
    assert run.main(["--root", str(root), "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert said.count("notes.txt") == 1 and "is no student's folder: not graded" in said
    assert [row.name for row in run.rows_of(run.lab_file.load(root / "course" / LAB), Settings(root))] == ["ada"]


# ---- Ctrl-C

ENDED_BY_CTRL_C = (130, -signal.SIGINT)  # a shell shows 130 for both; the second while modules are imported
PHASES = {"loading": "loading the grader", "weaving": "weaving 01-strides", "judging": "ada "}


@needs_sandbox
@pytest.mark.slow
@pytest.mark.parametrize(("phase", "line"), PHASES.items())
def test_ctrl_c_ends_a_run_at_once_with_one_sentence(tmp_path, phase, line):
    root = write_course(tmp_path / "course")
    for name in ("ada", "bob", "eve", "mia"):
        hand_in(root, name)
    (tmp_path / "tmp").mkdir()
    first = start(root, env=os.environ | {"TMPDIR": str(tmp_path / "tmp")})
    for said in first.stdout:
        if said.startswith(line):
            break
    time.sleep(0.2)
    begun = time.time()
    os.killpg(first.pid, signal.SIGINT)  # as a terminal does: to everyone
    rest, _ = first.communicate(timeout=60)
    assert time.time() - begun < 8, "it took its time, on a busy machine too"
    assert first.returncode in ENDED_BY_CTRL_C and "Traceback" not in rest, rest
    assert rest.lower().count("stopped") == 1, rest
    left = [path.name for path in (tmp_path / "tmp").iterdir()]
    assert all(name.startswith("inside-the-tensor-") for name in left), left
    second = start(root)
    said, _ = second.communicate(timeout=200)
    assert second.returncode == 0, said
