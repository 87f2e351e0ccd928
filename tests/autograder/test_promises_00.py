"""The claims in lab 0's text hold for the program of a student who has written it in other words."""

import contextlib
import io
import re

import matplotlib
import pytest

from autograder.author import lab_text
from autograder.author.weave import marked_solution, undocumented
from autograder.made_up import cohort

LAB = lab_text.load("00-tensor")
STUDENT = "otto-other-words"
pytestmark = pytest.mark.slow  # the whole notebook is executed
PROSE = "\n".join(cell.source for cell in LAB.cells if cell.kind == "markdown")


@pytest.fixture(scope="module")
def run():
    """The whole notebook with a student's answers: its names, and what each cell that is given printed."""
    matplotlib.use("agg")
    students = cohort.load(LAB.id)
    names = {exercise.line: exercise.name for exercise in LAB.exercises}
    namespace, printed = {"__name__": "__main__"}, {}
    for cell in LAB.cells:
        if cell.kind != "code" or cell.source.startswith("progress("):
            continue
        source = cell.source
        if "solution" in cell.metadata:
            source = cohort.submitted_source(students[STUDENT], students, names[cell.line])
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec(compile(source, f"{LAB.path}:{cell.line}", "exec"), namespace)
        printed[source] = said.getvalue()
    return namespace, printed


def said_by(run, beginning):
    return next(said for source, said in run[1].items() if beginning in source)


def code_lines(source):
    return sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in undocumented(source))


def test_the_network_gets_every_point_right(run):
    loss, right = re.search(r", (\d+\.\d) after 200 steps; (\d+) of 60 right", said_by(run, "losses = train(")).groups()
    assert float(loss) < 2 and int(right) == 60


def test_no_straight_line_parts_the_points(run):
    """Of 3,600 lines, none is right on all sixty points."""
    import math

    points, labels = run[0]["POINTS"], run[0]["labels"]
    for degree in range(0, 360, 2):
        across, up = math.cos(math.radians(degree)), math.sin(math.radians(degree))
        for shift in range(20):
            sides = [points[i, 0] * across + points[i, 1] * up > shift / 10 - 1 for i in range(60)]
            assert sides != [label > 0 for label in labels]


def test_a_third_key_changes_no_line_and_sees_all_four_calls(run):
    said = said_by(run, "def tracing_kernel").splitlines()
    assert [line.split()[0] for line in said[:4]] == ["matmul", "tanh", "matmul", "tanh"]
    assert said[4] == "keys of the result: ['Autograd', 'CPU', 'Trace']" and len(said) == 5


def test_the_engine_takes_the_same_steps(run):
    assert float(said_by(run, "import engine").rsplit(" ", 1)[1]) < 1e-9


def test_the_program_has_about_130_lines_and_students_write_about_90():
    written = sum(code_lines(source) for source in map(solution, LAB.exercises))
    given = sum(
        code_lines(cell.source)
        for cell in LAB.cells[: next(at for at, cell in enumerate(LAB.cells) if "## Payoff" in cell.source)]
        if cell.kind == "code" and "solution" not in cell.metadata and "predict" not in cell.metadata.get("tags", [])
    )
    assert "about 130 lines" in PROSE and "about 90 of them" in PROSE
    assert 85 <= written <= 95 and 120 <= written + given <= 140


def test_the_time_is_what_reading_and_nine_exercises_take():
    (said,) = re.findall(r"about 1.2 hours estimated: ([\d,]+) words", PROSE)
    words = sum(
        len(re.sub(r"<details>.*?</details>", "", cell.source, flags=re.S).split())
        for cell in LAB.cells
        if "solution" not in cell.metadata
    )
    assert abs(words - int(said.replace(",", ""))) < 0.05 * words
    assert abs((words / 150 + 5 * len(LAB.exercises)) / 60 - 1.2) < 0.1


def solution(exercise):
    return marked_solution(exercise, is_empty=True)


def test_no_engine_code_is_used_before_the_last_section():
    end = next(at for at, cell in enumerate(LAB.cells) if "## Grown up" in cell.source)
    assert [cell.line for cell in LAB.cells[:end] if cell.kind == "code" and "engine" in cell.source] == []


def test_each_piece_can_be_put_beside_the_engines(run):
    namespace, _ = run
    for piece in namespace["GROWN"]:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            namespace["beside"](piece)
        file = re.match(r"engine/(\S+), from line \d+:\n\n", said.getvalue())
        assert file and (lab_text.ROOT / "engine" / file[1]).is_file(), piece


def test_what_is_asked_in_a_later_lab_is_not_shown(run):
    asked = {
        exercise.name.rpartition(".")[2]: lab_text.load(lab).number
        for lab in lab_text.LABS[1:]
        for exercise in lab_text.load(lab).exercises
    }
    for piece, (grown, lab) in run[0]["GROWN"].items():
        with contextlib.redirect_stdout(io.StringIO()) as said:
            run[0]["beside"](piece)
        name = grown.__qualname__.partition(".")[0]
        assert (asked.get(name) == str(lab)) if lab else name not in asked, piece
        assert ("which you write in lab" in said.getvalue()) is bool(lab), piece


def test_the_table_of_pieces_names_files_of_the_engine():
    files = re.findall(r"`([\w/]+\.py)`", PROSE.partition("| your piece |")[2])
    assert len(files) == 10 and [file for file in files if not (lab_text.ROOT / "engine" / file).is_file()] == []


@pytest.mark.torch
def test_pytorch_takes_the_same_steps_in_the_engines_place(run, pytorch):
    source = next(source for source in run[1] if "import engine" in source).replace(
        "import engine", "import torch as engine"
    )
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(source, dict(run[0]))
    assert float(said.getvalue().rsplit(" ", 1)[1]) < 1e-9
