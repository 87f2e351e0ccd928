"""The class of any size: no two notebooks are alike, and the points that it is graded with are the deserved ones."""

import json

import pytest

from autograder.author import lab_text
from autograder.grading import run, store
from autograder.proof import made_up_class

LAB = "01-strides"


def written(tmp_path, count, seed=0):
    made_up_class.write(tmp_path, LAB, count, seed)
    return [path.read_text("utf-8") for path in sorted(tmp_path.glob("autograder/submitted/*/*/lab.ipynb"))]


def test_no_two_are_alike_and_the_seed_decides(tmp_path):
    first, again, other = (written(tmp_path / str(number), 8, seed) for number, seed in enumerate((0, 0, 1)))
    assert len({*first, *other}) == 16
    assert first == again


@pytest.mark.parametrize("lab", lab_text.LABS)
def test_there_are_right_and_wrong_answers_to_every_exercise(lab):
    for exercise in lab_text.load(lab).exercises:
        right, wrong = made_up_class.answers(exercise.name)
        assert len(right) >= 2, exercise.name
        assert len(wrong) >= 3, exercise.name


@pytest.mark.slow
def test_everybody_gets_what_is_deserved_and_a_difference_is_told(tmp_path, capsys):
    written(tmp_path, 2)
    assert run.main(["--root", str(tmp_path), "--lab", "01"]) == 0
    assert made_up_class.main(["--compare", "--root", str(tmp_path)]) == 0
    assert "every score is the deserved one" in capsys.readouterr().out
    record = store.read(tmp_path, LAB, "student0")
    given = json.loads(made_up_class.deserved_file(tmp_path, LAB).read_text("ascii"))["student0"]
    assert [record["points"], record["extra"]] == given
    store.write(tmp_path, record | {"points": record["points"] - 1})
    assert made_up_class.main(["--compare", "--root", str(tmp_path)]) == 1
    assert f"student0: (points, extra) [{record['points'] - 1}, {record['extra']}], deserves" in capsys.readouterr().out
