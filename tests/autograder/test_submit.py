"""The one file that a student uploads: checked, summed up, the same each time, and no earlier one is lost."""

import json
import shutil
import subprocess
import sys
import zipfile

import pytest

from autograder.author import lab_text
from autograder.student import submit

LAB = "02-dispatch"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder as the bundle gives it, which the student works in."""
    shutil.copytree(lab_text.ROOT / "course" / LAB, tmp_path / LAB)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    return tmp_path


@pytest.fixture
def notebook(here):
    """Changes the notebook's cells, by name."""

    def change(name, source):
        path = here / LAB / "lab.ipynb"
        data = json.loads(path.read_text())
        if source is None:
            data["cells"] = [cell for cell in data["cells"] if cell["id"] != name]
        for cell in data["cells"]:
            if cell["id"] == name:
                cell["source"] = source
        path.write_text(json.dumps(data))

    return change


def states(here):
    return {part.name: part.state for part in submit.gather(here / LAB).parts}


def test_the_file_holds_notebook_and_documents_and_says_whose_it_is(here, capsys):
    assert submit.main([LAB, "--id", "ada"]) == 0
    with zipfile.ZipFile(here / f"{LAB}-ada.zip") as made:
        assert made.namelist() == [f"{LAB}/TRACE.md", f"{LAB}/lab.ipynb", f"{LAB}/submission.json"]
        assert made.read(f"{LAB}/lab.ipynb") == (here / LAB / "lab.ipynb").read_bytes()
        assert json.loads(made.read(f"{LAB}/submission.json")) == {"format": 1, "lab": LAB, "id": "ada"}
    assert f"{LAB}-ada.zip" in capsys.readouterr().out


def test_the_same_work_gives_the_same_bytes_and_the_id_is_remembered(here, capsys):
    submit.main([LAB, "--id", "ada"])
    made = here / f"{LAB}-ada.zip"
    before = made.read_bytes()
    made.unlink()
    assert submit.main(["02"]) == 0 and made.read_bytes() == before
    assert submit.main(["2"]) == 0 and "nothing has changed" in capsys.readouterr().out


def test_an_earlier_file_that_differs_is_kept(here, notebook):
    submit.main([LAB, "--id", "ada"])
    first = (here / f"{LAB}-ada.zip").read_bytes()
    for answer in ("one", "two"):
        notebook("reflect-cost-of-generality", answer)
        submit.main([LAB])
    assert (here / f"{LAB}-ada.1.zip").read_bytes() == first
    assert len({path.read_bytes() for path in here.glob("*.zip")}) == 3


def test_it_says_what_is_known_of_each_exercise(here, notebook):
    written = "def bits(mask):\n    return []"
    notebook("dispatch-keys-bits-answer", written)
    notebook("dispatch-keys-highest_key-answer", "def highest_key(mask):\n    return 1")
    notebook("dispatch-table-computed_kernel-answer", "def computed_kernel():\n    return 1")
    notebook("reflect-cost-of-generality", "It costs little.")
    saved = here / "my_engine" / "dispatch" / "keys"
    saved.mkdir(parents=True)
    (saved / "bits.py").write_text(written + "\n")
    (saved / "highest_key.py").write_text("def highest_key(mask):\n    return 2\n")
    found = states(here)
    assert found["dispatch.keys.bits"] == "right"
    assert found["dispatch.keys.highest_key"] == "changed"
    assert found["dispatch.table.computed_kernel"] == "unchecked"
    assert found["dispatch.boxing.stack_of"] == "open"
    assert (found["reflect-cost-of-generality"], found["reflect-silent-fallthrough"]) == ("written", "open")
    assert found["TRACE.md"] == "open"


def test_an_untouched_notebook_is_all_open(here):
    assert set(states(here).values()) == {"open"}


def test_the_answers_in_a_document_are_open_until_there_are_words(here):
    path = here / LAB / "TRACE.md"
    assert states(here)["reflect-trace-in-words"] == "open"
    path.write_text(path.read_text(encoding="utf-8").replace("1.\n", "1. The key is there from birth.\n"))
    assert states(here)["reflect-trace-in-words"] == "written" and states(here)["TRACE.md"] == "open"


def test_a_cell_that_is_missing_is_named_and_nothing_is_written(here, notebook, capsys):
    notebook("dispatch-keys-bits-answer", None)
    assert submit.main([LAB, "--id", "ada"]) == 1
    assert "the cells of dispatch.keys.bits are missing" in capsys.readouterr().out
    assert not list(here.glob("*.zip"))
    assert submit.main([LAB, "--id", "ada", "--anyway"]) == 0


def test_a_document_that_is_missing_is_named_and_nothing_is_written(here, capsys):
    (here / LAB / "TRACE.md").unlink()
    assert submit.main([LAB, "--id", "ada"]) == 1
    assert "TRACE.md is missing" in capsys.readouterr().out and not list(here.glob("*.zip"))


def copy_another_lab(folder):
    shutil.copyfile(lab_text.ROOT / "course" / "01-strides" / "lab.ipynb", folder / "lab.ipynb")


def lose_both(folder):
    (folder / "lab.json").unlink()
    (folder / "cases.json").unlink()


UNREADABLE = {
    "another lab's notebook": (copy_another_lab, "not the notebook of 02-dispatch: it has the answers of another lab"),
    "half a notebook": (lambda folder: (folder / "lab.ipynb").write_text('{"cells": ['), "is not JSON (line 1"),
    "no lab.json": (lose_both, "lab.json is missing"),
    "a broken lab.json": (lambda folder: (folder / "lab.json").write_text("[]"), "lab.json can't be read"),
    "a notebook too large": (
        lambda folder: (folder / "lab.ipynb").write_bytes(b" " * 10_000_001),
        "beside its outputs",
    ),
}


@pytest.mark.parametrize(("change", "said"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_can_not_be_graded_is_not_written_even_anyway(here, change, said, capsys):
    change(here / LAB)
    assert submit.main([LAB, "--id", "ada", "--anyway"]) == 1
    assert said in capsys.readouterr().err and not list(here.glob("*.zip"))


@pytest.mark.parametrize("name", ["../ada", "a b", "ádа", "-x", "", "a" * 65])
def test_an_id_that_no_file_can_have_is_refused(here, name, capsys):
    assert submit.main([LAB, f"--id={name}"]) == 1
    assert "expected letters, digits" in capsys.readouterr().err and not list(here.glob("*.zip"))


def test_nobody_is_asked_where_nobody_can_answer(here, capsys):
    assert submit.main([LAB]) == 1
    assert "say who you are: --id" in capsys.readouterr().err


def test_whoever_names_no_lab_hands_in_the_one_he_is_in(here, monkeypatch):
    monkeypatch.chdir(here / LAB)
    assert submit.main(["--id", "ada"]) == 0 and (here / f"{LAB}-ada.zip").is_file()


def test_a_lab_that_is_not_here_is_named_with_those_that_are(here, capsys):
    assert submit.main(["09"]) == 1
    assert "no lab '09' here, found 02-dispatch" in capsys.readouterr().err


def test_it_starts_without_the_engine():
    program = "import sys, autograder.submit; print(*{'engine', 'numpy', 'nbgrader'}.intersection(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=lab_text.ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
