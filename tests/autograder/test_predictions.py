"""The class's guesses: counted only where course and student agree, without names, and only what changed is read."""

import json

import pytest
from handed_in import LAB, RIGHT, copied, hand_in
from made_up_rows import WALLS, row
from written_lab import TEXT, write_lab

from autograder.author import weave
from autograder.examine import lab_file
from autograder.examine.guess import OPEN
from autograder.examine.handin import Cell
from autograder.grading import intake
from autograder.grading.class_page import files, page, predictions
from autograder.grading.class_page.predictions import Question, counted, shared_by
from autograder.labs import CHECKS

ASKED = """\
**Predict** what `x + 1` gives.

```{code-cell}
:tags: [predict]

x = 1
x + 1
```

## Payoff
"""
CONSENT = "resume(share_predictions=True)"
SCRIPT = "<script>document.title='owned'</script>"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    text = TEXT.replace("## Payoff\n", ASKED)
    weave.weave(write_lab(root, text), CHECKS, root)
    return root


@pytest.fixture
def root(course, tmp_path):
    return copied(course, tmp_path / "course")


def guesses(root, student, guess, consent=CONSENT):
    """Hand in a notebook with this guess and this call in its first cell; returns the row of its record."""

    def change(notebook):
        first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
        first["source"] += ["\n", consent]
        asked = next(cell for cell in notebook["cells"] if "".join(cell["source"]).startswith(OPEN))
        asked["source"] = "".join(asked["source"]).replace('""', repr(guess))

    hand_in(root, student, RIGHT, change)
    lab = lab_file.load(root / "course" / LAB)
    digest = intake.admit(root / "autograder/submitted", student, LAB).digest
    return row(lab, student, submission=digest)


def of_class(root, *rows):
    return predictions.of_classes(root, [(lab_file.load(root / "course" / LAB), rows)])[LAB]


# ---- what is counted


def test_a_guess_is_counted_under_its_section_and_the_question_s_first_words(root):
    rows = [guesses(root, student, "2") for student in ("ada", "bob", "eve")]
    found = of_class(root, *rows)
    assert found == (3, [Question("Fresh strides", "what x + 1 gives.", 3, [("2", 3)], 0)])


@pytest.mark.parametrize(
    ("consent", "shares"),
    [
        ("resume(share_predictions=True)", True),
        ("resume(keep_hours=True, share_predictions=True)", True),
        ("%matplotlib inline\nresume(share_predictions=True)", True),
        ("resume()", False),
        ("# resume(share_predictions=True)", False),
        ("text = 'resume(share_predictions=True)'", False),
        ("resume(share_predictions=False)", False),
        ("resume(share_predictions=1)", False),
        ("resume(share_predictions=True)\nresume(share_predictions=False)", False),
        ("def later():\n    resume(share_predictions=True)", False),
        ("other(share_predictions=True)", False),
        ("resume(share_predictions=True", False),
        ("resume(share_predictions=True)\n" + "#" * 20_000, False),
    ],
)
def test_only_a_call_that_is_written_in_a_cell_is_consent(consent, shares):
    cells = [Cell("code", consent, "a"), Cell("code", 'predict("2")\nx', "given-1")]
    assert shared_by(cells) == ({"given-1": "2"} if shares else {})


def test_words_about_consent_in_a_text_cell_are_none():
    assert shared_by([Cell("markdown", CONSENT, "a"), Cell("code", 'predict("2")', "given-1")]) == {}


def test_an_open_guess_and_a_cell_of_the_student_s_own_are_not_counted():
    cells = [Cell("code", CONSENT, "a"), Cell("code", f"{OPEN}\nx", "given-1"), Cell("code", 'predict("2")', "mine")]
    assert shared_by(cells) == {}


def test_a_notebook_of_any_size_shares_little(capsys):
    many = [Cell("code", f"predict({'x' * 3000!r})", f"given-{number}") for number in range(1000)]
    found = shared_by([Cell("code", CONSENT, "a"), *many])
    assert len(found) == predictions.MOST_GUESSES
    assert {len(guess) for guess in found.values()} == {predictions.LONGEST + 1}


def test_spaces_and_case_make_no_difference():
    given = ["(3, 1)", "(3,1)", " (3, 1)", "Two Views", "two  views", "two views"]
    shared = [{"q": predictions.legible(guess)} for guess in given]
    assert counted("q", "", "", shared).guesses == [("(3, 1)", 3), ("two views", 3)]


def test_a_guess_of_fewer_than_three_students_is_not_shown():
    shared = [{"q": guess} for guess in ("a", "a", "a", "b", "b", "c")] + [{"other": "b"}]
    assert counted("q", "", "", shared) == Question("", "", 6, [("a", 3)], 3)


def test_rare_guesses_are_summed_up_too():
    shared = [{"q": f"guess {number}"} for number in range(10) for _ in range(3)]
    found = counted("q", "", "", shared)
    assert len(found.guesses) == predictions.MOST_SHOWN and found.other == 3 * (10 - predictions.MOST_SHOWN)


# ---- what is read and kept


def test_only_what_changed_is_read(root, monkeypatch):
    rows = [guesses(root, student, "2") for student in ("ada", "bob")]
    of_class(root, *rows)
    read, admit = [], intake.admit
    monkeypatch.setattr(intake, "admit", lambda *given: read.append(given[1]) or admit(*given))
    monkeypatch.setattr(predictions, "write_whole", None)
    assert of_class(root, *rows).sharing == 2 and read == []
    monkeypatch.undo()
    rows[0] = guesses(root, "ada", "3")
    monkeypatch.setattr(intake, "admit", lambda *given: read.append(given[1]) or admit(*given))
    assert of_class(root, *rows).sharing == 2 and read == ["ada"]


def test_what_is_kept_names_nobody_and_is_of_what_is_handed_in_now(root):
    rows = [guesses(root, "ada-lovelace", "hers alone"), guesses(root, "bob", "2", consent="resume()")]
    of_class(root, *rows)
    kept = (root / predictions.FILE).read_text()
    assert "hers alone" in kept and "ada" not in kept and list(json.loads(kept).values())[1] == {}
    of_class(root, rows[1])
    assert "hers alone" not in (root / predictions.FILE).read_text()


@pytest.mark.parametrize("damaged", ["", "[]", '{"a": 1}', '{"a": {"b": 1}}', "[" * 100_000, "\xff"])
def test_a_damaged_file_is_made_again(root, damaged):
    (root / predictions.FILE).parent.mkdir(parents=True, exist_ok=True)
    (root / predictions.FILE).write_text(damaged, encoding="latin-1")
    assert of_class(root, guesses(root, "ada", "2")).sharing == 1


def test_a_submission_that_was_refused_or_is_gone_is_passed_over(root):
    gone = guesses(root, "ada", "2")
    (root / "autograder/submitted/ada" / LAB / "lab.ipynb").unlink()
    refused = gone._replace(record={key: value for key, value in gone.record.items() if key != "submission"})
    assert of_class(root, gone, refused).sharing == 0


# ---- the page


def written(root, rows, monkeypatch):
    monkeypatch.setattr(files.gradebook, "enrolled", lambda root: {})
    files.write_report([(lab_file.load(root / "course" / LAB), rows)], root, WALLS, "", [])
    return (root / "autograder/report.html").read_text()


def test_the_class_page_counts_only_where_the_course_says_so(root, monkeypatch):
    rows = [guesses(root, student, "it is two") for student in ("ada", "bob", "eve")]
    (root / "course.yaml").write_text("count_predictions: true\n")
    text = written(root, rows, monkeypatch)
    assert "<h3>Predictions</h3>" in text and "<b>3</b> <code>it is two</code>" in text
    (root / "course.yaml").write_text("")
    monkeypatch.setattr(predictions, "of_classes", None)
    text = written(root, rows, monkeypatch)
    assert "Predictions</h3>" not in text and "it is two" not in text
    assert not (root / predictions.FILE).exists()


def test_a_guess_is_text_on_the_page(root, monkeypatch):
    (root / "course.yaml").write_text("count_predictions: true\n")
    rows = [guesses(root, student, SCRIPT) for student in ("ada", "bob", "eve")]
    text = written(root, rows, monkeypatch)
    assert SCRIPT not in text and "&lt;script&gt;document.title=" in text


def test_a_guess_is_on_the_page_without_the_student(root, monkeypatch):
    (root / "course.yaml").write_text("count_predictions: true\n")
    rows = [guesses(root, student, "common") for student in ("ada", "bob", "eve")]
    rows.append(guesses(root, "zoe", "hers alone"))
    text = written(root, rows, monkeypatch)
    section = text.partition("<h3>Predictions</h3>")[2].partition("<h3>Students</h3>")[0]
    assert "4 of 4 submissions share" in section and "<b>1</b> other" in section
    assert "hers alone" not in text and not [name for name in ("ada", "bob", "eve", "zoe") if name in section]


def test_a_lab_in_which_nobody_shares_says_so(root, monkeypatch):
    (root / "course.yaml").write_text("count_predictions: true\n")
    text = written(root, [guesses(root, "ada", "2", consent="resume()")], monkeypatch)
    assert "0 of 1 submissions share" in text and 'class="list predictions"' not in text


def test_a_page_without_predictions_has_no_section():
    lab = lab_file.load(weave.lab_text.ROOT / "course" / LAB)
    assert "Predictions</h3>" not in page.html([(lab, [row(lab, "ada")])], WALLS)
