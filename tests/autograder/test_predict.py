"""`predict` in a notebook: a guess is shown beside its outcome, and a cell with a guess is the cell that was given."""

import json
import sys

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
from written_lab import TEXT, write_lab

from autograder.author import lab_text, weave
from autograder.examine.answer_text import name_of
from autograder.examine.guess import OPEN, guess_of, without_guess
from autograder.examine.handin import Cell, cells_of
from autograder.grading.rebuild import is_given, rebuild
from autograder.notebook import predict
from autograder.student import cell_text
from autograder.student import predict as module

PREDICTS = "```{code-cell}\n:tags: [predict]\n\nx = 1\nx + 1\n```\n\n## Payoff\n"
WITH_PREDICTION = TEXT.replace("## Payoff\n", PREDICTS)


@pytest.fixture(scope="module")
def shell():
    main = sys.modules["__main__"]
    made = InteractiveShell(config=Config(HistoryManager={"enabled": False}))
    yield made
    made.restore_sys_module_state()
    sys.modules["__main__"] = main  # it puts its own namespace there


@pytest.fixture
def said(shell, capsys, monkeypatch):
    """Runs a cell; returns what it printed."""
    monkeypatch.setattr(module, "get_ipython", lambda: shell)
    monkeypatch.setattr(module, "_nudged", [])
    monkeypatch.delenv(module.VALIDATING, raising=False)
    shell.user_ns["predict"] = predict

    def run(text):
        capsys.readouterr()
        shell.run_cell(text)
        return capsys.readouterr().out

    return run


def woven(tmp_path):
    """The notebook of a lab, and its prediction's cell."""
    notebook = weave.instructor_notebook(write_lab(tmp_path, WITH_PREDICTION))
    return notebook, next(cell for cell in notebook.cells if "predict" in cell.metadata.get("tags", ()))


def handed(notebook):
    return cells_of(json.loads(nbformat.writes(notebook)))


# ---- in the notebook


def test_a_guess_is_shown_below_what_the_cell_prints_and_returns(said):
    text = said('predict("(3, 1)")\nprint("printed")\n(1, 3)')
    assert text.startswith("printed\n") and "(1, 3)" in text and text.endswith("\nyou predicted: (3, 1)\n")


def test_a_guess_is_shown_once(said):
    said('predict("(3, 1)")')
    assert "predicted" not in said("1")


def test_a_guess_is_shown_below_an_error(said):
    assert said('predict("it raises")\n1 / 0').endswith("\nyou predicted: it raises\n")


@pytest.mark.parametrize(
    ("guess", "shown"),
    [
        ("'  two views '", "two views"), ("(3, 1)", "(3, 1)"), ("[True, None]", "[True, None]"), ("()", "()"),
        ("0", "0"), ("'yes', (2, 3)", "yes, (2, 3)"), ("object", "<class 'object'>"),
        ("type('Odd', (), {'__repr__': None})()", "a Odd"),
        ("'first\\nsecond'", "first\n               second"),
    ],
)  # fmt: skip
def test_a_guess_may_be_anything(said, guess, shown):
    assert said(f"predict({guess})") == f"you predicted: {shown}\n"


def test_a_long_guess_is_cut_off(said):
    assert len(said("predict('x' * 100_000)")) < 450
    assert said("predict('x\\n' * 200)").count("\n") == module.MOST_LINES + 1


def test_without_a_guess_the_cell_runs_and_the_student_is_reminded_once(said):
    assert said(f"{OPEN}\nprint('outcome')") == f"outcome\n{module.NUDGE}\n"
    assert said(f"{OPEN}\nprint('outcome')") == "outcome\n"


def test_validate_reminds_nobody(said, monkeypatch):
    monkeypatch.setenv(module.VALIDATING, "1")
    assert said(f"{OPEN}\nprint('outcome')") == "outcome\n"


def test_outside_a_notebook_nothing_happens(capsys, monkeypatch):
    monkeypatch.setattr(module, "get_ipython", lambda: None)
    assert predict("(3, 1)") is None and predict() is None
    assert capsys.readouterr().out == "" and module._guesses == []


# ---- the text of a cell


@pytest.mark.parametrize(
    ("source", "guess", "rest"),
    [
        ('predict("")\nx', "", "x"),
        ("predict('a')  # sure\nx", "a", "x"),
        ('predict("""a\nb""")\nx', "a\nb", "x"),
        ("predict(x.stride(), 'b')\nx", "x.stride(), b", "x"),
        ("predict('a'); x\nx", None, "predict('a'); x\nx"),
        ("predict(not closed\nx", None, "predict(not closed\nx"),
        ("predict(" + "(" * 3000 + "\nx", None, "predict(" + "(" * 3000 + "\nx"),
        ("predicted = 1", None, "predicted = 1"),
        (" predict('a')", None, " predict('a')"),
    ],
)
def test_a_guess_is_read_and_taken_off_without_running_it(source, guess, rest):
    assert (guess_of(source), without_guess(source)) == (guess, rest)


def test_only_the_beginning_of_a_cell_is_looked_at():
    assert guess_of("predict('" + "x" * 5000 + "')\n1") is None
    assert guess_of("predict(1)\n" + "((" * 100_000) == "1"


# ---- woven, handed in


def test_the_weave_gives_a_prediction_s_cell_a_place_for_the_guess(tmp_path):
    notebook, cell = woven(tmp_path)
    assert cell.source == f"{OPEN}\nx = 1\nx + 1"
    assert [each.id for each in notebook.cells if OPEN in each.source] == [cell.id]


def test_the_place_does_not_change_the_cell_s_id(tmp_path):
    bare = write_lab(tmp_path / "bare", WITH_PREDICTION.replace(":tags: [predict]\n", ""))
    notebook, _ = woven(tmp_path / "with")
    assert [cell.id for cell in notebook.cells] == [cell.id for cell in weave.instructor_notebook(bare).cells]


@pytest.mark.parametrize("lab", lab_text.LABS)
def test_in_every_lab_each_prediction_has_a_place_and_predict_is_imported(lab):
    text = lab_text.load(lab)
    count = sum("predict" in cell.metadata.get("tags", ()) for cell in text.cells)
    released = nbformat.read(lab_text.ROOT / "course" / lab / "lab.ipynb", as_version=4)
    sources = [cell.source for cell in released.cells if cell.cell_type == "code"]
    assert count == sum(guess_of(source) == "" for source in sources)
    assert not count or "predict" in sources[0]


@pytest.mark.parametrize("guess", ['predict("two")\n', "predict((1,\n  2))\n", ""])
def test_a_guess_makes_no_cell_of_the_student_s_own(tmp_path, guess):
    release, cell = woven(tmp_path)
    handed_in = [
        each._replace(source=f"{guess}x = 1\nx + 1") if each.name == cell.id else each for each in handed(release)
    ]
    rebuilt = rebuild(release, handed_in)
    assert rebuilt.extra == 0 and rebuilt.notebook == release


def test_a_prediction_s_cell_that_was_changed_below_the_guess_is_shown(tmp_path):
    release, cell = woven(tmp_path)
    mine = Cell("code", 'predict("two")\nx = 3\nx + 1', cell.id)
    handed_in = [mine if each.name == cell.id else each for each in handed(release)]
    rebuilt = rebuild(release, handed_in)
    assert rebuilt.extra == 1 and any(each.source == mine.source for each in rebuilt.notebook.cells)


def test_a_prediction_s_cell_of_another_release_is_given_with_a_guess_and_without_a_place(tmp_path):
    _, cell = woven(tmp_path)
    for source in (cell.source, cell.source.replace('""', '"two"'), without_guess(cell.source)):
        assert is_given(Cell("code", source, name_of(cell)))


def test_a_cell_that_gives_a_name_is_named_by_its_first_line_not_by_the_guess(tmp_path):
    saved = cell_text.Saved(tmp_path, (0, 0), (("given-1", "given-1", "", f"{OPEN}\npatches = 1"),))
    advice = cell_text._giver_of("NameError: name 'patches' is not defined", saved)
    assert "begins with `patches = 1`" in advice
