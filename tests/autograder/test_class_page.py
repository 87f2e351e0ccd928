"""The class page: what is counted, what is kept between regrades, what is data and what is text."""

import json
import re
from dataclasses import replace

import pytest
from made_up_rows import FAILURE, LATE, WALLS, lab, labs, of_results, result, row

from autograder.examine.verdict import OUR_FAULT, REFUSED, ExerciseResult
from autograder.grading import up_to_date
from autograder.grading.class_page import figures, files, history, page, students
from autograder.grading.standings import Enrolled
from autograder.proof import copied_class

LAB = lab()
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


def data_of(text):
    """The JSON data in a page."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])


def facts(text, section):
    return re.search(rf'<section id="{section}">.*?<p class="facts">(.*?)</p>', text, re.S)[1]


# ---- a lab in figures


def test_exercises_are_listed_from_the_hardest_to_the_easiest():
    rows = [row(LAB, "ada"), row(LAB, "bob", (True, False, False)), row(LAB, "eve", (True, True, False))]
    found = {each.name: each for each in figures.of_lab(LAB, rows, 3)["exercises"]}
    first, second, third = (found[part.name] for part in LAB.checked[:3])
    assert [(each.full, each.some, each.nothing) for each in (first, second, third)] == [
        (3, 0, 0),
        (2, 0, 1),
        (1, 0, 2),
    ]
    means = [each.mean for each in found.values()]
    assert means == sorted(means) and third.mean == pytest.approx(1 / 3)


def test_a_mistake_is_counted_over_all_who_made_it_and_shown_by_its_smallest_case():
    small = replace(FAILURE, case="sizes=()", got="(1,)")
    rows = [row(LAB, "ada", (False,)), row(LAB, "bob", (False,), small), row(LAB, "eve", (True,))]
    rows.append(row(LAB, "zoe", (False,), replace(FAILURE, case="", hint="another one")))
    first, second = figures.mistakes(LAB.checked[0].name, rows)
    assert (first.students, first.said, first.case, first.row.name) == (2, FAILURE.hint, small, "bob")
    assert (second.students, second.said) == (1, "another one")


def test_what_is_not_written_is_no_mistake():
    stub = replace(FAILURE, got=f"{figures.NOT_WRITTEN}")
    hard = figures.hard(LAB.checked[0].name, [row(LAB, "ada", (False,), stub), row(LAB, "bob", (False,))])
    assert (hard.unwritten, hard.nothing, [each.students for each in hard.mistakes]) == (1, 2, [1])


def test_what_we_failed_to_judge_counts_for_no_exercise():
    part = LAB.checked[0]
    failed = {part.name: ExerciseResult(part.name, OUR_FAULT, 0, part.points, message="the disk is full")}
    others = {each.name: result(each, True) for each in LAB.checked[1:]}
    hard = figures.hard(part.name, [of_results(LAB, "ada", failed | others), row(LAB, "bob")])
    assert (hard.full, hard.nothing, hard.mean, hard.mistakes) == (1, 0, 1.0, [])


def test_time_to_grade_has_median_tail_and_the_slowest():
    rows = [row(LAB, f"s{number:02}", cpu_seconds=float(number)) for number in range(1, 101)]
    times = figures.times(rows)
    assert (times["median"], times["ninety_five"], times["most"], times["total"]) == (50.5, 95.0, 100.0, 5050.0)
    assert times["slow"][0] == ("s100", 100.0) and len(times["slow"]) == 5
    assert figures.times([]) == {}


def test_a_lab_s_facts_say_who_is_missing_late_refused_and_waiting():
    refused = of_results(LAB, "eve", {}, status=REFUSED, reason="lab.ipynb: not JSON")
    waiting = row(LAB, "bob", standing=LATE._replace(to_do=2, penalty=0.0))
    text = page.html([(LAB, [row(LAB, "ada"), waiting, refused])], WALLS, "", dict.fromkeys("abcde", Enrolled()))
    assert "1 late" in facts(text, LAB.id) and "3 of 5 submitted" in facts(text, LAB.id)
    assert "1 refused" in facts(text, LAB.id) and "1 to grade by hand" in facts(text, LAB.id)


def test_a_lab_without_a_graded_submission_has_a_page():
    text = page.html([(LAB, [of_results(LAB, "eve", {}, status=REFUSED, reason="not JSON")])], WALLS)
    assert "0 graded" in facts(text, LAB.id)
    assert page.html([], WALLS)


@pytest.mark.parametrize(
    ("most", "labels"),
    [
        (80, ["0–7", "8–15", "16–23", "24–31", "32–39", "40–47", "48–55", "56–63", "64–71", "72–79", "80"]),
        (11, ["0–1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]),
        (0, [""] * 10 + ["0"]),
    ],
)
def test_each_number_of_points_is_counted_in_the_bar_that_names_it(most, labels):
    drawn = page.bars(history.distribution(range(most + 1), most), most)
    assert [bar["label"] for bar in drawn] == labels
    sizes = [1 + int(label.split("–")[-1]) - int(label.split("–")[0]) if label else 0 for label in labels]
    assert [bar["count"] for bar in drawn] == sizes


# ---- everybody's data


def test_whoever_is_in_the_gradebook_and_submitted_nothing_is_in_the_table():
    found = students.data([(LAB, [row(LAB, "ada")])], {"ada": Enrolled("Ada L", "a@b"), "bob": Enrolled("Bob", "")})
    assert found["people"] == [("ada", "Ada L", "a@b"), ("bob", "Bob", "")]
    status = {values[0]: values[1] for values in found["labs"][0]["rows"]}
    assert status == {0: "graded", 1: students.NOT_SUBMITTED}


def test_an_outcome_that_many_share_is_kept_once():
    rows = [row(LAB, f"s{number}", (number % 2 == 0,)) for number in range(50)]
    found = students.data([(LAB, rows)], {})["labs"][0]
    assert {len(outcomes) for outcomes in found["outcomes"]} == {2}
    wrong = found["outcomes"][0][1]
    assert wrong[1:] == (0, "wrong", (f"ordinary: {FAILURE.hint}",))
    at = students.FIELDS.index("outcomes")
    assert [values[at][0] for values in found["rows"][:4]] == [0, 1, 0, 1]


def test_aspects_with_one_sentence_are_named_together():
    part = LAB.checked[0]
    wrong = result(part, False)
    twice = replace(wrong, aspects=(*wrong.aspects, replace(wrong.aspects[0], name="edge")))
    assert students.outcome(twice)[3] == (f"ordinary, edge: {FAILURE.hint}",)


def test_no_text_of_a_student_s_leaves_its_place():
    failure = replace(FAILURE, case=HOSTILE, expected=HOSTILE, got=HOSTILE, hint=HOSTILE)
    rows = [row(LAB, "ada", (False,), failure), of_results(LAB, HOSTILE, {}, status=REFUSED, reason=HOSTILE)]
    text = page.html([(LAB, rows)], WALLS, HOSTILE, {"ada": Enrolled(HOSTILE, HOSTILE)})
    own = text.replace(page.text(page.LIBRARY), "").replace(page.text(page.SCRIPT), "")
    assert own.count("<script") == own.count("</script>") == 3 and "<img" not in own
    assert ["ada", HOSTILE, HOSTILE] in data_of(text)["people"]


def test_the_policy_allows_the_page_s_two_scripts_and_nothing_from_elsewhere():
    text = page.html([(LAB, [row(LAB, "ada")])], WALLS)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="(.*?)"', text)[1]
    assert policy.startswith("default-src 'none'; ") and policy.count("'sha256-") == 2
    assert re.search(r"script-src +'sha256-[^']+' 'sha256-[^']+';", policy)
    assert not re.search(r"<link|<iframe|javascript:|\s(src|href)=[\"']?(https?:)?//", text)


def test_a_thousand_students_of_all_labs_fit_in_five_megabytes_even_if_half_of_them_fail_as_nobody_else_does():
    names = [f"student{number:04}" for number in range(100)]
    own = {name: replace(FAILURE, hint=f"{name}: a mistake that nobody else has made before") for name in names[::2]}
    right = (True, True, False, True)
    classes = [(each, [row(each, name, right, own.get(name, FAILURE)) for name in names]) for each in labs()]
    enrolled = {name: Enrolled(f"Some Longish {name}", f"{name}@example.org") for name in names}
    nobody = len(page.html([(each, []) for each in labs()], WALLS))
    assert nobody + 10 * (len(page.html(classes, WALLS, "", enrolled)) - nobody) < 5_000_000


# ---- what is kept between regrades


def entries(root):
    return json.loads((root / history.FILE).read_text())[LAB.id]


def test_a_run_that_changes_the_distribution_adds_an_entry_and_another_none(tmp_path):
    one, two = [row(LAB, "ada")], [row(LAB, "ada"), row(LAB, "bob", (False,))]
    for rows in (one, one, two, two, one):
        history.updated(tmp_path, [(LAB, rows)], [])
    found = entries(tmp_path)
    assert [entry["graded"] for entry in found] == [1, 2, 1]
    most = LAB.checked_points
    assert (found[1]["median"], found[1]["mean"], found[1]["most"]) == (most / 2, most / 2, most)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found[1]["date"])
    assert "ada" not in (tmp_path / history.FILE).read_text()


def test_the_history_is_bounded(tmp_path):
    for number in range(history.MOST + 5):
        history.updated(tmp_path, [(LAB, [row(LAB, f"s{each}") for each in range(number + 1)])], [])
    assert [entry["graded"] for entry in entries(tmp_path)][::19] == [6, 25]


def test_the_page_shows_the_last_regrades_and_how_the_median_moved(tmp_path):
    history.updated(tmp_path, [(LAB, [row(LAB, "ada", (False,))])], [])
    trend = history.updated(tmp_path, [(LAB, [row(LAB, "ada")])], [])
    text = page.html([(LAB, [row(LAB, "ada")])], WALLS, "", {}, trend)
    assert f'<span class="change">+{LAB.checked_points}</span>' in text


@pytest.mark.parametrize("damaged", ["", "{", "[" * 100_000, "[]", '{"lab": [{"date": 3}]}', "\xff"])
def test_a_damaged_history_is_copied_said_and_begun_anew(tmp_path, damaged):
    path = tmp_path / history.FILE
    path.parent.mkdir(parents=True)
    path.write_text(damaged, "utf-8")
    failures = []
    history.updated(tmp_path, [(LAB, [row(LAB, "ada")])], failures)
    assert len(failures) == 1 and failures[0].startswith(f"{history.FILE} can't be read")
    (copy,) = (tmp_path / "autograder/backups").glob(f"*/{history.FILE}")
    assert copy.read_text("utf-8") == damaged and len(entries(tmp_path)) == 1


# ---- written


def test_whoever_is_entered_into_the_gradebook_has_the_page_drawn_again(tmp_path):
    classes = [(LAB, [row(LAB, "ada")])]
    known = {"ada": Enrolled("Ada", "")}
    more = known | {"bob": Enrolled("Bob", "")}
    same, changed = (up_to_date.of_report(tmp_path, classes, WALLS, "", each) for each in (known, more))
    assert up_to_date.of_report(tmp_path, classes, WALLS, "", dict(known)) == same != changed


def test_one_row_that_can_not_be_shown_is_left_out_and_said(tmp_path, monkeypatch):
    monkeypatch.setattr(files.gradebook, "enrolled", lambda root: {})
    broken = of_results(LAB, "bob", {}, seed=object())
    failures = []
    files.write_report([(LAB, [row(LAB, "ada"), broken])], tmp_path, WALLS, "", failures)
    assert [each.split(":")[0] for each in failures] == [f"bob, {LAB.id}"]
    assert [name for name, *_ in data_of((tmp_path / "autograder/report.html").read_text())["people"]] == ["ada"]


def test_a_class_that_nobody_graded_can_not_be_copied(tmp_path):
    with pytest.raises(ValueError, match="nobody is graded"):
        copied_class.copy_class(tmp_path, 10)
