"""docs/transforms.md does what it says: its programs run in order, and print what is shown below them."""

import contextlib
import gc
import io
import re
from pathlib import Path

import pytest
from compare import needs_torch

import engine
from engine.transforms import samples

ROOT = Path(engine.__file__).parents[1]
TEXT = (ROOT / "docs" / "transforms.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```\n", TEXT, re.DOTALL)
ONLY_HERE = re.compile(r"engine\.transforms|import draw, journey")
ROWS = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*) \|$", TEXT, re.M)


def printed(programs):
    """Return what each program prints, run in one scope, whose classes are gone afterwards."""
    scope, found = {}, []
    for number, program in enumerate(programs):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(program, f"docs/transforms.md, program {number + 1}", "exec"), scope)
        found.append("".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines()))
    scope.clear()
    gc.collect()
    return found


def test_each_program_has_an_output():
    assert len(PROGRAMS) == TEXT.count("```python\n") > 8


def test_its_programs_print_what_it_shows():
    assert printed([program for program, _ in PROGRAMS]) == [shown for _, shown in PROGRAMS]


@needs_torch
def test_they_print_it_on_pytorch_too():
    pairs = [(program, shown) for program, shown in PROGRAMS if not ONLY_HERE.search(program)]
    theirs = [program.replace("import engine as", "import").replace("engine.", "torch.") for program, _ in pairs]
    assert printed(theirs) == [shown for _, shown in pairs]


def test_every_sample_has_a_row_with_its_fields():
    classes = {name: getattr(samples, name) for name in samples.__all__}
    expected = {name: kind.fields for name, kind in classes.items() if getattr(kind, "fields", ())}
    assert {name: tuple(re.findall(r"`(\w+)`", fields)) for name, fields, _ in ROWS} == expected


@pytest.mark.parametrize(("name", "rest"), [(name, rest) for name, _, rest in ROWS])
def test_the_numbers_of_a_sample_are_those_of_its_doctest(name, rest):
    documented = set(re.findall(r"\d+", getattr(samples, name).__doc__.replace(",", "")))
    assert set(re.findall(r"\d+", rest.replace(",", ""))) <= documented
