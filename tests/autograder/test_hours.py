"""The hours that a student asks to be kept: which minutes belong to what, what the file survives, and who sees it."""

import gc
import json
import os
import sys
import threading
import zipfile

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
from written_lab import EXERCISES

from autograder import overlay
from autograder.author import lab_text
from autograder.examine.lab_file import Attached, Exercise, Lab, dump
from autograder.labs import CHECKS
from autograder.student import cell_text, explain, hours, hours_file, notebook, recorded, submit
from autograder.student.draw_hours import NOT_OPENED, NOT_PASSED, PASSED, draw_hours
from autograder.student.hours_file import FILE, Hours, Worked

FRESH, ACCESSOR, VIEW = EXERCISES
STUB = 'def contiguous_strides(sizes):\n    raise NotImplementedError("contiguous_strides")\n'
WRONG = "def contiguous_strides(sizes):\n    return tuple(range(len(sizes), 0, -1))\n"
MINUTE = 60.0


@pytest.fixture(scope="module")
def shell():
    main = sys.modules["__main__"]
    made = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
    gc.freeze()  # each `reset` looks for garbage, and not among all that was imported
    yield made
    made.restore_sys_module_state()
    sys.modules["__main__"] = main  # it puts its own namespace there


@pytest.fixture(scope="module")
def cases():
    return recorded.record("01-strides", [CHECKS[name] for name in EXERCISES])


class Student:
    """Someone at a notebook whose clock the test moves."""

    def __init__(self, shell, work):
        self.shell, self.work, self.now = shell, work, 0.0

    def runs(self, text, after=0.0):
        """Run a cell some minutes after the last one ended."""
        self.now += after * MINUTE
        self.shell.run_cell(text)

    @property
    def file(self):
        return self.work / FILE

    @property
    def kept(self):
        return hours_file.read(self.file).get("01-strides")


@pytest.fixture
def student(tmp_path, monkeypatch, shell, cases):
    folder = tmp_path / "01-strides"
    folder.mkdir()
    (folder / "cases.json").write_text(cases)
    exercises = [Exercise(name, CHECKS[name].points, optional=name == VIEW) for name in EXERCISES]
    (folder / "lab.json").write_text(dump(Lab("01-strides", "Strides", (*exercises, Attached("TRACE.md", 8)))))
    made = Student(shell, tmp_path)
    monkeypatch.setattr(notebook, "HERE", folder)
    monkeypatch.setattr(notebook, "_checked", {})
    monkeypatch.setattr(cell_text, "runs", [])
    monkeypatch.setattr(hours, "_keeper", None)
    monkeypatch.setattr(hours.Keeper.__init__, "__defaults__", (lambda: made.now,))
    monkeypatch.delenv(hours.VALIDATING, raising=False)
    for module in (cell_text, explain, hours):
        monkeypatch.setattr(module, "get_ipython", lambda: shell)
    shell.reset()
    shell.user_ns |= {"check": notebook.check, "progress": notebook.progress, "resume": notebook.resume, "Ints": tuple}
    hooks = {event: list(found) for event, found in shell.events.callbacks.items()}
    cell_text.watch(shell, lambda: None)
    yield made
    shell.events.callbacks = hooks
    overlay.restore()


KEEP = "resume(keep_hours=True)"


# ---- which minutes belong to what


def test_what_was_read_before_belongs_to_the_exercise_that_is_written_next(student):
    student.runs(KEEP)
    student.runs("1 + 1", after=4)
    student.runs(WRONG, after=3)
    assert student.kept.parts[FRESH].minutes == 7 and student.kept.between == 0


def test_the_minutes_until_a_check_belong_to_its_exercise(student):
    student.runs(KEEP)
    student.runs(WRONG, after=2)
    student.runs(f"check({FRESH!r})", after=1)
    student.runs(overlay.source_of(FRESH), after=5)
    student.runs(f"check({FRESH!r})", after=1)
    student.runs("1 + 1", after=6)
    worked = student.kept.parts[FRESH]
    assert worked.minutes == 9 and worked.passed >= worked.opened > "" and student.kept.between == 6


def test_a_pause_counts_ten_minutes(student):
    student.runs(KEEP)
    student.runs(WRONG, after=600)
    assert student.kept.parts[FRESH].minutes == hours.LONGEST == 10


def test_a_stub_that_is_run_and_checked_opens_no_exercise(student):
    student.runs(KEEP)
    student.runs(STUB, after=2)
    student.runs(f"check({FRESH!r})")
    student.runs(f"check({ACCESSOR!r})")
    assert student.kept == Hours(2.0, {})


def test_what_passed_first_stays_passed(student):
    student.runs(KEEP)
    student.runs(overlay.source_of(FRESH))
    student.runs(f"check({FRESH!r})")
    passed = student.kept.parts[FRESH].passed
    student.runs(WRONG)
    student.runs(f"check({FRESH!r})", after=3)
    assert student.kept.parts[FRESH].passed == passed > "" and student.kept.parts[FRESH].minutes == 3


def test_a_second_sitting_adds_to_the_first(student):
    for _ in range(2):
        student.runs(KEEP)
        student.runs(WRONG, after=4)
        student.runs("resume()", after=2)
        student.now += 1000 * MINUTE
    assert student.kept == Hours(4.0, {FRESH: student.kept.parts[FRESH]}) and student.kept.parts[FRESH].minutes == 8


def test_the_first_cell_that_runs_again_loses_nothing(student):
    student.runs(KEEP)
    student.runs("1", after=3)
    student.runs(KEEP, after=2)
    student.runs(WRONG, after=1)
    assert student.kept.parts[FRESH].minutes == 6


# ---- who asked for it


def test_nothing_is_written_unless_the_student_asks(student, capsys):
    student.runs("resume()")
    student.runs(overlay.source_of(FRESH), after=3)
    student.runs(f"check({FRESH!r})")
    assert [path.name for path in sorted(student.work.iterdir())] == ["01-strides", "my_engine"]
    assert "hours" not in capsys.readouterr().out


def test_resume_says_where_the_hours_are(student, capsys):
    student.runs(KEEP)
    assert f"your hours are kept in ../{FILE}, on this computer alone" in capsys.readouterr().out


def test_validate_counts_nothing(student, monkeypatch):
    monkeypatch.setenv(hours.VALIDATING, "1")
    student.runs(KEEP)
    student.runs(WRONG, after=3)
    assert not student.file.exists()


def test_outside_a_notebook_nothing_is_kept(student, monkeypatch):
    monkeypatch.setattr(hours, "get_ipython", lambda: None)
    assert hours.keep(student.work / "01-strides", True) == "" and hours._keeper is None


def test_the_file_is_never_handed_in(tmp_path, monkeypatch):
    lab = lab_text.LABS[0]
    (tmp_path / lab).mkdir()
    for path in (lab_text.ROOT / "course" / lab).iterdir():
        (tmp_path / lab / path.name).write_bytes(path.read_bytes())
    for place in (tmp_path, tmp_path / lab):
        (place / FILE).write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert submit.main([lab, "--id", "ada", "--anyway"]) == 0
    with zipfile.ZipFile(tmp_path / f"{lab}-ada.zip") as made:
        assert not [name for name in made.namelist() if "hours" in name]


# ---- the file


def test_the_file_reads_as_it_was_written(tmp_path):
    gained = Hours(1.5, {FRESH: Worked("2026-10-12T18:03:00+02:00", "", 2.25)})
    hours_file.add(tmp_path / FILE, "01-strides", gained)
    assert hours_file.read(tmp_path / FILE) == {"01-strides": gained}
    stored = json.loads((tmp_path / FILE).read_text())["labs"]["01-strides"]["parts"][FRESH]
    assert stored == {"opened": "2026-10-12T18:03:00+02:00", "passed": None, "minutes": 2.25}


@pytest.mark.parametrize(
    "damaged",
    [
        "", "{", "[]", '{"format": 2, "labs": {}}', '{"format": 1, "labs": []}', "\x00" * 9, "[" * 100_000,
        '{"format": 1, "labs": {"01-strides": {"between": NaN, "parts": {}}}}',
        '{"format": 1, "labs": {"01-strides": {"between": 0, "parts": {"a": {"minutes": 1}}}}}',
        '{"format": 1, "labs": {"a": {"between": 0, "parts": {"b": {"opened": 1, "passed": 0, "minutes": 1}}}}}',
    ],
)  # fmt: skip
def test_a_damaged_file_is_kept_and_a_new_one_begun(student, capsys, damaged):
    student.file.write_text(damaged)
    student.runs(KEEP)
    student.runs(WRONG, after=3)
    assert student.kept.parts[FRESH].minutes == 3
    assert (student.work / "my_hours.damaged-1.json").read_text() == damaged
    assert capsys.readouterr().out.count("could not be read: it is kept as my_hours.damaged-1.json") == 1


def test_a_second_damaged_file_does_not_replace_the_first(tmp_path):
    for text in ("first", "second"):
        (tmp_path / FILE).write_text(text)
        hours_file.add(tmp_path / FILE, "01-strides", Hours(1.0))
    assert [(tmp_path / f"my_hours.damaged-{number}.json").read_text() for number in (1, 2)] == ["first", "second"]


def test_a_folder_that_can_not_be_written_is_said_once_and_check_goes_on(student, capsys, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    student.runs(KEEP)
    with monkeypatch.context() as patch:
        patch.setattr(hours_file, "add", refuse)
        student.runs(overlay.source_of(FRESH), after=2)
        student.runs(f"check({FRESH!r})", after=1)
        said = capsys.readouterr().out
    assert said.count("your hours are not kept: Permission denied") == 1 and f"ok {FRESH}" in said
    student.runs("1", after=1)
    assert student.kept.parts[FRESH].minutes == 3 and student.kept.between == 1


def _add_often(path):
    gained = Hours()
    for _ in range(50):
        gained += Hours(1.0, {FRESH: Worked("2026", "", 2.0)})
        try:
            hours_file.add(path, "01-strides", gained)
            gained = Hours()
        except hours_file.Busy:
            pass
    while gained != Hours():
        try:
            hours_file.add(path, "01-strides", gained)
            gained = Hours()
        except hours_file.Busy:
            pass


def test_two_notebooks_at_once_lose_nothing(tmp_path):
    path = tmp_path / FILE
    _add_often(path)
    writers = [threading.Thread(target=_add_often, args=(path,)) for _ in range(2)]  # a lock each, as two processes
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert hours_file.read(path)["01-strides"] == Hours(150.0, {FRESH: Worked("2026", "", 300.0)})
    assert os.listdir(tmp_path) == [FILE]


def test_a_write_that_is_stopped_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    hours_file.add(tmp_path / FILE, "01-strides", Hours(1.0))

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(hours_file.Path, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        hours_file.add(tmp_path / FILE, "01-strides", Hours(1.0))
    assert hours_file.read(tmp_path / FILE) == {"01-strides": Hours(1.0)} and os.listdir(tmp_path) == [FILE]


# ---- the picture


def test_progress_draws_the_hours_of_every_exercise_and_document(student):
    student.runs(KEEP)
    student.runs(overlay.source_of(FRESH), after=9)
    student.runs(f"check({FRESH!r})")
    student.runs("pass", after=3)
    lines = notebook.progress("hours").text.splitlines()
    assert lines[0] == "01-strides: 0.2 hours"
    assert [line.split()[-1] for line in lines[1:]] == [FRESH, ACCESSOR, "(optional)", "TRACE.md", "exercises"]
    assert lines[1].split() == ["passed", "9", "min", FRESH] and "3 min" in lines[-1]


def test_the_lab_s_estimate_is_shown_beside_the_sum(student):
    text = "**Time**: about 8.5 hours estimated (core), 2 hours more for the optional exercises."
    saved = cell_text.Saved(student.work, (0, 0), (("a", "a", "", f"# Lab\n\n{text}"),))
    assert hours.picture(student.work / "01-strides", saved).text.startswith("01-strides: 0 hours, estimated 8.5 hours")


@pytest.mark.parametrize("lab", lab_text.LABS)
def test_every_lab_states_an_estimate_that_is_found(lab):
    saved = cell_text.read_saved(lab_text.ROOT / "course" / lab / "lab.ipynb")
    assert hours._estimate(saved) > 0


def test_without_hours_the_picture_says_how_they_are_kept(student):
    assert "resume(keep_hours=True) in the first cell keeps them" in notebook.progress("hours").text


def test_hours_that_were_kept_are_shown_when_they_are_kept_no_more(student):
    hours_file.add(student.file, "01-strides", Hours(0, {FRESH: Worked("2026", "2026", 30.0)}))
    assert "30 min" in notebook.progress("hours").text


def test_the_picture_of_a_damaged_file_says_so(student):
    student.file.write_text("{")
    assert "../my_hours.json can't be read" in notebook.progress("hours").text
    assert student.file.read_text() == "{"


def test_the_picture_has_a_title_a_description_and_fits(student):
    rows = [("strides.contiguous_strides", PASSED, 120.0), ("strides.view_strides", NOT_PASSED, 0.5),
            ("operators.a_very_long_name_of_an_exercise", NOT_OPENED, 0.0)]  # fmt: skip
    picture = draw_hours("01-strides", rows, 3.0, 8.5, "A note.", {"strides.view_strides"})
    assert "<title" in picture.svg and "strides.contiguous_strides: passed, 120 min" in picture.svg
    assert 'width="680"' in picture.svg and "01-strides: 2 hours, estimated 8.5 hours" in picture.text


def test_a_state_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="expected the states passed"):
        draw_hours("01-strides", [("strides.permute", "done", 1.0)])
