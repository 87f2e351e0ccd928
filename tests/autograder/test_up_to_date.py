"""A second run passes over what is done, and nothing that has changed."""

import json
import os
import shutil

import pytest
from handed_in import LAB, RIGHT, VIEW, forked, hand_in, write_answer, write_course
from nbgrader.api import Gradebook

from autograder.author.course_config import config
from autograder.grading import database, gradebook, run, store, up_to_date
from autograder.grading.submission_record import Settings


@pytest.fixture
def root(tmp_path):
    course = write_course(tmp_path)
    hand_in(course, "ada", change=write_answer("It repeats."))
    hand_in(course, "grace", answers={VIEW: RIGHT[VIEW]})
    with pytest.MonkeyPatch.context() as patch:
        forked(patch)
        assert run.main(["--root", str(course), "--jobs", "1"]) == 0
    return course


def passed_over(root, capsys, *options):
    """The number of submissions that a further run passes over, and what it says."""
    capsys.readouterr()
    assert run.main(["--root", str(root), "--jobs", "1", *options]) == 0
    said = capsys.readouterr().out
    before, found, _ = said.partition(" submissions are as the last run left them")
    return int(before.split("\n")[-1].split(" of ")[0]) if found else 0


def times(root):
    files = (
        path for path in root.rglob("*") if path.is_file() and path.suffix != ".lock" and path.name != "settled.json"
    )
    return {path: path.stat().st_mtime_ns for path in files}


def test_a_second_run_touches_nothing(root, capsys, monkeypatch):
    before = times(root)
    monkeypatch.setattr(run.pool, "run_all", lambda jobs, *_: (1 / 0 for _ in jobs))
    monkeypatch.setattr(run.migration, "release", None)
    monkeypatch.setattr(run, "write_report", None)
    assert passed_over(root, capsys) == 2
    assert {path: when for path, when in times(root).items() if before.get(path) != when} == {}


def by_hand(root):
    with Gradebook(config(root).CourseDirectory.db_url) as book:
        notebook = book.find_submission_notebook("lab", LAB, "ada")
        notebook.grades[0].manual_score = 7.0
        book.db.commit()


CHANGES = {
    "another answer": lambda root: hand_in(root, "ada", answers={VIEW: "def view_strides(): pass"}),
    "the same notebook, written again": lambda root: hand_in(root, "ada", change=write_answer("It repeats.")),
    "a new time of handing in": lambda root: (root / "autograder/submitted/ada" / LAB / "timestamp.txt").write_text(
        "2030-01-01 10:00 UTC"
    ),
    "a grade by hand": by_hand,
    "a page that is gone": lambda root: (root / f"autograder/feedback/ada/{LAB}/lab.html").unlink(),
    "a notebook that is gone": lambda root: shutil.rmtree(root / f"autograder/autograded/ada/{LAB}"),
    "a record that is gone": lambda root: store.path_of(root, LAB, "ada").unlink(),
    "a record written by hand": lambda root: forge(store.path_of(root, LAB, "ada")),
}


def forge(path):
    path.write_text(json.dumps(json.loads(path.read_text()) | {"points": 80}))


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_one_takes_the_long_way(root, capsys, change):
    CHANGES[change](root)
    assert passed_over(root, capsys) == 1
    assert 2 in (passed_over(root, capsys), passed_over(root, capsys))  # what was worth a note is looked at once more


@pytest.mark.slow
@pytest.mark.parametrize("file", ["course.yaml", "nbgrader_config.py"])
def test_a_change_for_all_takes_the_long_way(root, capsys, file):
    path = root / file
    path.write_text((path.read_text() if path.exists() else "") + "\n# changed\n")
    assert passed_over(root, capsys) == 0
    assert passed_over(root, capsys) == 2


@pytest.mark.slow
def test_the_report_is_written_again_when_the_course_counts_predictions(root, capsys, monkeypatch):
    (root / "course.yaml").write_text("count_predictions: true\n")
    passed_over(root, capsys)
    assert "0 of 2 submissions share their guesses" in (root / "autograder" / "report.html").read_text()
    monkeypatch.setattr(run, "write_report", None)
    assert passed_over(root, capsys) == 2


@pytest.mark.slow
def test_nothing_is_passed_over_that_is_to_be_judged_again(root, capsys):
    assert passed_over(root, capsys, "--force") == 0
    assert passed_over(root, capsys) == 2


@pytest.mark.slow
def test_a_lost_gradebook_is_made_again(root, capsys):
    (root / database.FILE).unlink()
    assert passed_over(root, capsys) == 0
    assert gradebook.standing(root, {"student": "ada", "lab": LAB}).max_score == 100


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"01-strides": 3}'])
def test_a_damaged_file_costs_time_alone(root, capsys, text):
    (root / up_to_date.FILE).write_text(text)
    assert passed_over(root, capsys) == 0
    assert passed_over(root, capsys) == 2


@pytest.mark.slow
def test_a_failure_is_tried_again(root, capsys, monkeypatch):
    (root / up_to_date.FILE).unlink()
    monkeypatch.setattr(run.pool, "run_all", failing)
    assert run.main(["--root", str(root)]) == 1
    assert not any(name.startswith(f"{LAB}/") for name in up_to_date.read(root))


def failing(jobs, settings, _):
    for lab, student in jobs:
        yield run.pool.Outcome(store.read(settings.root, lab, student), ["the disk is slow"], [])


@pytest.mark.slow
def test_what_changes_while_the_run_lasts_is_looked_at_again(root, monkeypatch):
    usual = run.pool.run_all

    def meanwhile(jobs, settings, count):
        yield from usual(jobs, settings, count)
        hand_in(root, "ada", answers={VIEW: "def view_strides(): pass"})

    monkeypatch.setattr(run.pool, "run_all", meanwhile)
    (root / up_to_date.FILE).unlink()
    assert run.main(["--root", str(root), "--jobs", "1"]) == 0
    ada = [(LAB, "ada")]
    now = up_to_date.of_submissions(
        Settings(root), up_to_date.handed_in(Settings(root), ada), up_to_date.seen_now(root, ada)
    )
    assert up_to_date.read(root).get(f"{LAB}/ada") != now.get(f"{LAB}/ada")


def test_nothing_that_was_handed_in_is_opened_or_followed(tmp_path):
    folder = tmp_path / "autograder/submitted/eve" / LAB
    folder.mkdir(parents=True)
    os.mkfifo(folder / "lab.ipynb")
    (folder / "up").symlink_to("..")
    (found,) = up_to_date.handed_in(Settings(tmp_path), [(LAB, "eve")]).values()
    assert [os.path.basename(path) for path, *_ in found] == [LAB, "lab.ipynb", "up"]
