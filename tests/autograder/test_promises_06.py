"""The claims and the figures in lab 6's text hold on the engine of a student who has solved it."""

from collections import Counter

import pytest
from test_payoffs import payoff_of

from autograder.author import lab_text
from autograder.proof import cohort
from engine import overlay
from engine.cuda import launch

LAB = lab_text.load("06-cuda")
STUDENTS = ("heidi-other-words", "quentin-other-words")  # each writes a part of the lab in words of their own
PROSE = " ".join(" ".join(cell.source.split()) for cell in LAB.cells if cell.kind == "markdown")

AROUND = Counter({"sum_reduce": 2, "gemm_16x16": 1, "amin_reduce": 1, "amax_reduce": 1})  # a student's part is inside
GIVEN = ("abs_float_contiguous", "gemv_by_columns", "exceeds_arg_reduce", "value_of_contiguous", "convert_strided")


def answer_of(exercise):
    """Return a student's answer: the first one that is not the reference's text."""
    students = cohort.load(LAB.id)
    answers = [cohort.submitted_source(students[name], students, exercise) for name in STUDENTS]
    return next((answer for answer in answers if answer != overlay.source_of(exercise)), answers[0])


@pytest.fixture(scope="module")
def payoff():
    """The kernels that the payoff launches on a student's engine, and its result."""
    exercises = [exercise.name for exercise in LAB.exercises]
    for name in exercises:
        overlay.graft(name, answer_of(name))
    assert not overlay.rebuilt(exercises)
    launched = []

    def note(name, grid, block, stream, run):
        launched.append(name)
        run()

    launch.watch(note)
    try:
        result = payoff_of(LAB.id)()
    finally:
        launch.unwatch(note)
        for name in exercises:
            overlay.restore(name)
        overlay.rebuilt(exercises)
    return launched, result


def test_the_payoff_launches_19_kernels_of_which_9_are_the_students(payoff):
    launched = Counter(payoff[0])
    assert launched.total() == 19 and "there are 19 launches" in PROSE
    assert (launched - AROUND - Counter(GIVEN)).total() == 9 and "Nine are kernels that you wrote" in PROSE
    assert launched & AROUND == AROUND and AROUND.total() == 5 and "Five are kernels of the engine around" in PROSE
    assert launched & Counter(GIVEN) == Counter(GIVEN) and len(GIVEN) == 5 and "Five are given" in PROSE


def test_the_network_gives_the_same_numbers_as_on_the_reference(payoff):
    assert payoff[1] == payoff_of(LAB.id)()


def test_the_network_reads_most_of_the_digits(payoff):
    assert payoff[1]["right of 12"] == 10
    assert payoff[1]["transposed rightly"]


def test_the_flat_kernel_runs_where_a_vector_cannot_begin():
    """Run the cell behind 6.0 and compare the names that it prints with the text before it."""
    imports, *others = (cell.source for cell in LAB.cells if cell.kind == "code")
    namespace = {}
    for source in (imports, next(source for source in others if "x[1:] - x[:-1]" in source)):
        exec(compile(source, "<6.0>", "exec"), namespace)
    assert namespace["launched"] == ["add_flat", "add_contiguous"] and "`x[1:]` does not, so your kernel runs" in PROSE
