"""What an instructor hands out: notebook, cases, wheel, and how to submit; the same bytes from the same release."""

import zipfile

import nbformat
import pytest

from autograder import bundle


@pytest.fixture
def course(tmp_path):
    folder = tmp_path / "course" / "01-strides"
    folder.mkdir(parents=True)
    cells = [nbformat.v4.new_markdown_cell("# Sizes and strides", id="title")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "lab.ipynb")
    (folder / "cases.json").write_text("{}")
    return tmp_path / "course"


@pytest.fixture
def wheel(tmp_path):
    path = tmp_path / "inside_the_tensor-0.1.0-py3-none-any.whl"
    path.write_bytes(b"a wheel")
    return path


@pytest.fixture
def archive(course, wheel, tmp_path):
    with zipfile.ZipFile(bundle.bundle("01-strides", wheel, tmp_path / "dist", course)) as opened:
        yield opened


def test_it_holds_the_lab_the_engine_and_the_instructions(archive):
    assert sorted(archive.namelist()) == [
        "inside-the-tensor/01-strides/cases.json",
        "inside-the-tensor/01-strides/lab.ipynb",
        "inside-the-tensor/SUBMIT.md",
        "inside-the-tensor/inside_the_tensor-0.1.0-py3-none-any.whl",
    ]


def test_the_notebook_is_the_released_one(archive, course):
    assert archive.read("inside-the-tensor/01-strides/lab.ipynb") == (course / "01-strides/lab.ipynb").read_bytes()


@pytest.mark.parametrize("text", ["# Sizes and strides", "inside_the_tensor-0.1.0", "01-strides/lab.ipynb"])
def test_the_instructions_name_what_they_are_about(archive, text):
    assert text in archive.read("inside-the-tensor/SUBMIT.md").decode()


def test_the_same_release_gives_the_same_bytes(course, wheel, tmp_path):
    first = bundle.bundle("01-strides", wheel, tmp_path / "first", course).read_bytes()
    assert bundle.bundle("01-strides", wheel, tmp_path / "second", course).read_bytes() == first


def test_a_lab_that_is_not_released_is_refused(course, wheel, tmp_path):
    with pytest.raises(FileNotFoundError, match="make course"):
        bundle.bundle("02-dispatch", wheel, tmp_path / "dist", course)
