"""The state of a document in the list of `progress`, also in a session that has not checked it."""

import shutil

import pytest

from autograder import documents
from autograder.author import lab_text
from autograder.student import progress
from autograder.student.cell_text import read_saved
from autograder.student.progress import Checked

LAB = "02-dispatch"
TRACE = documents.of_lab(LAB)["TRACE.md"]


@pytest.fixture
def here(tmp_path):
    shutil.copytree(lab_text.ROOT / "course" / LAB, tmp_path / LAB)
    return tmp_path / LAB


def write(here, text):
    (here / TRACE.name).write_text(text, encoding="utf-8")


def said(here, checked=()):
    saved = read_saved(here / "lab.ipynb")
    lines = progress.lab_points(here, here.parent / "my_engine", {}, saved, dict(checked)).text.splitlines()
    return next(line.removesuffix(TRACE.name).strip() for line in lines if TRACE.name in line), lines[-1].strip()


def template(here):
    return (here / TRACE.name).read_text(encoding="utf-8")


def test_the_template_is_open_and_all_four_answers_are_counted(here):
    row, answers = said(here)
    assert row.split() == ["open", "0", "of", str(TRACE.points)] and answers.startswith("0 of 4 written answers")


def test_a_right_document_is_right_after_a_restart(here):
    write(here, documents.solved(TRACE, template(here)))
    assert said(here)[0].split() == ["right", *f"{TRACE.points} of {TRACE.points}".split()]


def test_a_wrong_document_is_wrong_after_a_restart(here):
    write(here, documents.solved(TRACE, template(here)).replace("`math`", "`kernel`"))
    state, points = said(here)[0].split()[:2]
    assert state == "wrong" and 0 < int(points) < TRACE.points


def test_a_document_that_changed_since_its_check_is_not_judged(here):
    write(here, documents.solved(TRACE, template(here)))
    assert said(here, {TRACE.name: Checked("another", 0, False)})[0].startswith("changed since its check")


def test_words_in_the_document_are_a_written_answer(here):
    write(here, template(here).replace("1.\n", "1. Every CPU tensor has the key.\n"))
    assert said(here)[1].startswith("1 of 4 written answers")


def test_without_the_document_its_words_are_missing(here):
    (here / TRACE.name).unlink()
    row, answers = said(here)
    assert row.startswith("open") and answers.startswith("0 of 4 written answers")
