"""The hint of a wrong answer: chosen by what differs, never by the case alone."""

from dataclasses import replace

import pytest

from autograder.examine import error_data
from autograder.examine.hints import LINE, NO_LINE, NONE_OF_A_RETURN, NOT_ACCEPTED, NOT_ALONE, OURS, positions
from autograder.examine.model import WHOLE_ENGINE, Aspect, Case, Check, Mistake
from autograder.examine.questions import Observation, Stopped
from autograder.examine.rendering import render
from autograder.examine.verdict import RIGHT, TIMED_OUT, from_json, judge, to_json

PLAIN, EMPTY, NEGATIVE = ((2, 3),), ((),), ((-1,),)
CHECK = Check(
    "strides.double",
    ("sizes",),
    (
        Aspect("ordinary", 3, lambda rng: []),
        Aspect("edge", 2, lambda rng: []),
        Aspect("refusals", 1, lambda rng: []),
    ),
    {"plain": "twice each", "empty": "nothing doubled is nothing", "negative": "sizes are not negative"},
)
CASES = {
    "ordinary": [Case(PLAIN, "plain"), Case(((4, 5, 6),), "plain")],
    "edge": [Case(EMPTY, "empty")],
    "refusals": [Case(NEGATIVE, "negative")],
}
CELL = """def double(sizes):
    if sizes[0] < 0:
        raise ValueError("negative")
    return tuple(2 * size for size in sizes)"""
REFUSED, RAN_INTO = (3, 8, 36), (2, 7, 15)  # places in it


def double(case):
    if any(size < 0 for size in case.args[0]):
        return Observation(raised="ValueError", message="negative", place=REFUSED)
    return Observation(tuple(2 * size for size in case.args[0]))


def hints(answers, check=CHECK, cases=CASES, source=CELL):
    """The hints of the aspects that lose, by name, when some cases are answered otherwise."""
    asked = {name: [(case, double(case)) for case in drawn] for name, drawn in cases.items()}
    result = judge(check, asked, lambda case, following: answers.get(case.args) or double(case), source=source)
    return {aspect.name: aspect.failure.hint for aspect in result.aspects if aspect.failure}


def test_a_topic_is_shown_if_only_its_cases_fail_and_others_pass():
    assert hints({EMPTY: Observation((1,))}) == {"edge": "nothing doubled is nothing"}


def test_a_topic_says_nothing_when_no_case_of_another_has_passed():
    assert hints({PLAIN: Observation((4, 7)), ((4, 5, 6),): Observation((8, 10, 13))}) == {"ordinary": ""}


def test_a_topic_says_nothing_when_cases_of_another_fail_as_well():
    both = CASES | {"ordinary": [*CASES["ordinary"], Case(EMPTY, "empty")]}
    assert hints({EMPTY: Observation((1,)), PLAIN: Observation((4, 7))}, cases=both)["ordinary"] == ""


def test_the_names_of_what_differs_come_before_the_topic():
    check = replace(CHECK, differs=positions("first", "second"), hints=CHECK.hints | {"second": "the second one"})
    assert hints({PLAIN: Observation((4, 7))}, check) == {"ordinary": "the second one"}


def test_a_mistake_that_the_answer_shows_comes_first():
    mistake = Mistake("added, not doubled", lambda args, wanted, got: got.value == tuple(2 + size for size in args[0]))
    check = replace(CHECK, mistakes=(mistake,))
    assert hints({PLAIN: Observation((4, 5))}, check) == {"ordinary": "added, not doubled"}
    assert hints({PLAIN: Observation((4, 7))}, check) == {"ordinary": ""}


def test_a_mistake_that_cannot_be_looked_for_in_an_answer_is_not_shown():
    check = replace(CHECK, mistakes=(Mistake("never", lambda args, wanted, got: got.value[5]),))
    assert hints({PLAIN: Observation((4, 7))}, check) == {"ordinary": ""}


@pytest.mark.parametrize("kind", ["NameError", "IndexError", "ZeroDivisionError", "KeyError", "RecursionError"])
def test_an_error_that_nobody_raised_has_no_topic(kind):
    got = Observation(raised=kind, message="of Python", place=RAN_INTO)
    check = replace(CHECK, hints=CHECK.hints | {"raised": "nothing to refuse here"})
    assert hints({EMPTY: got}, check) == {"edge": LINE}
    assert hints({NEGATIVE: got}, check) == {"refusals": LINE}
    assert hints({EMPTY: replace(got, place=(0, 0, 0))}, check) == {"edge": NO_LINE}


def test_an_error_that_is_raised_on_purpose_is_told_from_one_that_is_run_into():
    check = replace(CHECK, hints=CHECK.hints | {"raised": "nothing to refuse here"})
    assert hints({EMPTY: Observation(raised="ValueError", place=REFUSED)}, check) == {"edge": "nothing to refuse here"}
    assert hints({NEGATIVE: Observation(raised="TypeError", place=REFUSED)}) == {
        "refusals": f"{OURS['raised another']}; ValueError is expected"
    }


def test_what_should_have_been_refused_is_the_topic_of_the_case():
    assert hints({NEGATIVE: Observation((-2,))}) == {"refusals": "sizes are not negative"}


@pytest.mark.parametrize(("value", "hint"), [([4, 6], OURS["type"]), (None, NONE_OF_A_RETURN)])
def test_another_type_is_told_whatever_the_case_is_about(value, hint):
    assert hints({PLAIN: Observation(value)}) == {"ordinary": hint}


def test_an_error_that_the_probe_noted_has_no_topic():
    got = Observation(("raised", "KeyError"), message="KeyError: 3", place=RAN_INTO)
    assert hints({EMPTY: got}) == {"edge": LINE}


def test_an_error_raised_on_purpose_that_the_probe_noted_is_no_stop():
    check = replace(CHECK, hints=CHECK.hints | {"raised": "nothing to refuse here"})
    got = Observation(("raised", "KeyError"), message="KeyError: 3", place=REFUSED)
    assert hints({EMPTY: got}, check) == {"edge": "nothing to refuse here"}


RETURNS = [
    ("def double(sizes):\n    print(sizes)", OURS["returned None"]),
    ("def double(sizes):\n    return", OURS["returned None"]),
    ("def double(sizes):\n    def one(size):\n        return 2\n    one(3)", OURS["returned None"]),
    ("def double(sizes):\n    return TABLE.get(sizes)", NONE_OF_A_RETURN),
    ("def double(sizes):\n    if sizes:\n        return sizes", NONE_OF_A_RETURN),
    ("def double(sizes:", OURS["returned None"]),
]


@pytest.mark.parametrize(("source", "hint"), RETURNS)
def test_a_return_is_asked_for_where_there_is_none(source, hint):
    assert hints({PLAIN: Observation(None)}, source=source) == {"ordinary": hint}
    says = replace(CHECK, hints=CHECK.hints | {"returned None": "these can be doubled"})
    assert hints({PLAIN: Observation(None)}, says, source=source) == {"ordinary": "these can be doubled"}


def test_of_several_errors_that_a_probe_caught_the_one_that_is_not_expected_counts():
    case = Case(PLAIN, "plain")
    wanted = Observation({"first": 3, "second": ("raised", "RuntimeError")}, message="RuntimeError: as it should be")
    errors = (("TypeError: of Python", RAN_INTO),)
    got = Observation(
        {"first": ("raised", "TypeError"), "second": ("raised", "RuntimeError")},
        message="RuntimeError: as it should be", place=REFUSED, earlier=errors,
    )  # fmt: skip
    check = replace(CHECK, aspects=CHECK.aspects[:1])
    result = judge(check, {"ordinary": [(case, wanted)]}, lambda case, following: got, source=CELL)
    failure = result.aspects[0].failure
    assert failure.error == "TypeError: of Python" and "->   2 |" in failure.excerpt and failure.hint == LINE


def test_what_the_cell_refuses_on_purpose_and_must_accept_is_told_so():
    got = Observation(("raised", "ValueError"), message="ValueError: negative", place=REFUSED)
    assert hints({EMPTY: got}) == {"edge": NOT_ACCEPTED}
    check = replace(CHECK, differs=lambda args, wanted, got: ["empty"])
    assert hints({EMPTY: got}, check) == {"edge": f"{NOT_ACCEPTED}; nothing doubled is nothing"}


def test_only_the_error_of_the_stub_means_that_nothing_is_written():
    stub = Observation(raised="NotImplementedError", place=REFUSED)
    assert hints({PLAIN: stub}) == {"ordinary": "this is not written yet"}
    assert hints({PLAIN: replace(stub, message="no kernel for Bool")}) == {"ordinary": ""}
    caught = Observation(["NotImplementedError"], message="NotImplementedError: double.of", place=REFUSED)
    assert hints({PLAIN: caught}) == {"ordinary": "not written yet: `of`"}


# ---- the program on the whole engine

PROGRAM = Case((), WHOLE_ENGINE, "strides.program.run")
WITH_PROGRAM = {**CASES, "ordinary": [*CASES["ordinary"], PROGRAM]}


def judged_with_program(answer):
    asked = {
        name: [(case, Observation("fine") if case is PROGRAM else double(case)) for case in drawn]
        for name, drawn in WITH_PROGRAM.items()
    }
    seen = []

    def noted(case, following):
        seen.append(case)
        return answer(case)

    return judge(CHECK, asked, noted, source=CELL), seen


def test_the_program_is_asked_last_and_costs_the_first_aspect():
    result, seen = judged_with_program(lambda case: Observation("broken") if case is PROGRAM else double(case))
    assert seen[2] is PROGRAM
    assert [aspect.points for aspect in result.aspects] == [0, 2, 1]
    assert result.aspects[0].failure.hint == OURS[WHOLE_ENGINE]


def test_the_program_does_not_say_that_each_case_is_right_if_one_of_another_aspect_is_wrong():
    wrong = {PROGRAM: Observation("broken"), CASES["edge"][0]: Observation((1,))}
    result, _ = judged_with_program(lambda case: wrong.get(case) or double(case))
    assert [aspect.failure and aspect.failure.hint for aspect in result.aspects] == [
        NOT_ALONE, "nothing doubled is nothing", None,
    ]  # fmt: skip


def test_the_program_is_not_run_on_an_answer_that_is_wrong_already():
    _, seen = judged_with_program(lambda case: Observation((0,)) if case.args == PLAIN else double(case))
    assert PROGRAM not in seen


def test_a_right_answer_passes_the_program():
    result, _ = judged_with_program(lambda case: Observation("fine") if case is PROGRAM else double(case))
    assert result.verdict == RIGHT


def test_a_program_that_never_ends_is_timed_out():
    def answer(case):
        if case is PROGRAM:
            raise Stopped(TIMED_OUT, "no answer after 2 seconds")
        return double(case)

    result, _ = judged_with_program(answer)
    assert result.verdict == TIMED_OUT and result.aspects[0].failure.case == "a program on the whole engine"


# ---- the text that an answer makes

MAKES = replace(CHECK, makes="the text that it makes")
TEXT = "def kernel(x):\n    return x\n"


def judged_with_text(answers, check=MAKES):
    asked = {name: [(case, double(case)) for case in drawn] for name, drawn in CASES.items()}
    return judge(check, asked, lambda case, following: answers.get(case.args) or double(case), source=CELL)


def made(answers, check=MAKES):
    """The texts that are shown, by aspect that loses."""
    result = judged_with_text(answers, check)
    return {aspect.name: aspect.failure.made for aspect in result.aspects if aspect.failure}


def test_the_text_that_a_probe_leaves_is_shown_beside_a_wrong_value():
    wrong = {PLAIN: Observation((4, 7), message=TEXT)}
    assert made(wrong) == {"ordinary": "the text that it makes:\ndef kernel(x):\n    return x"}
    lines = render(judged_with_text(wrong)).split("\n")
    first = lines.index("     the text that it makes:")
    assert lines[first + 1 : first + 3] == ["        def kernel(x):", "            return x"]


def test_a_text_is_kept_with_its_verdict():
    result = judged_with_text({PLAIN: Observation((4, 7), message=TEXT)})
    assert from_json(to_json(result)) == result and result.aspects[0].failure.made


@pytest.mark.parametrize(
    ("got", "check"),
    [
        (Observation((4, 7)), MAKES),
        (Observation((4, 7), message=TEXT), CHECK),
        (Observation(raised="ValueError", message=TEXT), MAKES),
        (Observation(("raised", "KeyError"), message="KeyError: 3", place=RAN_INTO), MAKES),
    ],
    ids=["none is left", "the check has none", "an error", "an error that the probe noted"],
)
def test_no_text_is_shown(got, check):
    assert made({PLAIN: got}, check) == {"ordinary": ""}


def test_a_text_that_is_right_is_not_shown():
    assert made({PLAIN: replace(double(Case(PLAIN)), message=TEXT)}) == {}


def test_a_text_that_could_steer_a_terminal_is_shown_as_text():
    shown = made({PLAIN: Observation((4, 7), message="a\x1b[2Jb")})["ordinary"]
    assert "\x1b" not in shown and shown.startswith("the text that it makes:\na")


def test_what_a_probe_leaves_is_kept_until_the_next_question():
    error_data.begin("strides.double")
    error_data.type_name(KeyError(3))
    error_data.leave(TEXT)
    assert error_data.caught == (TEXT, error_data.NOWHERE)
    error_data.type_name(KeyError(4))
    error_data.type_name(KeyError(5))
    assert [text for text, _ in error_data.earlier] == [TEXT, "KeyError: 4"]
    error_data.begin("")
    assert error_data.caught == ("", error_data.NOWHERE) and error_data.earlier == []
