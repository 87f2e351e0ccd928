"""The claims and the counts in lab 3's text hold on the engine of a student who has solved it."""

import contextlib
import io
import re
from pathlib import Path

import pytest
import yaml
from test_payoffs import payoff_of

import engine
from autograder import documents, overlay
from autograder.author import lab_text
from autograder.made_up import cohort
from engine.aten import python_arg_parser, registration

LAB = lab_text.load("03-operators")
STUDENTS = ("rosa-tables", "hilda-recursive", "quinn-step-by-step", "yara-other-words")
PROSE = " ".join(" ".join(cell.source.split()) for cell in LAB.cells if cell.kind == "markdown")
IMPORTS, *CELLS = (cell for cell in LAB.cells if cell.kind == "code")
STACKS = documents.of_lab(LAB.id)["STACK.md"].expected()
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def answer_of(exercise):
    """Return a student's answer: the first one that is not the reference's text."""
    students = cohort.load(LAB.id)
    answers = [cohort.submitted_source(students[name], students, exercise) for name in STUDENTS]
    return next((answer for answer in answers if answer != overlay.source_of(exercise)), answers[0])


@pytest.fixture(scope="module", autouse=True)
def students_engine():
    """Run this file on answers of made-up students."""
    names = [exercise.name for exercise in LAB.exercises]
    answers = {name: answer_of(name) for name in names}
    assert sum(answer != overlay.source_of(name) for name, answer in answers.items()) > len(names) / 2
    for name, answer in answers.items():
        overlay.graft(name, answer)
    assert not overlay.rebuilt(names)
    yield
    for name in names:
        overlay.restore(name)
    overlay.rebuilt(names)


@pytest.fixture
def smoothmax():
    """Register the payoff's operator; the names of the payoff's cells, and of the cell that shows its source."""
    names = payoff_of(LAB.id).__globals__
    handle = names["register"]()
    yield names | {"handle": handle, "family": registration.FAMILIES["smoothmax"]}
    handle.destroy()


def printed_by(text, names=None):
    """Return what the code cell that contains a text prints, after the import cell ran."""
    cell = next(cell for cell in CELLS if text in cell.source)
    namespace = {"__name__": "__main__"}
    exec(IMPORTS.source.replace("resume()", ""), namespace)
    namespace.update(names or {})
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(cell.source, f"{LAB.path}:{cell.line}", "exec"), namespace)
    return printed.getvalue()


def stated(pattern):
    """The numbers of a sentence in the text, as ints."""
    return [int(number.replace(",", "")) for number in re.search(pattern, PROSE).groups()]


def test_one_meta_and_one_impl_make_all_forms(smoothmax):
    x, y = engine.tensor([[1.0, 2.0]]), engine.tensor([[4.0], [0.0]])
    wanted = [[(a + b + ((a - b) ** 2 + 4) ** 0.5) / 2 for a in (1, 2)] for b in (4, 0)]
    out, own = engine.empty(0), y.clone().expand(2, 2).contiguous()
    engine.smoothmax(x, y, out=out)
    own.smoothmax_(x)
    for made in (engine.smoothmax(x, y), x.smoothmax(y), out):
        assert [[round(value, 5) for value in row] for row in made.tolist()] == [
            [round(value, 5) for value in row] for row in wanted
        ]
    assert own.allclose(out)


def test_the_engine_makes_the_errors_and_the_meta_device(smoothmax):
    with pytest.raises(RuntimeError, match=re.escape("tensor a (3) must match the size of tensor b (2)")):
        engine.smoothmax(engine.zeros(3), engine.zeros(2))
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        engine.zeros(2).smoothmax()
    made = engine.smoothmax(engine.empty(2, 1, device="meta"), engine.empty(3, device="meta"))
    assert (tuple(made.size()), str(made.device)) == ((2, 3), "meta")


def test_the_operator_goes_when_its_handle_is_destroyed():
    payoff = payoff_of(LAB.id)
    payoff()
    assert not hasattr(engine, "smoothmax")


def test_the_stacks_are_as_the_hints_say():
    for frames in STACKS.values():
        assert [row[0] for row in frames[-2:]] == ["add_out", "kernel"]
    add, in_place = STACKS["x + y"], STACKS["x.add_(y)"]
    said = re.search(r"The stack of `x \+ y` has (\w+) frames\. (\w+) have a file in angle", PROSE)
    frames, in_brackets = said.groups()
    assert len(add) == WORDS.index(frames) + 1
    assert sum(row[1].startswith("<") for row in add) == WORDS.index(in_brackets.lower()) + 1
    assert len(in_place) == len(add) + 1 and any("ADInplaceOrView" in row[0] for row in in_place)


def test_the_opening_counts_the_exercises():
    core = [exercise for exercise in LAB.exercises if not exercise.optional]
    assert f"a document, {WORDS[len(core) - 1]} exercises" in PROSE
    assert f"{WORDS[len(LAB.exercises) - len(core) - 1].capitalize()} more exercises are optional" in PROSE


@pytest.mark.parametrize(
    ("call", "times"),
    [("x.view(3, 2)", 0), ("engine.zeros(2, 3)", 0), ("engine.add(x, x)", 0), ("x.view(size=[3, 2])", 2)]
    + [("x.sum(axis=0)", 2)],
)
def test_match_runs_as_often_as_the_text_says(monkeypatch, call, times):
    x, counted, match = engine.zeros(2, 3), [], python_arg_parser.match
    eval(call, {"x": x, "engine": engine})
    monkeypatch.setattr(python_arg_parser, "match", lambda *given: counted.append(given) or match(*given))
    eval(call, {"x": x, "engine": engine})
    assert f"`{call}`" in PROSE and len(counted) == times


def test_lines_written_against_generated(smoothmax):
    printed = printed_by("lines written", smoothmax)
    written, generated = map(int, re.search(r"smoothmax: (\d+) lines written, (\d+) generated", printed).groups())
    assert stated(r"smoothmax: (\d+) generated to (\d+) written") == [generated, written]


def test_a_quarter_of_pytorchs_operators_is_composite(pytorch):
    entries = Path(pytorch.__file__).parents[1] / "torchgen/packaged/ATen/native/native_functions.yaml"
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = next(cell.source for cell in LAB.cells if 'delegate" not in entry' in cell.source)
    source = re.search(r"    implicit = .*?\n    \]\n", text, re.S)[0]
    names = {"entries": yaml.load(entries.read_text(), loader)}
    exec(re.sub(r"(?m)^    ", "", source), names)
    assert stated(r"they print (\d+) of (\d+)") == [len(names["composite"]), len(names["entries"])]
    assert len(names["composite"]) > len(names["entries"]) / 4 and len(names["entries"]) > 2000
