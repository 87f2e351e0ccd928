"""From text to notebooks: what the student gets, what the instructor gets, and when the weave refuses."""

import json
import re

import nbformat
import pytest
from tiers import fast_first
from written_lab import EXERCISES, TEXT, write_lab

from autograder.author import lab_text, stated_times, weave
from autograder.examine import lab_file
from autograder.labs import CHECKS


@pytest.fixture(scope="module")
def woven(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    weave.weave(write_lab(root), CHECKS, root)
    return root


@pytest.fixture(scope="module")
def student(woven):
    return nbformat.read(woven / "course/01-strides/lab.ipynb", as_version=4)


@pytest.fixture(scope="module")
def instructor(woven):
    return nbformat.read(woven / "solutions/01-strides/lab.ipynb", as_version=4)


def cell_named(notebook, name):
    return next(cell for cell in notebook.cells if cell.id == name)


def marks(cell):
    return {key: cell.metadata.nbgrader.get(key) for key in ("grade", "locked", "solution", "points")}


@pytest.mark.parametrize("text", ['"""Return the strides of a contiguous tensor', "# YOUR CODE HERE (about 6 lines)"])
def test_a_stub_keeps_the_docstring_and_says_how_long_the_answer_is(student, text):
    assert text in cell_named(student, "strides-contiguous_strides-answer").source


def test_a_stub_raises_under_its_name(student):
    namespace = {"Ints": tuple}
    exec(cell_named(student, "strides-view_strides-answer").source, namespace)
    with pytest.raises(NotImplementedError, match="^view_strides$"):
        namespace["view_strides"]((2, 3), (3, 1), (6,))


def test_of_a_class_only_the_named_methods_are_blanked(student):
    source = cell_named(student, "accessor-TensorAccessor-answer").source
    assert re.findall(r'NotImplementedError\("(.+?)"\)', source) == [
        "TensorAccessor.__getitem__",
        "TensorAccessor.__setitem__",
    ]


def test_no_solution_is_left_in_the_release(student):
    assert "SOLUTION" not in nbformat.writes(student)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_the_instructor_has_the_engines_source(instructor, exercise):
    from autograder.overlay import source_of

    source = cell_named(instructor, f"{lab_text.grade_id(exercise)}-answer").source
    kept = [line for line in source.split("\n") if "### BEGIN SOLUTION" not in line and "### END" not in line]
    assert "\n".join(kept).strip() == source_of(exercise).strip()


def test_a_check_cell_is_locked_and_worth_its_points(student):
    cell = cell_named(student, "strides-view_strides")
    assert marks(cell) == {"grade": True, "locked": True, "solution": False, "points": 9}


def test_a_check_cell_says_only_what_it_checks(student):
    assert cell_named(student, "strides-view_strides").source == 'check("strides.view_strides")'


@pytest.mark.parametrize("name", ["strides-view_strides", "accessor-TensorAccessor"])
def test_a_failing_check_does_not_stop_run_all(student, name):
    assert cell_named(student, name).metadata.tags == ["raises-exception"]


def test_the_payoff_check_does_not_stop_run_all(student):
    assert student.cells[-1].metadata.tags == ["raises-exception"]


def test_a_reflection_is_graded_by_hand(student):
    cell = cell_named(student, "reflect-stride-zero")
    assert (cell.source, marks(cell)["points"]) == ("YOUR ANSWER HERE (stride-zero)", 80)


def test_the_instructor_sees_the_rubric(instructor):
    assert "counts for nothing" in cell_named(instructor, "reflect-stride-zero").source


def test_given_lines_of_an_exercise_stand_above_the_function(tmp_path):
    text = TEXT.replace(":view_strides\n", ":view_strides\nimport math\n")
    root = tmp_path
    weave.weave(write_lab(root, text), CHECKS, root)
    released = nbformat.read(root / "course/01-strides/lab.ipynb", as_version=4)
    assert cell_named(released, "strides-view_strides-answer").source.startswith("import math\n\n\ndef view_strides(")


def test_text_that_stands_twice_has_two_ids(student):
    ids = [cell.id for cell in student.cells if cell.source == "Text that stands twice."]
    assert len(set(ids)) == 2


def test_an_id_outlives_a_text_that_is_put_before_it(woven, tmp_path):
    before = {cell.id for cell in nbformat.read(woven / "course/01-strides/lab.ipynb", as_version=4).cells}
    longer = weave.instructor_notebook(write_lab(tmp_path, TEXT.replace("## Fresh", "A new text.\n\n+++\n\n## Fresh")))
    assert len(before - {cell.id for cell in longer.cells}) == 0


@pytest.mark.parametrize("name", ["lab.ipynb", "cases.json"])
def test_weaving_twice_gives_the_same_bytes(woven, tmp_path, name):
    weave.weave(write_lab(tmp_path), CHECKS, tmp_path)
    first, second = (root / "course/01-strides" / name for root in (woven, tmp_path))
    assert first.read_bytes() == second.read_bytes()


def test_only_the_notebook_its_cases_and_what_it_asks_are_released(woven):
    assert {path.name for path in (woven / "course/01-strides").iterdir()} == {"lab.ipynb", "cases.json", "lab.json"}


def test_every_exercise_has_recorded_cases_of_every_aspect(woven):
    stored = json.loads((woven / "course/01-strides/cases.json").read_text())["exercises"]
    assert {name: set(entry["aspects"]) for name, entry in stored.items()} == {
        name: {aspect.name for aspect in CHECKS[name].aspects} for name in EXERCISES
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "strides:view_strides",
            "strides:view_stride",
            r"lab\.md:27: unknown exercise strides\.view_stride: it has no check",
        ),
        (":view_strides\n", ":view_strides\n:points: 9\n", r"lab\.md:27: the check holds the points"),
        ('"points": 80', '"points": 70', r"the points add up to 90, expected 100"),
        ("[__getitem__, __setitem__]", "[__getitem__, put]", r"lab\.md:17: accessor.TensorAccessor has no method put"),
    ],
)
def test_what_the_text_and_the_engine_disagree_about_is_named_by_file_and_line(tmp_path, old, new, message):
    with pytest.raises(lab_text.LabError, match=message):
        weave.weave(write_lab(tmp_path, TEXT.replace(old, new)), CHECKS, tmp_path)


def test_a_fresh_release_is_not_stale(woven):
    assert weave.stale(write_lab(woven), CHECKS, woven) == []


def test_a_release_that_was_edited_is_stale(tmp_path):
    lab = write_lab(tmp_path)
    released = weave.weave(lab, CHECKS, tmp_path)
    (released / "lab.ipynb").write_text((released / "lab.ipynb").read_text().replace("Fresh", "Stale"))
    assert weave.stale(lab, CHECKS, tmp_path) == ["course/01-strides/lab.ipynb"]


def backups(root):
    return [path.read_text() for path in sorted((root / "autograder/backups").rglob("*.ipynb"))]


def contents(root):
    return {path: path.read_bytes() for folder in ("course", "solutions") for path in (root / folder).rglob("*.*")}


def test_after_an_error_everything_is_as_it_was(woven, tmp_path, monkeypatch):
    weave.weave(write_lab(tmp_path), CHECKS, tmp_path)
    before = contents(tmp_path)
    monkeypatch.setattr(weave, "release", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        weave.weave(lab_text.load("01-strides", tmp_path), CHECKS, tmp_path)
    assert contents(tmp_path) == before and not list((tmp_path / "build").iterdir())


@pytest.mark.parametrize("name", ["course/01-strides/lab.ipynb", "solutions/01-strides/lab.ipynb"])
def test_a_notebook_that_a_person_changed_is_kept(tmp_path, name):
    lab = write_lab(tmp_path)
    weave.weave(lab, CHECKS, tmp_path)
    fresh = (tmp_path / name).read_text()
    (tmp_path / name).write_text(f"{fresh} ")
    weave.weave(lab, CHECKS, tmp_path)
    assert ((tmp_path / name).read_text(), backups(tmp_path)) == (fresh, [f"{fresh} "])


def test_what_the_weave_wrote_itself_is_not_kept(tmp_path):
    weave.weave(write_lab(tmp_path), CHECKS, tmp_path)
    weave.weave(write_lab(tmp_path, TEXT.replace("Fresh", "New")), CHECKS, tmp_path)
    assert backups(tmp_path) == []


def test_a_file_that_a_person_added_to_a_release_stays(tmp_path):
    lab = write_lab(tmp_path)
    note = weave.weave(lab, CHECKS, tmp_path) / "note.txt"
    note.write_text("mine")
    weave.weave(lab, CHECKS, tmp_path)
    assert note.read_text() == "mine"


@pytest.mark.parametrize("lab", fast_first(1, lab_text.LABS))  # `make lint` asks all of them
def test_the_committed_release_is_what_the_text_gives(lab):
    assert weave.stale(lab_text.load(lab), CHECKS) == []


def test_the_points_of_the_checks_are_written_into_the_prose(tmp_path):
    text = TEXT.replace("## Fresh strides\n", "**Points.**\n\n## Fresh strides\n\n**Exercise 1.1.** Write it.\n")
    text = text.replace("What does a stride of 0 mean?", "**R1. What does a stride of 0 mean?** Say it.")
    weave.weave(write_lab(tmp_path, text), CHECKS, tmp_path)
    woven = (tmp_path / "course/01-strides/lab.ipynb").read_text()
    assert "**Points**: 100 (20 for code, 80 for written answers, which a person grades)." in woven
    assert "**Exercise 1.1 (5 points: ordinary 3, edge 2).** Write it." in woven
    assert "**R1. What does a stride of 0 mean? (80 points)** Say it." in woven


def test_points_of_an_optional_exercise_are_extra(tmp_path):
    text = TEXT.replace(":view_strides\n", ":view_strides\n:optional: true\n").replace('"points": 80', '"points": 89')
    text = text.replace("## Fresh strides\n", "**Points.**\n\n## Fresh strides\n")
    lab = write_lab(tmp_path, text)
    weave.weave(lab, CHECKS, tmp_path)
    assert (lab.points, sum(part.points for part in lab.parts)) == (100, 109)
    assert "9 more can be earned in optional exercises." in (tmp_path / "course/01-strides/lab.ipynb").read_text()


@pytest.mark.parametrize(
    ("text", "times", "stated"),
    [
        (TEXT, "", "about 1 hour estimated (core). All of it takes about 0.5 hour if"),
        (
            TEXT,
            "strides.view_strides: {attempts: 20, seconds: 3600}",
            "about 3.5 hours estimated (core). All of it takes about 1.5 hours if",
        ),
        (
            TEXT.replace(":view_strides\n", ":view_strides\n:optional: true\n").replace('"points": 80', '"points": 89'),
            "strides.view_strides: {attempts: 20, seconds: 600}",
            "about 1 hour estimated (core), 2 hours more for the optional exercises. All of it takes about 0.5 hour if",
        ),
    ],
)
def test_hours_are_reading_attempts_and_run_times(tmp_path, text, times, stated):
    lab = write_lab(tmp_path, text.replace("## Fresh strides\n", "**Time.**\n\n## Fresh strides\n"))
    lab.path.with_name("times.yaml").write_text(times)
    sources = [cell.source for cell in weave.instructor_notebook(lab).cells]
    assert any(f"**Time**: {stated}" in source for source in sources)


@pytest.mark.parametrize(
    ("times", "minutes"),
    [
        ("", 60),
        ("strides.view_strides: {attempts: 5}", 70),
        ("strides.view_strides: {attempts: 1, seconds: 1200}", 70),
        ("strides.view_strides: {attempts: 0}\nstride-zero: {attempts: 9}", 75),
    ],
)
def test_the_heading_of_a_section_says_its_minutes(tmp_path, times, minutes):
    lab = write_lab(tmp_path, TEXT.replace("## Fresh strides\n", "**Time.**\n\n## Fresh strides\n"))
    lab.path.with_name("times.yaml").write_text(times)
    text = "\n".join(cell.source for cell in weave.instructor_notebook(lab).cells)
    assert f"\n## Fresh strides (about {minutes} minutes)\n" in text


def test_a_section_that_asks_nothing_says_no_minutes(tmp_path):
    lab = write_lab(tmp_path, TEXT.replace("## Fresh strides\n", "**Time.**\n\n## Fresh strides\n"))
    assert any(cell.source == "## Payoff" for cell in weave.instructor_notebook(lab).cells)


def test_given_code_is_read_and_predictions_take_two_minutes(tmp_path):
    given = "```{code-cell}\n:tags: [predict]\n\n" + "1 + 1\n" * 500 + "```\n\n## Payoff\n"
    lab = write_lab(tmp_path, TEXT.replace("## Payoff\n", given))
    section = stated_times.sections_of(lab)["Fresh strides"]
    assert section.reading() == pytest.approx(1500 / 150 + 2, abs=0.5)
    assert section.at_once({}) == pytest.approx(1500 / 150 + 5 * len(section.parts), abs=0.5)


def test_the_reading_of_an_optional_section_is_extra(tmp_path):
    text = TEXT.replace(":view_strides\n", ":view_strides\n:optional: true\n")
    text = text.replace("\nText that stands twice.\n\n```", "\n## Views\n\n" + "word " * 3000 + "\n\n```")
    text = text.replace("What does", "## Questions\n\nWhat does")
    sections = stated_times.sections_of(write_lab(tmp_path, text))
    assert [sections[name].extra({}) for name in ("Fresh strides", "Views", "Questions")] == [0, 15 + 3002 / 150, 0]


def test_figures_for_an_exercise_that_the_lab_has_not_are_refused(tmp_path):
    lab = write_lab(tmp_path, TEXT.replace("## Fresh strides\n", "**Time.**\n\n## Fresh strides\n"))
    lab.path.with_name("times.yaml").write_text("strides.expand: {attempts: 2}")
    with pytest.raises(lab_text.LabError, match="expected a part of the lab"):
        weave.instructor_notebook(lab)


def test_lab_json_says_what_the_lab_asks_in_its_order(woven):
    lab = lab_file.load(woven / "course/01-strides")
    assert [part.name for part in lab.parts] == [*EXERCISES, "stride-zero"]
    assert (lab.title, lab.points, lab.exercises[0].aspects) == ("Three views", 100, {"ordinary": 3, "edge": 2})
    assert lab.exercises[1].methods == ("__getitem__", "__setitem__")


@pytest.mark.parametrize("text", ["", "[]", '{"format": 9}', '{"format": 1, "lab": "x", "title": "y", "parts": [{}]}'])
def test_a_lab_json_that_cannot_be_read_is_named(tmp_path, text):
    (tmp_path / "lab.json").write_text(text)
    with pytest.raises(ValueError, match=r"lab\.json: expected format 1, as `make course` writes it"):
        lab_file.load(tmp_path)
