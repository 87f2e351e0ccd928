"""Intake accepts what may be submitted, and refuses the rest by name, without opening it."""

import errno
import json
import os
import socket
import time

import pytest

from autograder.examine import handin
from autograder.examine.handin import Cell, Refused, Unreadable
from autograder.grading import intake
from autograder.grading.intake import admit

LAB = "01-strides"
NOTEBOOK = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def folder(tmp_path):
    """The folder of a student who handed in an empty notebook."""
    folder = tmp_path / "submitted" / "ada" / LAB
    folder.mkdir(parents=True)
    (folder / "lab.ipynb").write_text(json.dumps(NOTEBOOK))
    return folder


def submit(folder, content):
    text = content if isinstance(content, (str, bytes)) else json.dumps(NOTEBOOK | content)
    (folder / "lab.ipynb").write_bytes(text if isinstance(text, bytes) else text.encode())


def admitted(folder):
    return admit(folder.parents[1], folder.parent.name, LAB)


def reason(folder):
    with pytest.raises(Refused) as refused:
        admitted(folder)
    return refused.value.reason


def cells(*sources, **fields):
    return {"cells": [{"cell_type": "code", "metadata": {}, "source": source, **fields} for source in sources]}


def test_an_empty_notebook_is_admitted(folder):
    assert admitted(folder).cells == ()


REFUSED = {
    "broken JSON": ('{"cells": [', "is not JSON (line 1"),
    "a hundred thousand brackets": ("[" * 100_000, "RecursionError"),
    "a hundred thousand objects in each other": ('{"a":' * 100_000, "RecursionError"),
    "a number of ten thousand digits": ("9" * 10_000, "ValueError"),
    "bytes that are no text": (b'{"\xff": 1}', "byte 2 is no UTF-8"),
    "half of a text in UTF-16": (b"\xff\xfe{", "is no UTF-16"),
    "an unfinished merge": ('{\n "cells": [\n<<<<<<< HEAD\n', "line 3: a conflict of git's"),
    "an empty file": ("", "is not JSON"),
    "a list": ("[]", "got list"),
    "cells that are no list": ({"cells": 7}, "a list of cells"),
    "a cell that is no object": ({"cells": [7]}, "cell 1 to be an object, got int"),
    "a cell whose text is a number": (cells(7), "the source of cell 1 to be text, got int"),
    "a cell whose lines are numbers": (cells([1, 2]), "the source of cell 1 to be text, got list"),
    "another format": ({"nbformat": 3}, "notebook format 3, expected 4: open it in JupyterLab, which converts it"),
    "an old program's file": ('{"nbformat": 3, "worksheets": [{"cells": []}]}', "notebook format 3, expected 4"),
    "a format to come": ({"nbformat": 5}, "notebook format 5, expected 4: open it in the course's JupyterLab"),
    "a format that is no number": ({"nbformat": True}, "notebook format True, expected 4"),
    "too many cells": (cells(*["x"] * (handin.MOST_CELLS + 1)), "1,001 cells"),
    "a cell that is too long": (cells("x" * (handin.LONGEST_CELL + 1)), "cell 1 has 200,001 characters"),
    "a text that is too large": (" " * (handin.LARGEST + 1), "10,000,001 bytes beside its outputs"),
}


@pytest.mark.parametrize(("content", "expected"), REFUSED.values(), ids=REFUSED)
def test_a_notebook_is_refused(folder, content, expected):
    submit(folder, content)
    assert expected in reason(folder)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_a_notebook_in_another_encoding_of_unicode_is_read(folder, encoding):
    submit(folder, json.dumps(NOTEBOOK | cells("größer"), ensure_ascii=False).encode(encoding))
    assert admitted(folder).cells[0].source == "größer"


def test_large_outputs_are_no_fault(folder):
    large = {"text": "x" * handin.LARGEST, "data": {"text/plain": ['"]}[{\\"', "\\"]}}
    submit(folder, cells("x = 1", "y = 2", outputs=[large]))
    first, second = admitted(folder).cells
    assert (first.source, second.source) == ("x = 1", "y = 2")
    assert "bytes of output are left out here" in first.printed


def test_small_outputs_of_a_large_notebook_are_shown(folder):
    outputs = [[{"text": "x" * handin.LARGEST}], [{"text": "7"}]]
    made = [{"cell_type": "code", "metadata": {}, "source": "x", "outputs": each} for each in outputs]
    submit(folder, {"cells": made})
    assert admitted(folder).cells[1].printed == "7"


def test_a_file_that_is_too_large_is_not_read(folder):
    with (folder / "lab.ipynb").open("wb") as file:
        file.truncate(handin.LARGEST_FILE + 1)
    assert "50,000,001 bytes, 50,000,000 are allowed: clear its outputs" in reason(folder)


@pytest.mark.parametrize(
    "text", ['"' + '\\"' * 50_000, '"' * 50_001, '"outputs"' + " " * 100_000, '{"outputs":[' * 20_000]
)
def test_what_is_no_json_is_read_in_linear_time(text):
    began = time.process_time()
    handin.without_outputs(text.encode())
    assert time.process_time() - began < 1


@pytest.mark.parametrize("name", ["ada", LAB, "lab.ipynb", "TRACE.md"])
def test_what_can_not_be_opened_is_ours_to_repair(folder, monkeypatch, name):
    """As root, a test can read everything: so the call fails instead of the file."""
    (folder / "TRACE.md").write_text("# Trace")
    usual = os.open

    def denied(path, *arguments, **options):
        if path == name:
            raise PermissionError(errno.EACCES, "Permission denied")
        return usual(path, *arguments, **options)

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(Unreadable, match="Permission denied: make it readable for the account that grades"):
        admit(folder.parents[1], "ada", LAB, ["TRACE.md"])


def replace_by_link(folder):
    (folder / "lab.ipynb").rename(folder.parents[1] / "elsewhere.ipynb")
    (folder / "lab.ipynb").symlink_to(folder.parents[1] / "elsewhere.ipynb")


def replace_by_pipe(folder):
    (folder / "lab.ipynb").unlink()
    os.mkfifo(folder / "lab.ipynb")


def replace_by_folder(folder):
    (folder / "lab.ipynb").unlink()
    (folder / "lab.ipynb").mkdir()


def rename(folder):
    (folder / "lab.ipynb").rename(folder / "lab (1).ipynb")


def link_beside(folder):
    (folder / "deep").mkdir()
    (folder / "deep" / "data.csv").symlink_to("/etc/passwd")


def socket_beside(folder):
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(folder)  # a socket's path is short
        server.bind("s")
        os.chdir(here)


def link_for_the_lab(folder):
    folder.rename(folder.parents[1] / "elsewhere")
    folder.symlink_to(folder.parents[1] / "elsewhere")


def link_for_the_student(folder):
    folder.parent.rename(folder.parents[1] / "bob")
    folder.parent.symlink_to(folder.parents[1] / "bob")


def too_many_files(folder):
    for number in range(intake.MOST_ENTRIES):
        (folder / f"{number}").touch()


def too_deep(folder):
    (folder / "/".join("d" * (intake.DEEPEST + 1))).mkdir(parents=True)


def no_date(folder):
    (folder / "timestamp.txt").write_text("yesterday, I think")


def pipe_for_the_date(folder):
    os.mkfifo(folder / "timestamp.txt")


FOLDERS = {
    replace_by_link: "'lab.ipynb' is a link",
    replace_by_pipe: "'lab.ipynb' is a pipe, socket or device",
    replace_by_folder: "lab.ipynb is not a plain file",
    rename: "expected lab.ipynb, found 'lab (1).ipynb'",
    link_beside: "'deep/data.csv' is a link",
    socket_beside: "'s' is a pipe, socket or device",
    link_for_the_lab: "the folder ada/01-strides, which is a file or a link",
    link_for_the_student: "the folder ada, which is a file or a link",
    too_many_files: "more than 2,000 files",
    too_deep: "nested more than 12 deep",
    no_date: "timestamp.txt holds 'yesterday, I think', expected a date",
    pipe_for_the_date: "'timestamp.txt' is a pipe",
}


@pytest.mark.parametrize(("change", "expected"), FOLDERS.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_a_folder_is_refused(folder, change, expected):
    change(folder)
    assert expected in reason(folder)


@pytest.mark.parametrize("name", ["..", "a b", "-rf", "a*", "[a]", "é", "a\nb", "=cmd", "x" * 65, "", "a'b"])
def test_a_name_is_refused(tmp_path, name):
    with pytest.raises(Refused, match="rename the folder"):
        admit(tmp_path, name, LAB)


@pytest.mark.parametrize("name", ["ada", "a.b@example.org", "12345", "_x", "A-b_c"])
def test_a_name_is_admitted(name):
    intake.require_name(name)


def test_a_date_of_handing_in_is_admitted(folder):
    (folder / "timestamp.txt").write_text("2026-11-21 08:00:00 UTC")
    assert admitted(folder).student == "ada"


def test_what_is_no_text_among_the_marks_counts_as_no_name(folder):
    marks = [{"nbgrader": {"grade_id": ["a"]}}, {"nbgrader": 7}, 7, {"nbgrader": {"grade_id": "a"}}]
    submit(folder, {"cells": [{"cell_type": 3, "metadata": mark, "source": ["x\n", "y"]} for mark in marks]})
    assert admitted(folder).cells == (Cell("", "x\ny", ""),) * 3 + (Cell("", "x\ny", "a"),)


def test_half_a_surrogate_pair_is_replaced(folder):
    submit(folder, cells("x = '\ud800'"))
    assert admitted(folder).cells[0].source == "x = '\ufffd'"


def test_whoever_hands_in_something_is_listed(folder):
    submitted = folder.parents[1]
    (submitted / "zip.zip").touch()
    (submitted / "bob" / "02-dispatch-of-another-name").mkdir(parents=True)
    (submitted / "link").symlink_to("ada")
    (submitted / ".DS_Store").touch()
    assert intake.students(submitted, LAB) == ["ada", "bob", "link"]
    assert intake.strays(submitted) == ["zip.zip"]
