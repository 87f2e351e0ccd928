"""`check` judges the text that is handed in: cells run as in JupyterLab, VS Code and a terminal, beside a file."""

import gc
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from autograder import overlay
from autograder.author import lab_text
from autograder.labs import CHECKS
from autograder.student import cell_text, explain, notebook, recorded

NAME = "strides.contiguous_strides"
ANSWER, CHECK, SCRATCH = "strides-contiguous_strides-answer", "strides-contiguous_strides", "1a2b3c"
STUB = 'def contiguous_strides(sizes):\n    """Strides."""\n    raise NotImplementedError("contiguous_strides")\n'
RIGHT = overlay.source_of(NAME).replace("sizes: Ints) -> Ints", "sizes)")
WRONG = "def contiguous_strides(sizes):\n    return sizes\n"
RENAMED = RIGHT.replace("def contiguous_strides", "def contiguous_stride")
BROKEN = RIGHT.replace("return", "retrun")
GRANTED = f"ok {NAME}   5 of 5 points"


@pytest.fixture(scope="module")
def shell():
    main = sys.modules["__main__"]
    made = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
    gc.freeze()  # each `reset` looks for garbage, and not among all that was imported
    yield made
    made.restore_sys_module_state()
    sys.modules["__main__"] = main  # it puts its own namespace there


class Student:
    """Someone at a notebook: `saves` its file, `runs` cells under the ids that the program sends, and reads."""

    def __init__(self, folder, shell, ids):
        self.folder, self.shell, self.ids, self.saved = folder, shell, ids, 0

    def saves(self, *texts, name="lab.ipynb", ids=(ANSWER,)):
        marks = {"nbgrader": {"grade_id": ANSWER}}
        cells = [(f"{ANSWER}{place or ''}", text, marks) for place, text in enumerate(texts)]
        cells += [(CHECK, f"check({NAME!r})", {}), (SCRATCH, "", {})]
        made = [{"id": id, "cell_type": "code", "source": text, "metadata": meta} for id, text, meta in cells]
        path = self.folder / name
        path.write_text(json.dumps({"nbformat": 4, "cells": made}), encoding="utf-8")
        self.saved += 1
        os.utime(path, ns=(self.saved, self.saved))  # two savings within one tick of a clock are two

    def runs(self, text, cell=ANSWER):
        self.shell.run_cell(text, store_history=True, cell_id=self.ids(cell))

    def checks(self, capsys):
        capsys.readouterr()
        self.runs(f"check({NAME!r})", CHECK)
        return capsys.readouterr().out


@pytest.fixture
def student(request, tmp_path, monkeypatch, shell):
    folder = tmp_path / "01-strides"
    folder.mkdir()
    (folder / "cases.json").write_text(recorded.record("01-strides", [CHECKS[NAME]]))
    shutil.copy(lab_text.ROOT / "course" / "01-strides" / "lab.json", folder)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.setattr(notebook, "HERE", folder)
    monkeypatch.setattr(notebook, "_checked", {})
    monkeypatch.setattr(cell_text, "runs", [])
    for module in (cell_text, explain):
        monkeypatch.setattr(module, "get_ipython", lambda: shell)
    shell.reset()
    shell.user_ns["check"] = notebook.check
    hooks = {event: list(found) for event, found in shell.events.callbacks.items()}
    cell_text.watch(shell, lambda: cell_text.notebook_file(folder, shell.user_ns))
    ids = {"Jupyter": str, "VS Code": "vscode-notebook-cell:/lab.ipynb#{}".format, "none": lambda cell: None}
    yield Student(folder, shell, ids[getattr(request, "param", "Jupyter")])
    shell.events.callbacks = hooks
    overlay.restore()


every_program = pytest.mark.parametrize("student", ["Jupyter", "VS Code", "none"], indirect=True)
with_ids = pytest.mark.parametrize("student", ["Jupyter", "VS Code"], indirect=True)


@every_program
def test_a_right_answer_that_is_saved_passes(student, capsys):
    student.saves(RIGHT)
    student.runs(RIGHT)
    assert student.checks(capsys).startswith(GRANTED)


@every_program
def test_a_right_answer_passes_before_it_is_saved(student, capsys):
    student.saves(STUB)
    student.runs(RIGHT)
    assert student.checks(capsys).startswith(GRANTED)


@every_program
def test_a_saved_answer_that_has_not_run_is_judged_as_it_is_saved(student, capsys):
    student.saves(RIGHT)
    said = student.checks(capsys)
    assert said.startswith(GRANTED) and "as it is saved" in said


@with_ids
@pytest.mark.parametrize(("text", "reason"), [(RENAMED, "not define contiguous_strides"), (BROKEN, "SyntaxError in l")])
def test_an_answer_that_was_broken_after_it_was_right_earns_nothing(student, capsys, text, reason):
    student.saves(RIGHT)
    student.runs(RIGHT)
    student.checks(capsys)
    overlay.restore()
    student.runs(text)
    first = student.checks(capsys).splitlines()[0]
    assert first.startswith(f"x  {NAME}   not checked: ") and not overlay.active()
    assert reason in first or "its cell has since run with another text" in first


@every_program
@pytest.mark.parametrize("text", [RENAMED, BROKEN, WRONG])
def test_an_answer_that_was_broken_and_saved_earns_nothing(student, capsys, text):
    student.saves(STUB)
    student.runs(RIGHT)
    student.runs(text)
    student.saves(text)
    assert student.checks(capsys).startswith(f"x  {NAME}   ") and not overlay.active()


@every_program
def test_an_answer_that_was_changed_after_it_ran_is_not_judged(student, capsys):
    student.saves(RIGHT)
    student.runs(RIGHT)
    student.saves(WRONG)
    said = student.checks(capsys).splitlines()[0]
    assert said.startswith(f"x  {NAME}   ") and not overlay.active()


def test_the_first_line_says_that_it_was_changed(student, capsys):
    student.saves(RIGHT)
    student.runs(RIGHT)
    student.saves(WRONG)
    assert "not checked: the answer's cell was changed after it ran" in student.checks(capsys).splitlines()[0]


def test_an_answer_that_is_right_and_then_raises_has_failed(student, capsys):
    student.saves(RIGHT)
    student.runs(RIGHT + "\nassert contiguous_strides((2,)) == (2,)\n")
    assert "not checked: the answer's cell failed: AssertionError" in student.checks(capsys).splitlines()[0]


@every_program
def test_what_is_written_in_another_cell_is_not_handed_in(student, capsys):
    student.saves(STUB)
    student.runs(STUB)
    student.runs(RIGHT, SCRATCH)
    said = student.checks(capsys)
    assert "not checked: it is written in another cell" in said.splitlines()[0] and "copy it" in said


def test_another_cell_does_not_hide_the_answer(student, capsys):
    student.saves(RIGHT)
    student.runs(RIGHT)
    student.runs(WRONG, SCRATCH)
    said = student.checks(capsys)
    assert said.startswith(GRANTED) and "another cell defines it too" in said


@every_program
def test_a_second_attempt_is_judged_before_it_is_saved(student, capsys):
    """A program that sends no ids leaves open which cell ran: it is taken for the answer's, until the file is saved."""
    student.saves(WRONG)
    student.runs(WRONG)
    assert not student.checks(capsys).startswith(GRANTED)
    student.runs(RIGHT)
    assert student.checks(capsys).startswith(GRANTED)
    student.saves(RIGHT)
    assert student.checks(capsys).startswith(GRANTED)


@every_program
@pytest.mark.parametrize(("texts", "granted"), [((WRONG, RIGHT), True), ((RIGHT, WRONG), False), ((RIGHT, STUB), True)])
def test_of_several_cells_of_one_name_the_graders_is_judged(student, capsys, texts, granted):
    student.saves(*texts)
    for place, text in enumerate(texts):
        student.runs(text, f"{ANSWER}{place or ''}")
    assert student.checks(capsys).startswith(GRANTED) == granted


def test_a_notebook_without_the_answers_cell_earns_nothing(student, capsys):
    student.saves()
    student.runs(RIGHT, SCRATCH)
    assert "lab.ipynb has no cell for the answer" in student.checks(capsys).splitlines()[0]


@every_program
def test_without_a_file_the_cell_that_defines_it_is_judged(student, capsys):
    student.runs(RIGHT)
    assert student.checks(capsys).startswith(GRANTED)


def test_a_program_without_ids_and_file_says_what_was_judged(student, capsys):
    student.ids = lambda cell: None
    student.runs(RIGHT)
    assert "judged: the cell that last defined it" in student.checks(capsys)


def test_jupyter_says_which_file_is_open(student, capsys, monkeypatch):
    student.saves(STUB)
    student.saves(RIGHT, name="lab-ada.ipynb")
    monkeypatch.setenv("JPY_SESSION_NAME", str(student.folder / "lab-ada.ipynb"))
    assert student.checks(capsys).startswith(GRANTED)


def test_a_file_that_is_being_written_is_no_file(tmp_path):
    path = tmp_path / "lab.ipynb"
    path.write_text('{"cells": [')
    assert cell_text.read_saved(path) is None


def test_the_list_shows_the_state_of_each_exercise(student, capsys):
    def listed():
        capsys.readouterr()
        student.runs("check()", SCRATCH)
        return capsys.readouterr().out.splitlines()[1].split()

    student.saves(STUB)
    student.runs(STUB)
    states = [listed()[0]]
    student.runs(RIGHT)
    states.append(" ".join(listed()[:3]))
    student.checks(capsys)
    states.append(listed()[0])
    student.runs(WRONG)
    states.append(" ".join(listed()[:4]))
    student.checks(capsys)
    states.append(listed()[0])
    assert states == ["open", "not checked yet", "right", "changed since its check", "wrong"]


def test_the_file_is_read_as_utf_8(student, capsys):
    student.saves("# größer, 大\n" + RIGHT)
    assert student.checks(capsys).startswith(GRANTED)


def test_a_path_of_another_folder_is_not_taken(tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "lab.ipynb").write_text("{}")
    monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / "other" / "lab.ipynb"))
    assert cell_text.notebook_file(Path(tmp_path), {}) is None


@every_program
def test_a_name_that_an_earlier_cell_gives_is_traced_to_that_cell(student, capsys):
    needy = RIGHT.replace("def contiguous_strides(sizes)", "def contiguous_strides(sizes: Sizes)")
    names = "# Names for the second half\nfrom typing import Tuple as Sizes\n"
    student.saves(needy)
    path = student.folder / "lab.ipynb"
    notebook_text = json.loads(path.read_text(encoding="utf-8"))
    notebook_text["cells"].insert(0, {"id": "0", "cell_type": "code", "source": names, "metadata": {}})
    path.write_text(json.dumps(notebook_text), encoding="utf-8")
    student.runs(needy)
    shown = student.checks(capsys)
    assert "failed: NameError" in shown
    assert "run the cell that begins with `# Names for the second half`" in " ".join(shown.split())


@with_ids
def test_a_cell_of_another_id_that_failed_is_not_called_unrun(student, capsys):
    student.runs(BROKEN, SCRATCH)
    shown = student.checks(capsys)
    assert "ran and failed: SyntaxError" in shown and "run the cell above" not in shown


@every_program
def test_a_print_in_a_right_answer_is_warned_of(student, capsys):
    noisy = RIGHT.replace("(sizes):", '(sizes):\n    print("here")', 1)
    student.saves(noisy)
    student.runs(noisy)
    assert "-> it prints" in student.checks(capsys)


WHOLE = "def contiguous_strides(sizes):\n" + RIGHT[RIGHT.index("    strides = []") :]
CUT = WHOLE.index("    for size")
SPLITS = {
    "a trial call": (WHOLE, "contiguous_strides(shape_of_the_notebook)"),
    "two halves": (WHOLE[:CUT], WHOLE[CUT:]),
    "a helper": ("def larger(a, b):\n    return max(a, b)", WHOLE.replace("max(size, 1)", "larger(size, 1)")),
}


@every_program
@pytest.mark.parametrize("texts", SPLITS.values(), ids=SPLITS)
def test_the_parts_of_a_split_cell_are_judged_as_one(student, capsys, texts):
    student.saves(*texts)
    for place, text in enumerate(texts):
        student.runs(text, f"{ANSWER}{place or ''}")
    said = student.checks(capsys)
    assert said.startswith(GRANTED)
    assert "Merge Selected Cells" in said or "last one that is written counts" in said


def test_a_part_that_was_changed_after_it_ran_is_not_judged(student, capsys):
    first, second = SPLITS["two halves"]
    student.saves(first, second)
    student.runs(first)
    student.runs(second, f"{ANSWER}1")
    student.saves(first, "    return ()")
    assert "changed after it ran" in student.checks(capsys).splitlines()[0]


@every_program
def test_a_cell_that_lost_its_name_is_found_by_what_it_defines(student, capsys):
    student.saves(RIGHT)
    path = student.folder / "lab.ipynb"
    stored = json.loads(path.read_text(encoding="utf-8"))
    for place, cell in enumerate(stored["cells"]):
        cell |= {"id": f"{place}", "metadata": {}}
    path.write_text(json.dumps(stored), encoding="utf-8")
    student.runs(RIGHT, "0")
    said = student.checks(capsys)
    assert said.startswith(GRANTED) and "has lost its name in the file" in said


def test_without_the_file_about_the_lab_it_is_named(student):
    (notebook.HERE / "lab.json").unlink()
    with pytest.raises(cell_text.NotReady, match="lab.json is missing"):
        notebook.released_lab(notebook.HERE)
