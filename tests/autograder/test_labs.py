"""The text of a lab becomes its exercises and reflections, and a malformed text is named by file and line."""

import re

import pytest
from written_lab import EXERCISES, TEXT, write_lab

from autograder.author import lab_text


def test_a_lab_knows_its_exercises_in_the_order_of_the_text(tmp_path):
    assert tuple(exercise.name for exercise in write_lab(tmp_path).exercises) == EXERCISES


def test_a_class_names_the_methods_that_the_student_writes(tmp_path):
    assert write_lab(tmp_path).exercises[1].methods == ("__getitem__", "__setitem__")


def test_points_of_machine_and_hand_add_up(tmp_path):
    assert write_lab(tmp_path).points == 100


def test_the_number_comes_from_the_folder_and_the_title_from_the_first_heading(tmp_path):
    lab = write_lab(tmp_path)
    assert (lab.number, lab.title) == ("1", "Three views")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("engine.strides:view_strides", "strides.view_strides", "27", "expected a code cell with :solution:"),
        ('"points": 80', '"points": "many"', "34", "expected points: a positive whole number, got 'many'"),
        ('"points": 80', '"points": 0', "34", "got 0"),
        (
            ":view_strides\n",
            ":view_strides\n:optional: maybe\n",
            "27",
            "expected :optional: true or false, got 'maybe'",
        ),
        (":view_strides", ":contiguous_strides", "27", "contiguous_strides is already defined in line 13"),
        ('"stride-zero"', '"stride zero"', "34", "expected a block"),
    ],
)
def test_a_malformed_directive_is_named_by_file_and_line(tmp_path, old, new, line, message):
    assert old in TEXT
    with pytest.raises(lab_text.LabError, match=rf"lab\.md:{line}: .*{re.escape(message)}"):
        write_lab(tmp_path, TEXT.replace(old, new))


def test_a_block_that_is_not_json_is_an_error_of_the_lab(tmp_path):
    with pytest.raises(lab_text.LabError, match=r"lab\.md: .*line"):
        write_lab(tmp_path, TEXT.replace('{"reflect"', "{reflect"))


def test_a_missing_lab_is_named(tmp_path):
    with pytest.raises(lab_text.LabError, match="02-dispatch.*no such lab"):
        lab_text.load("02-dispatch", tmp_path)


@pytest.mark.parametrize("name", ["1", "01", "01-strides"])
def test_a_lab_is_found_by_number_or_name(name):
    assert lab_text.find(name, ("01-strides", "02-dispatch")) == "01-strides"


def test_an_unknown_lab_lists_those_there_are():
    with pytest.raises(lab_text.LabError, match="there are: 01-strides"):
        lab_text.find("7", ("01-strides",))


def test_every_lab_of_the_course_loads():
    assert [lab_text.load(lab).id for lab in lab_text.LABS] == list(lab_text.LABS)
