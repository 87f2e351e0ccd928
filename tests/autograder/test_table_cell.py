"""A cell of a table is text to any spreadsheet, and is read back as it was."""

import csv
import io
import re

import pytest

from autograder.grading.table_cell import guarded, unguarded

FORMULAS = [
    "=1+1", "+1+1", "-1+1", "@sum(1)", "\t=1", "\tx", "\rx", "\nx", "  =1", "\u3000@f", '"=1', "'=1", "\u201c=1",
    "\uff1d1+1", "\uff0b1", "\uff0dA1", "\uff20f", "\u2212A1", "\ufeff=1",
]  # fmt: skip
WITHIN = [f"x{separator}{formula};y" for separator in ",;\t|\n" for formula in FORMULAS]
HARMLESS = ["Ada Lovelace", "half-life", "O'Neil", "a, b", "-1", "+2.5", "-1,5", "x;-1;y", "http://x/?a=b;c=d", ""]
RUNS = re.compile(r"""[\s"\u201c\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20\u2212]""")


@pytest.mark.parametrize("text", FORMULAS + WITHIN)
def test_no_cell_of_any_program_begins_like_a_formula(text):
    for cell in re.split(r"[,;\t|\r\n]", guarded(text)):
        assert not RUNS.match(cell)


@pytest.mark.parametrize("text", FORMULAS)
def test_the_first_character_is_an_apostrophe_before_anything_that_runs(text):
    assert guarded(text).startswith(f"'{text[0]}".replace("\r", "\n"))


@pytest.mark.parametrize("value", [*HARMLESS, -1, -1.5, 0, True])
def test_what_is_harmless_stays_as_it_is(value):
    assert guarded(value) is value


@pytest.mark.parametrize("text", FORMULAS + WITHIN + HARMLESS)
def test_a_cell_is_read_back_as_it_was(text):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([guarded(text), "z"])
    ((read, _),) = csv.reader(io.StringIO(out.getvalue(), newline=""))
    assert unguarded(read) == text.replace("\r", "\n")
