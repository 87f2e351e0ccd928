"""A course is graded in a folder of any name, whatever the name means in a pattern or in an address."""

from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from autograder.author.literal_paths import literal_first
from autograder.grading import database

NAMES = ["plain", "a [b]", "[]", "[!x]", "st*r", "wh?t", "{y}", "p%20q", "é #1"]


@pytest.mark.parametrize("name", NAMES)
def test_a_pattern_finds_what_is_below_a_folder_of_any_name(tmp_path, name):
    for student in ("ada", "bob"):
        (tmp_path / name / student).mkdir(parents=True)
        (tmp_path / name / student / "lab.ipynb").touch()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "lab.ipynb").touch()
    found = literal_first(f"{tmp_path}/{name}/./*/lab.ipynb")
    assert sorted(found) == [f"{tmp_path}/{name}/./{student}/lab.ipynb" for student in ("ada", "bob")]


@pytest.mark.parametrize("name", NAMES)
def test_the_gradebook_is_in_the_folder_of_any_name(tmp_path, name):
    (tmp_path / name).mkdir()
    assert make_url(database.chosen(tmp_path / name)).database == str(tmp_path / name / database.FILE)
    assert database.file_of(database.url_of(Path(name))) == Path(name)
