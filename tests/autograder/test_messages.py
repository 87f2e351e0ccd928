"""The messages of a check that fails: the line, the call, the prints, and how `replay` leads to the place."""

import linecache
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest

import engine
from autograder import overlay
from autograder.author import lab_text
from autograder.examine import error_data, examiner, prints, student_error
from autograder.examine.case_call import call_text, python_text
from autograder.examine.examiner import Examiner
from autograder.examine.model import Case
from autograder.examine.plain_data import equal
from autograder.examine.questions import Observation, answered, draw_cases
from autograder.examine.rendering import render
from autograder.examine.verdict import WRONG, from_json, judge, to_json
from autograder.labs import CHECKS
from autograder.sandbox import Limits, Sandbox
from autograder.sandbox.grade import grade_cell
from autograder.student import coloring, notebook, recorded, recorded_check, replay
from autograder.student.failing_case import themed
from autograder.student.recorded_check import CheckFailed
from engine import draw
from engine.strides import wrap_dim

PERMUTE, ACCESSOR, LOOP = "strides.permute", "accessor.TensorAccessor", "cpu.elementwise_loops.contiguous_binary"
TYPO = """\
def permute(sizes, strides, dims):
    order = [d % max(len(sizes), 1) for d in dims]
    print("the order is", order)
    for d in ordr:
        pass
    return sizes, strides
"""
TURNED = """\
def permute(sizes, strides, dims):
    dims = [d % max(len(sizes), 1) for d in dims]
    return tuple(sizes[d] for d in dims), tuple(strides[d] for d in dims)[::-1]
"""
MARKED = """\
          2 |     order = [d % max(len(sizes), 1) for d in dims]
          3 |     print("the order is", order)
     ->   4 |     for d in ordr:
                           ^^^^
          5 |         pass
          6 |     return sizes, strides"""
NO_STRIDES = overlay.source_of(ACCESSOR).replace("self.strides[0]", "self.stride[0]")


@pytest.fixture(scope="module")
def cases():
    return recorded.record("01-strides", [CHECKS[PERMUTE], CHECKS[ACCESSOR]])


@pytest.fixture
def cells(tmp_path, monkeypatch, cases):
    """Runs the text of a cell as IPython does, in one namespace beside the recorded cases."""
    (tmp_path / "01-strides").mkdir()
    (tmp_path / "01-strides" / "cases.json").write_text(cases)
    shutil.copy(lab_text.ROOT / "course" / "01-strides" / "lab.json", tmp_path / "01-strides")
    monkeypatch.setattr(notebook, "HERE", tmp_path / "01-strides")
    monkeypatch.setattr(replay, "_failing", {})
    namespace = {"check": notebook.check, "replay": notebook.replay, "engine": engine, "wrap_dim": wrap_dim}
    namespace |= {"Ints": tuple}

    def run(source, filename="/tmp/ipykernel/cell.py"):
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        exec(compile(source, filename, "exec"), namespace)

    yield run
    overlay.restore()


@pytest.fixture
def said(cells, capsys):
    """Runs a cell and its check, which has to fail; returns what was printed."""

    def fail(source, name=PERMUTE):
        cells(source)
        with pytest.raises(CheckFailed):
            cells(f"check({name!r})", "/tmp/ipykernel/check.py")
        return capsys.readouterr().out

    return fail


# ---- the line


def test_an_error_shows_its_line_with_its_number_and_two_lines_around_it(said):
    assert f"line 4 of your cell:\n{MARKED}\n" in said(TYPO)


def test_the_same_line_is_shown_once(said):
    text = said(TYPO)
    assert text.count("for d in ordr") == 1 and text.count("line 4 of your cell, as above") == 2


def test_an_error_that_the_probe_catches_shows_its_line_and_its_text(said):
    text = said(NO_STRIDES, ACCESSOR)
    number = next(at for at, line in enumerate(NO_STRIDES.splitlines(), 1) if "self.stride[0]" in line)
    assert f"line {number} of your cell: AttributeError: 'TensorAccessor' object has no attribute 'stride'" in text
    assert re.search(rf"->  {number} \| .*self.stride\[0\]\n +\^{{11}}\n", text)


def test_a_syntax_error_of_a_text_that_the_cell_makes_has_no_line_of_the_cell():
    error_data.begin(PERMUTE)
    with pytest.raises(SyntaxError) as error:
        compile("def f():\nreturn", "<made>", "exec")
    assert "line 2" in str(error.value) and error_data.place(error.value) == error_data.NOWHERE


def test_a_name_in_a_text_or_of_an_attribute_is_not_where_it_is_missing():
    message = "name 'node' is not defined"
    assert student_error.located('"""node"""\na = "node", b.node\n', (0, 0, 0), message) == (0, 0, 0)
    assert student_error.located('f"{b.node}"\nc = node\n', (0, 0, 0), message) == (2, 4, 8)


@pytest.mark.parametrize("given", [None, [("KeyError: 3", (1, 2, 3))], (("KeyError: 3",),), ("KeyError: 3",)])
def test_a_worker_s_errors_that_are_none_are_none(given):
    assert student_error.as_caught(given, 10) == ()


def test_a_worker_s_errors_are_cut():
    assert student_error.as_caught((("KeyError: 3", (1, 2, 3)), (4, None)), 8) == (("KeyError", (1, 2, 3)),)


def test_no_line_of_the_autograder_is_shown(said):
    assert "probe.py" not in said(NO_STRIDES, ACCESSOR)


def test_a_case_that_should_be_refused_shows_no_line(said):
    assert "of your cell" not in said(TURNED)


def test_an_endless_loop_shows_the_line_that_ran(said, monkeypatch):
    monkeypatch.setattr(recorded_check, "ANSWER_SECONDS", 0.2)
    text = said("def permute(sizes, strides, dims):\n    n = 0\n    while True:\n        n += 1\n")
    assert "timed out" in text and re.search(r"line [34] of your cell:", text)


def test_a_cell_that_stops_names_its_line(said):
    text = said("\nhelper = replay\n\n\ndef permute(sizes, strides, dims):\n    return ()\n")
    assert "the cell stops in line 2 with NameError" in text


def test_columns_count_bytes_and_tabs_are_four_columns():
    assert student_error.excerpt('\tx = "é" + y', (1, 12, 13)).split("\n") == [
        '->   1 |     x = "é" + y',
        " " * 9 + " " * 14 + "^",
    ]


@pytest.mark.parametrize("place", [(0, 0, 0), (9, 1, 2), (-1, 0, 0), (10**6, 5, 6)])
def test_a_place_outside_the_text_shows_nothing(place):
    assert student_error.excerpt("one\ntwo\n", place) == ""


@pytest.mark.parametrize("given", [None, [1, 2, 3], (1, 2), (True, 2, 3), ("1", 2, 3), (1, 2, 1 << 30), (-1, 0, 0)])
def test_a_worker_s_place_that_is_no_place_is_none(given):
    assert student_error.as_place(given) == student_error.NOWHERE


def test_a_place_survives_the_record_and_earns_nothing():
    first = judged_here(TYPO)
    assert first.verdict == WRONG and first.points == 0 and "ordr" in first.aspects[0].failure.excerpt
    assert from_json(to_json(first)) == first


def judged_here(source, name=PERMUTE):
    check = CHECKS[name]
    with overlay.swapped({}):
        asked = answered(check, 0)
    return Examiner().examine(check, source, asked)


# ---- numba


def test_numba_s_report_is_one_sentence_and_a_line():
    source = overlay.source_of(LOOP)
    source = (
        source[: source.index("            out[")] + "            out[o + i] = a.shapee[0]\n\n    return contiguous\n"
    )
    line = source.splitlines().index("            out[o + i] = a.shapee[0]") + 1
    with examiner.here(CHECKS[LOOP], source) as ask:
        seen = ask(Case(("compiled", 0, 1, ([1.0], 0), ([1.0], 0), ([1.0], 0), (), 1)))
    assert seen.raised.startswith("numba.") and seen.place == (line, 0, 0)
    assert seen.message == "Unknown attribute 'shapee' of type array(float64, 1d, C)"


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (
            "numba can't compile a kernel with your cpu.x: Failed in nopython mode pipeline (step: nopython frontend)\n"
            "NameError: name 'y' is not defined\nDuring: Pass nopython_type_inference",
            "numba can't compile a kernel with your cpu.x: NameError: name 'y' is not defined",
        ),
        (
            "Failed in nopython mode pipeline (step: nopython frontend)\nNo implementation of function "
            "Function(<built-in function setitem>) found for signature:\n \n >>> "
            "setitem(array(float64, 1d, C), int64)\n \nThere are 16 candidate implementations:\n"
            "  - Of which 2 did not match due to:\n"
            "   Rejected as the implementation raised a specific error:\n     NumbaTypeError: cannot index it\n",
            "there is no setitem(array(float64, 1d, C), int64) in compiled code: cannot index it",
        ),
        ("of another kind\nin two lines", "of another kind\nin two lines"),
    ],
)
def test_the_sentence_of_a_report(report, sentence):
    assert error_data.message(RuntimeError(report)) == sentence


def test_a_name_that_numba_does_not_place_is_found_in_the_text():
    assert student_error.located("a = 1\nb = y  # y\n", (0, 0, 0), "NameError: name 'y' is not defined") == (2, 4, 5)


# ---- the call


def test_a_failing_case_can_be_pasted_and_runs(said):
    call = re.search(r"try it: (permute\(.*\))\n", said(TURNED))[1]
    namespace = {}
    exec(TURNED, namespace)
    assert eval(call, namespace) is not None


@pytest.mark.parametrize(
    "value",
    [(1,), [], float("inf"), {"a": (True, None)}, "it's", np.float32(0.1), np.arange(3.0), np.zeros((2, 0), "int8"),
     np.array([[1.5, np.inf]], "float32"), np.bool_(True)],
    ids=repr,
)  # fmt: skip
def test_python_text_gives_the_value_again(value):
    assert equal(eval(python_text(value), {"np": np}), value)


def test_an_exercise_that_a_probe_asks_has_no_call():
    assert call_text(CHECKS["autograd.function.record"], Case(((), (), (), 0, ()))) == ""


@pytest.mark.parametrize("name", [ACCESSOR, "strides.has_internal_overlap"])
def test_what_is_shown_behind_try_it_does_what_the_case_does(name, capsys):
    aspects = draw_cases(CHECKS[name], 0)
    texts = [(aspect, call_text(CHECKS[name], case)) for aspect, cases in aspects.items() for case in cases]
    short = [(aspect, text) for aspect, text in texts if text]
    assert len(short) > 0.9 * len(texts)
    for aspect, text in short:
        namespace = {"TensorAccessor": engine.accessor.TensorAccessor}
        namespace["has_internal_overlap"] = engine.strides.has_internal_overlap
        if aspect == "refusals":
            with pytest.raises((TypeError, IndexError)):
                exec(text, namespace)
        else:
            exec(text, namespace)


def test_the_call_of_a_program_prints_what_it_reads_and_writes(capsys):
    steps = [("get", (1, -1)), ("row", (0,)), ("set", (1, 0), 7), ("row get", (1,)), ("offset", (1, 2)), ("get", (0,))]
    text = call_text(CHECKS[ACCESSOR], Case(([4, 5, 6, 8, 9, 2], (2, 3), (3, 1), 0, steps)))
    exec(text, {"TensorAccessor": engine.accessor.TensorAccessor})
    assert capsys.readouterr().out.splitlines() == ["2", "5", "5", "(3,)"]


# ---- replay


def test_replay_raises_in_the_student_s_frame(said, cells):
    said(TYPO)
    with pytest.raises(NameError) as error:
        cells(f"replay({PERMUTE!r})", "/tmp/ipykernel/replay.py")
    frame = error.traceback[-1].frame
    assert frame.code.name == "permute" and frame.f_locals["order"] == [0] and error.traceback[-1].lineno == 3


def test_replay_shows_the_text_of_the_cell_also_while_an_earlier_one_is_live(said, cells):
    cells(overlay.source_of(PERMUTE))
    cells(f"check({PERMUTE!r})", "/tmp/ipykernel/check.py")
    said(TYPO)
    with pytest.raises(NameError) as error:
        cells(f"replay({PERMUTE!r})", "/tmp/ipykernel/replay.py")
    lines = linecache.getlines(f"<{PERMUTE}>")
    assert lines[error.traceback[-1].lineno].strip() == TYPO.splitlines()[error.traceback[-1].lineno].strip()


def test_replay_of_a_wrong_answer_ends_where_it_was_returned(said, cells):
    said(TURNED)
    with pytest.raises(replay.WrongAnswer, match=r"expected .*, got ") as error:
        cells(f"replay({PERMUTE!r})", "/tmp/ipykernel/replay.py")
    frame = error.traceback[-1].frame
    assert frame.code.name == "permute" and set(frame.f_locals) >= {"sizes", "strides", "dims"}


def test_replay_finds_the_error_that_a_probe_catches(said, cells):
    said(NO_STRIDES, ACCESSOR)
    with pytest.raises(AttributeError) as error:
        cells(f"replay({ACCESSOR!r})", "/tmp/ipykernel/replay.py")
    assert error.traceback[-1].frame.code.name == "offset_of"


def test_replay_says_when_the_case_passes_now(said, cells, capsys):
    said(TYPO)
    cells(overlay.source_of(PERMUTE))
    cells(f"replay({PERMUTE!r})", "/tmp/ipykernel/replay.py")
    assert "this case passes now" in capsys.readouterr().out


def test_replay_before_a_check_says_what_to_do(cells, capsys):
    cells(TYPO)
    with pytest.raises(CheckFailed):
        cells(f"replay({PERMUTE!r})", "/tmp/ipykernel/replay.py")
    assert f'run check("{PERMUTE}") first' in capsys.readouterr().out


# ---- prints


def test_prints_of_the_failing_case_come_below_the_verdict(said):
    lines = said(TYPO).splitlines()
    assert lines[0].startswith("x  strides.permute") and lines[-1] == "   | the order is [0]"
    assert sum("the order is" in line for line in lines) == 2  # the other is in the excerpt


def test_of_many_prints_the_first_twenty_are_shown(said):
    text = said("def permute(sizes, strides, dims):\n    for n in range(312):\n        print('n is', n)\n")
    assert "20 of 312 lines" in text and "| n is 19\n" in text and "n is 20" not in text


def test_an_endless_print_is_cut_at_once(said):
    text = said("def permute(sizes, strides, dims):\n    while True:\n        print('for ever' * 100)\n")
    assert "crashed" in text and "printed more than 1,048,576 characters" in text and "line 3 of your cell" in text
    assert len(text) < 5000


def test_as_much_may_be_printed_as_when_grading():
    assert Limits().output == prints.MOST


def test_of_a_right_answer_s_prints_those_of_one_case_are_shown(cells, capsys):
    source = overlay.source_of(PERMUTE)
    head, tail = source.split('"""\n', 2)[0], source.split('"""\n')[-1]
    cells(f'{head}"""\n    print("hello")\n{tail}')
    cells(f"check({PERMUTE!r})", "/tmp/ipykernel/check.py")
    before, _, after = capsys.readouterr().out.partition("-> it prints")
    assert "hello" not in before and after.count("hello") == 1


# ---- colors and pictures


def test_the_first_line_alone_is_colored():
    assert coloring.colored("ok it\n   more") == "\x1b[32;1mok it\x1b[0m\n   more"
    assert coloring.colored("x  it\n   more").startswith("\x1b[31;1mx  it\x1b[0m\n")


def test_what_is_no_terminal_gets_no_colors(said):
    assert "\x1b" not in said(TYPO)


def test_a_failing_picture_is_dark_on_a_dark_page():
    bundle = themed(draw.storage(engine.arange(3)))._repr_mimebundle_()
    assert (
        '[data-jp-theme-light="false"] .engine-picture' in bundle["text/html"] and "<script" not in bundle["text/html"]
    )
    assert bundle["image/svg+xml"].startswith("<svg")


# ---- when grading


@pytest.fixture(scope="module")
def sandbox(isolation):
    with Sandbox("01-strides", exercises={PERMUTE: ()}) as sandbox:
        yield sandbox


def test_feedback_shows_the_line_as_well(sandbox):
    assert f"line 4 of your cell:\n{MARKED}\n" in render(grade_cell(sandbox, CHECKS[PERMUTE], TYPO, 1))


HOSTILE = """\
class Trap(Exception):
    def __str__(self):
        return "x" * 10**7
    @property
    def __class__(self):
        return int
    __traceback__ = __cause__ = __context__ = property(lambda self: 1 / 0)

def permute(sizes, strides, dims):
    raise Trap
""".replace("__traceback__ = __cause__ = __context__", "args")


def test_a_hostile_error_is_bounded_and_points_to_its_line(sandbox):
    result = grade_cell(sandbox, CHECKS[PERMUTE], HOSTILE, 1)
    assert result.points == 0 and len(render(result)) < 6000 and "line 10 of your cell" in render(result)


# ---- scripts and programs


def test_the_words_of_a_script_are_explained_below_it_and_in_a_replay(said, cells, capsys, monkeypatch):
    words = {"first": "the word of the case", "absent": "of another case", CHECKS[PERMUTE].arguments[0]: "all of them"}
    case = Case((("first", 2),), "")
    check = replace(CHECKS[PERMUTE], words=words)
    cases = {aspect.name: [(case, Observation(1))] for aspect in check.aspects}
    result = judge(check, cases, lambda *_: Observation(2))
    assert "words of this case:\n        first: the word of the case\n" in render(result)
    assert f"        {check.arguments[0]}: all of them" in render(result)
    assert "absent" not in render(result)
    said(TURNED)
    asked = replay._failing[PERMUTE]
    monkeypatch.setitem(replay._failing, PERMUTE, asked._replace(case=Case(([("first", 2), ("then", 3)],))))
    monkeypatch.setitem(CHECKS, PERMUTE, check)
    capsys.readouterr()
    with pytest.raises(TypeError):
        cells(f"replay({PERMUTE!r})", "/tmp/ipykernel/replay.py")
    shown = capsys.readouterr().out
    assert "sizes =\n      ('first', 2)\n      ('then', 3)\n" in shown or "0 =\n      ('first', 2)\n" in shown
    assert "first: the word of the case" in shown


def test_a_long_case_is_shown_whole_when_it_is_replayed():
    asked = recorded_check.Asked(Case((list(range(2000)),)), Observation(1), Observation(2), CHECKS[PERMUTE].aspects[0])
    assert "1998, 1999]" in "\n".join(replay._case_lines(PERMUTE, asked))
