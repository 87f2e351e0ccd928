"""`make verify`: what it mutates, how it judges, and what it lets pass."""

from dataclasses import replace

import pytest

from autograder import overlay
from autograder.examine.model import Aspect, Case, Check
from autograder.examine.questions import Observation
from autograder.examine.verdict import CRASHED, REFUSED, RIGHT, TIMED_OUT, WRONG, ExerciseResult
from autograder.labs import CHECKS
from autograder.made_up.answers import EQUIVALENT
from autograder.made_up.wrong_answer import WrongAnswer
from autograder.proof import verify
from autograder.proof.mutant_runner import judged_apart, until_lost
from autograder.proof.mutation_operators import essence, mutants
from autograder.proof.verify import main, questions

SOURCE = '''
def f(sizes: tuple) -> tuple:
    """Sizes below 7, twice."""
    if 0 in sizes or not sizes:
        raise ValueError(f"no {1 + 1}")
    return tuple(2 * max(size, 1) for size, _ in zip(sizes, sizes, strict=True) if size < 7)
'''
PERMUTE = CHECKS["strides.permute"]
HEAD = "def permute(sizes, strides, dims):\n    "


def blind(name: str) -> Check:
    """A check that asks one case only, so that nearly every mutant survives."""
    return Check(name, ("sizes",), (Aspect("ordinary", 1, lambda rng: [Case(((1,),))]),))


def test_mutants_differ_from_the_reference_and_from_each_other():
    texts = [essence(mutant.source) for mutant in mutants(SOURCE)]
    assert len({essence(SOURCE), *texts}) == 1 + len(texts)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "return tuple((2 * max(size, 1) for size, _ in zip(sizes, sizes) if size <= 7))",
        "return tuple((2 + max(size, 1) for size, _ in zip(sizes, sizes) if size < 7))",
        "return tuple((3 * max(size, 1) for size, _ in zip(sizes, sizes) if size < 7))",
        "return tuple((2 * size for size, _ in zip(sizes, sizes) if size < 7))",
        "return tuple((2 * min(size, 1) for size, _ in zip(sizes, sizes) if size < 7))",
        "return tuple((2 * max(size, 1) for size, _ in zip(sizes, sizes)))",
        "return list((2 * max(size, 1) for size, _ in zip(sizes, sizes) if size < 7))",
        "if 0 in sizes and (not sizes):",
        "if 0 in sizes:",
        "if not (0 in sizes or not sizes):",
        "pass",
    ],
)
def test_mutants_change(line):
    assert any(line in mutant.after.splitlines() for mutant in mutants(SOURCE))


OF_STATE = """
class A:
    def __exit__(self, *error):
        try:
            self.leave()
        finally:
            self.depth -= 1

    def read(self, cells, at):
        if at < 0:
            raise IndexError(at)
        self.seen += 1
        return [cells[at]][0] if self else cells[at]

    def copy(self, cells, at):
        self.kept = cells[at]
"""


@pytest.mark.parametrize(
    "lines",
    [
        ["except Exception:", "raise", "except BaseException:", "pass"],
        ["return error[1] is not None and (not isinstance(error[1], Exception))"],
        ["cells[at] = 0"],
        ["self.seen += 1", "if at < 0:", "raise IndexError()"],
    ],
)
def test_mutants_leave_something_behind(lines):
    texts = [[line.strip() for line in essence(mutant.source).splitlines()] for mutant in mutants(OF_STATE)]
    assert any(lines == text[at : at + len(lines)] for text in texts for at in range(len(text)))


def test_mutants_leave_alone_what_no_case_can_tell():
    texts = ("Sizes below", "{1 + 2}", "strict=False", "tuple) -> list")
    assert [mutant.after for mutant in mutants(SOURCE) if any(text in mutant.after for text in texts)] == []


def test_of_a_class_only_the_methods_that_a_student_writes_are_mutated():
    source = "class A:\n    def given(self):\n        return 1\n    def written(self):\n        return 2\n"
    assert {mutant.before for mutant in mutants(source, ("written",))} == {"return 2"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "verdicts"),
    [
        ("while True:\n        pass", {TIMED_OUT}),
        ("__import__('os')._exit(1)", {CRASHED}),
        ("__import__('os').abort()", {CRASHED}),
        ("while True:\n        sizes = sizes + sizes + (1,)", {WRONG, TIMED_OUT}),
        ("raise NotImplementedError", {WRONG}),
        ("nonsense nonsense", {REFUSED}),
    ],
)
def test_an_answer_that_gives_none_spoils_only_itself(body, verdicts):
    sources = [HEAD + body, overlay.source_of("strides.permute")]
    results = dict(judged_apart(PERMUTE, questions(PERMUTE, [0]), sources))
    assert (results[0].verdict in verdicts, results[1].verdict) == (True, RIGHT)


def test_a_mutant_is_asked_up_to_its_first_mistake_and_compiled_last():
    asked = []

    def case(name):
        return Case((name,))

    aspects = (
        Aspect("ordinary", 1, lambda rng: [case(1), case(2)]),
        Aspect("edge", 1, lambda rng: [case(3)], needs="ordinary"),
        Aspect("compiled", 1, lambda rng: [case(4)], compiled=True),
    )
    check = Check("strides.contiguous_strides", ("sizes",), aspects)
    wanted = {aspect.name: [(c, Observation((c.args[0],))) for c in aspect.cases(None)] for aspect in aspects}
    for wrong_at in (2, 3, 4, 5):
        source = f"def contiguous_strides(sizes):\n    return (sizes if sizes != {wrong_at} else 0,)\n"
        (position, result), *_ = judged_apart(check, wanted, [source], until_lost)
        asked.append((position, result.verdict, [aspect.name for aspect in result.aspects]))
    assert asked == [(0, WRONG, ["ordinary"]), (0, WRONG, ["edge"]), (0, WRONG, ["compiled"]), (0, RIGHT, ["compiled"])]


@pytest.mark.slow
def test_a_check_that_asks_too_little_is_told_by_its_survivors():
    assert verify.verify(blind("strides.contiguous_strides")).survivors


@pytest.mark.slow
def test_a_mutant_that_one_seed_lets_through_survives():
    def by_luck(rng):
        return [Case(((2, 3, 4),) if rng.random() < 0.5 else ((1,),))]

    check = Check("strides.contiguous_strides", ("sizes",), (Aspect("ordinary", 1, by_luck),))
    seeds = {questions(check, [seed])["ordinary"][0][0].args: seed for seed in range(20)}
    asks_little, asks_more = seeds[((1,),)], seeds[((2, 3, 4),)]
    assert verify.verify(check, [asks_more]).killed > verify.verify(check, [asks_little]).killed
    assert verify.verify(check, [asks_more, asks_little]).killed == verify.verify(check, [asks_little]).killed


@pytest.mark.slow
def test_a_survivor_without_a_reason_is_no_equivalent_mutant(monkeypatch):
    monkeypatch.setattr(verify, "EQUIVALENT", ())
    finding = verify.verify(CHECKS["strides.is_contiguous"])
    assert [mutant.after for mutant in finding.survivors] == ["if size > 1:"]


def test_a_reason_does_not_excuse_a_survivor_that_answers_wrongly():
    mutant, *_ = mutants(overlay.source_of("strides.permute"))
    assert list(verify._differing(PERMUTE, [mutant])) == [mutant]


@pytest.mark.slow
def test_every_entry_of_the_register_is_a_mutant_that_is_made():
    made = {
        (name, mutant.before, mutant.after)
        for name in CHECKS
        if name in {entry.exercise for entry in EQUIVALENT}  # making every exercise's takes a minute
        for mutant in mutants(overlay.source_of(name), verify._lab_exercise(name)[1].methods)
    }
    assert {(entry.exercise, entry.before, entry.after) for entry in EQUIVALENT} <= made


def test_a_message_that_names_a_file_of_ours_is_a_fault():
    wrong = WrongAnswer("strides.permute", "any", (), "")
    right = ExerciseResult("strides.permute", RIGHT, 0, 0)
    plain = replace(right, verdict=WRONG)
    told = replace(plain, message="raised in autograder/examine/examiner.py")
    (fault,) = verify._faults([right, right, told, plain, plain], [wrong] * 3, 0)
    assert "autograder/examine/examiner.py" in fault


def test_an_exercise_that_is_not_there_is_named():
    with pytest.raises(SystemExit):
        main(["strides.nothing"])


@pytest.mark.slow
def test_an_exercise_whose_checks_are_good_ends_with_0(capsys):
    assert main(["strides.contiguous_strides"]) == 0
    assert "18 killed" in capsys.readouterr().out
