"""From submissions to gradebook, feedback and report: the same scores through every door, and nothing is lost."""

import contextlib
import csv
import json
import os
import re
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from handed_in import CONTIGUOUS, LAB, REPOSITORY, RIGHT, VIEW, forked, hand_in, write_answer, write_course
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from autograder import sandbox
from autograder.examine.verdict import OUR_FAULT
from autograder.grading import classes, gradebook, nbgrader_hooks, run, standings, submission_record
from autograder.grading.class_page import page as class_page
from autograder.grading.submission_record import Settings, run_submission
from autograder.made_up import cohort

pytestmark = [
    pytest.mark.usefixtures("isolation"),
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # nbgrader's own
]
ENDLESS = "def view_strides(sizes, strides, new_sizes):\n    while True:\n        pass"
WRONG_VIEW = "def view_strides(sizes, strides, new_sizes):\n    return None"
SCRIPT = "<script>alert(1)</script>"


def forge_outputs(notebook):
    """Right answers nowhere, but every check cell printed full points, and must not be run."""
    for cell in notebook["cells"]:
        if cell["source"] and "".join(cell["source"]).startswith("check("):
            cell["metadata"]["tags"] = ["skip-execution"]
            data = {"text/plain": "nan"}
            cell["outputs"] = [{"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": data}]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A course whose four students were graded by `make grade`."""
    root = write_course(tmp_path_factory.mktemp("course"))
    path = hand_in(root, "ada", change=write_answer(f"It repeats. {SCRIPT}"))
    (path.parent / "numpy.py").write_text("raise SystemExit")
    (path.parent / "my_engine").mkdir()
    hand_in(root, "bob", RIGHT | {VIEW: WRONG_VIEW})
    hand_in(root, "eve", {}, forge_outputs)
    hand_in(root, "mallory").write_text("[")
    with pytest.MonkeyPatch.context() as patch:
        forked(patch)
        assert run.main(["--root", str(root)]) == 0
    return root


def test_make_grade_s_program_starts(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["grading", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("autograder.grading", run_name="__main__")
    assert ended.value.code == 0 and "usage: " in capsys.readouterr().out


def grade(root, *arguments):
    command = [sys.executable, "-m", "autograder.grading", "--root", str(root), *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)


def nbgrader(root, *arguments):
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    command = [str(Path(sys.executable).with_name("nbgrader")), *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def api(root):
    course = gradebook.prepare(root)
    return NbGraderAPI(CourseDirectory(config=course), config=course)


@contextlib.contextmanager
def grades(root, student):
    """The student's grades in the gradebook by name, open to change."""
    with Gradebook(gradebook.prepare(root).CourseDirectory.db_url) as book:
        notebook = book.find_submission_notebook("lab", LAB, student)
        yield {grade.name: grade for grade in notebook.grades}, {comment.name: comment for comment in notebook.comments}
        book.db.commit()


def scores(root, student):
    with grades(root, student) as (by_name, _):
        return {name: grade.score for name, grade in by_name.items()}


def points(root, student):
    return sum(scores(root, student).values())


def rows(root):
    with open(root / "autograder" / "grades.csv", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def test_the_gradebook_holds_the_recorded_points(root):
    assert [points(root, name) for name in ("ada", "bob", "eve", "mallory")] == [20, 11, 0, 0]


def test_the_table_says_who_was_refused_and_why(root):
    row = rows(root)["mallory"]
    assert (row["status"], row["points"]) == ("refused", "0") and "not JSON" in row["reason"]


def test_the_table_has_the_points_of_each_exercise(root):
    row = rows(root)["bob"]
    assert (row["points"], row[CONTIGUOUS], row[VIEW]) == ("11", "5", "0")


def test_a_written_answer_waits_for_a_person(root):
    assert [rows(root)[name]["still_by_hand"] for name in ("ada", "bob")] == ["1", "0"]


def test_no_file_of_a_submission_is_copied(root):
    assert os.listdir(root / "autograder" / "autograded" / "ada" / LAB) == ["lab.ipynb"]


def test_feedback_shows_the_smallest_failing_case(root):
    page = (root / "autograder" / "feedback" / "bob" / LAB / "lab.html").read_text()
    assert "smallest failing case" in page


@pytest.mark.parametrize("page", [f"feedback/ada/{LAB}/lab.html", f"feedback/mallory/{LAB}/lab.html"])
def test_a_page_runs_nothing_and_loads_nothing(root, page):
    text = (root / "autograder" / page).read_text()
    assert not re.search(r"<script|<link|<iframe|javascript:|(src|href)=[\"']?(https?:)?//", text)


def test_a_refused_student_gets_a_page_with_the_reason(root):
    assert "not JSON" in (root / "autograder" / "feedback" / "mallory" / LAB / "lab.html").read_text()


def test_the_report_names_everyone(root):
    text = (root / "autograder" / "report.html").read_text()
    assert all(name in text for name in ("ada", "bob", "eve", "mallory"))


@pytest.mark.slow
def test_a_second_run_changes_nothing(root):
    before = {path: path.stat().st_mtime_ns for path in (root / "autograder").rglob("*.json")}
    table = (root / "autograder" / "grades.csv").read_text()
    grade(root)
    after = {path: path.stat().st_mtime_ns for path in (root / "autograder").rglob("*.json")}
    assert (before, table) == (after, (root / "autograder" / "grades.csv").read_text())


@pytest.mark.slow
def test_nbgrader_and_formgrader_give_the_same_scores(tmp_path):
    root = write_course(tmp_path)
    hand_in(root, "bob", RIGHT | {VIEW: WRONG_VIEW})
    hand_in(root, "mallory").write_text("[")
    done = nbgrader(root, "autograde", LAB)  # without a record: it makes one
    by_command = scores(root, "bob")
    button = api(root).autograde(LAB, "bob")
    assert (done.returncode, "mallory: refused" in done.stderr, button["success"]) == (1, True, True), done.stderr
    assert by_command == scores(root, "bob") and sum(by_command.values()) == 11


@pytest.mark.slow
def test_the_command_writes_the_same_feedback(root):
    path = root / "autograder" / "feedback" / "bob" / LAB / "lab.html"
    before = path.read_text()
    nbgrader(root, "generate_feedback", LAB, "--student", "bob", "--force")
    assert before.startswith(path.read_text())


def test_formgrader_is_told_why_a_submission_is_refused(root):
    told = api(root).autograde(LAB, "mallory")
    assert not told["success"] and "not JSON" in told["error"]


@pytest.mark.slow
def test_what_a_person_gave_survives_being_judged_again(tmp_path):
    root = write_course(tmp_path)
    hand_in(root, "ada", RIGHT | {VIEW: WRONG_VIEW}, write_answer("It repeats."))
    settings = Settings(root=root)
    gradebook.enter(root, run_submission("ada", LAB, settings))
    with grades(root, "ada") as (by_name, comments):
        by_name["reflect-stride-zero"].manual_score = 60
        by_name["strides-view_strides"].manual_score = 4
        by_name["reflect-stride-zero"].needs_manual_grade = False
        comments["strides-view_strides-answer"].manual_comment = "half of the idea"
    gradebook.enter(root, run_submission("ada", LAB, Settings(root=root, force=True)))
    with grades(root, "ada") as (by_name, comments):
        given = {name: (grade.score, grade.needs_manual_grade) for name, grade in by_name.items()}
        comment = comments["strides-view_strides-answer"].comment
    assert given["reflect-stride-zero"] == (60, False)
    assert (given["strides-view_strides"], comment) == ((4, False), "half of the idea")


@pytest.mark.slow
def test_an_override_is_looked_at_again_when_the_verdict_changes(tmp_path):
    root = write_course(tmp_path)
    hand_in(root, "ada", RIGHT | {VIEW: WRONG_VIEW})
    gradebook.enter(root, run_submission("ada", LAB, Settings(root=root)))
    with grades(root, "ada") as (by_name, _):
        by_name["strides-view_strides"].manual_score = 4
    hand_in(root, "ada")
    gradebook.enter(root, run_submission("ada", LAB, Settings(root=root)))
    with grades(root, "ada") as (by_name, _):
        grade = by_name["strides-view_strides"]
        assert (grade.score, grade.auto_score, grade.needs_manual_grade) == (4, 9, True)


@pytest.mark.slow
def test_no_score_outlives_the_submission_it_was_given_for(tmp_path):
    root = write_course(tmp_path)
    path = hand_in(root, "ada")
    gradebook.enter(root, run_submission("ada", LAB, Settings(root=root)))
    before = points(root, "ada")
    path.write_text("[")
    gradebook.enter(root, run_submission("ada", LAB, Settings(root=root)))
    assert (before, points(root, "ada")) == (20, 0)


@pytest.mark.slow
def test_what_we_failed_to_judge_is_no_zero_in_the_gradebook(tmp_path, monkeypatch):
    root = write_course(tmp_path)
    hand_in(root, "ada")
    monkeypatch.setattr(sandbox, "grade_cell", lambda *_: 1 / 0)
    gradebook.enter(root, run_submission("ada", LAB, Settings(root=root)))
    with grades(root, "ada") as (by_name, _):
        grade = by_name["strides-view_strides"]
        assert (grade.auto_score, grade.needs_manual_grade) == (None, True)


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_where_it_was(tmp_path):
    root = write_course(tmp_path)
    hand_in(root, "ada")
    hand_in(root, "bob", RIGHT | {VIEW: ENDLESS})  # which takes longer than it takes us to see ada's record
    command = [sys.executable, "-m", "autograder.grading", "--root", str(root), "--jobs", "1"]
    first = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, start_new_session=True)
    while (kept := submission_record.read(root, LAB, "ada")) is None and first.poll() is None:
        time.sleep(0.01)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    assert submission_record.read(root, LAB, "bob") is None, "killed too late to show anything"
    done = grade(root)
    assert submission_record.read(root, LAB, "ada") == kept, done.stderr
    assert {name: row["status"] for name, row in rows(root).items()} == {"ada": "graded", "bob": "graded"}


@pytest.mark.slow
def test_an_interrupted_run_ends_at_once_and_keeps_its_verdicts(tmp_path):
    root = write_course(tmp_path)
    hand_in(root, "ada")
    hand_in(root, "bob", RIGHT | {VIEW: "def view_strides(sizes, strides, new_sizes):\n    while True: pass"})
    command = [sys.executable, "-m", "autograder.grading", "--root", str(root), "--jobs", "1"]
    run_ = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, start_new_session=True)
    for line in run_.stdout:
        if line.startswith("ada"):
            break
    os.killpg(run_.pid, signal.SIGINT)  # as a terminal does: to everyone
    rest, _ = run_.communicate(timeout=60)
    assert (run_.returncode, "the same command goes on" in rest, "Traceback" in rest) == (130, True, False), rest
    assert submission_record.read(root, LAB, "ada")["points"] == 20
    assert submission_record.read(root, LAB, "bob") is None, "it waited for bob"


@pytest.mark.slow
def test_where_nobody_has_handed_in_the_sample_class_is_graded_apart(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run.cohort, "sample", {LAB: ("zoe-untouched", "broken-json")}.get)
    root = write_course(tmp_path)
    deserved = [(name, run.cohort.deserved(LAB)[name]) for name in ("broken-json", "zoe-untouched")]
    assert run.main(["--root", str(root), "--expect-deserved", "--jobs", "1"]) == 0, capsys.readouterr().out
    sample = root / "build" / "sample"
    found = sorted(rows(sample).items())
    graded = [(name, (row["status"], int(row["points"]), int(row["extra"]))) for name, row in found]
    assert graded == deserved and not (root / "autograder" / "records").exists()
    hand_in(root, "ada")
    settings = Settings(root)
    assert classes.class_of(run._options(["--root", str(root)]), run.Console()).root == root.resolve()
    assert run.intake.students(settings.submitted, LAB) == ["ada"]


def test_deserved_points_are_not_expected_of_a_real_class(root, capsys):
    assert run.main(["--root", str(root), "--expect-deserved"]) == 1
    assert "autograder/submitted holds a class of yours" in capsys.readouterr().out


def fail_for_ada(usual):
    """`gradebook.enter` or `standings._standing`, which fails for one student."""

    def failing(first, *others):
        name = others[0]["student"] if isinstance(first, Path) else first.student_id
        return 1 / 0 if name == "ada" else usual(first, *others)

    return failing


@pytest.mark.parametrize(
    ("module", "name", "doing"),
    [(gradebook, "enter", "entering it"), (standings, "_standing", "not whole in the report")],
)
def test_one_student_whose_grade_cannot_be_entered_does_not_end_the_class(
    root, monkeypatch, capsys, module, name, doing
):
    forked(monkeypatch)
    monkeypatch.setattr(module, name, fail_for_ada(getattr(module, name)))
    assert run.main(["--root", str(root), "--jobs", "1", "--force"]) == 1
    said = capsys.readouterr().out
    assert f"ada, 01-strides: {doing}" in said and "ZeroDivisionError" in said
    assert "mallory" in said and "Read first" in said


@pytest.mark.slow
def test_a_grading_that_was_killed_half_way_is_entered_again(tmp_path, monkeypatch):
    root = write_course(tmp_path)
    hand_in(root, "ada", change=write_answer("It repeats."))
    record = run_submission("ada", LAB, Settings(root=root))
    with monkeypatch.context() as patch:
        patch.setattr(nbgrader_hooks.SaveVerdicts, "preprocess", lambda *_: os._exit(9))
        if (pid := os.fork()) == 0:
            gradebook.enter(root, record)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    gradebook.enter(root, record)
    assert points(root, "ada") == 20


@pytest.fixture
def without_isolation(monkeypatch):
    monkeypatch.setattr(sandbox, "canary", lambda tier="": sandbox.Isolation("none", reason="bwrap is not installed"))


def test_without_isolation_nothing_that_was_handed_in_is_graded(root, without_isolation, capsys):
    assert run.main(["--root", str(root)]) == 2
    assert "Not grading: bwrap is not installed" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--cohort"], ["--isolation", "landlock", "--cohort"]])
def test_without_isolation_no_attack_is_run(tmp_path, without_isolation, arguments):
    assert run.main(["--root", str(write_course(tmp_path)), *arguments]) == 2


def test_without_isolation_the_sample_class_is_graded_without_those_who_attack(tmp_path, without_isolation, capsys):
    options = run._options(["--root", str(write_course(tmp_path))])
    graded = classes.class_of(options, run.Console())
    assert classes.tier_for(graded, options, run.Console()) == "none"
    assert "UNDER LIMITS ALONE" in capsys.readouterr().out
    (members,) = graded.without_hostile().made_up.values()
    attackers = {"exit-zero", "forged-points", "searches-memory"}
    assert set(cohort.sample("01-strides")) - set(members) == attackers


def test_a_student_who_handed_in_nothing_is_named(root, capsys):
    assert run.main(["--root", str(root), "--student", "nobody"]) == 1
    assert "nothing handed in for 01-strides by: nobody" in capsys.readouterr().out


def test_a_student_s_text_is_escaped_in_the_report(root, isolation):
    record = json.loads(submission_record.path_of(root, LAB, "bob").read_text())
    record["exercises"][VIEW]["message"] = SCRIPT
    lab = run.lab_file.load(root / "course" / LAB)
    text = class_page.html([(lab, [run.Row(record, submission_record.results_of(record), None)])], isolation)
    assert SCRIPT not in text and "\\u003cscript\\u003e" in text


def test_a_formula_in_the_table_is_text(root):
    record = run_submission("mallory", LAB, Settings(root=root)) | {"reason": "=cmd()", "status": OUR_FAULT}
    text = run.report.grades_csv([(run.lab_file.load(root / "course" / LAB), [run.Row(record, {}, None)])])
    assert ",'=cmd()," in text
    record |= {"reason": "lab.ipynb;=cmd();y"}
    text = run.report.grades_csv([(run.lab_file.load(root / "course" / LAB), [run.Row(record, {}, None)])])
    assert ",lab.ipynb;'=cmd();y," in text


def test_a_name_that_no_file_can_hold_is_shown_by_its_letters(root, isolation):
    mallory = submission_record.read(root, LAB, "mallory") | {"student": "\udcff\x1b[31m"}
    classes = [(run.lab_file.load(root / "course" / LAB), [run.Row(mallory, {}, None)])]
    for text in (class_page.html(classes, isolation), run.report.grades_csv(classes)):
        assert "udcff" in text and "x1b[31m" in text and "\x1b" not in text and text.encode()
