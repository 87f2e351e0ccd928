"""Verdicts as Gradescope and PrairieLearn are told them, and the process that writes them."""

import json
import subprocess
from types import SimpleNamespace

import pytest
from handed_in import LAB, REPOSITORY

from autograder.author import lab_text
from autograder.department.containers import (
    GRADED,
    NO_WALLS,
    NOT_GRADED,
    REFUSED,
    Graded,
    Part,
    __main__,
    config,
    graded,
    gradescope,
    prairielearn,
)
from autograder.department.containers.config import Config
from autograder.examine import lab_file
from autograder.examine.verdict import ExerciseResult

COURSE = REPOSITORY / "course"
RELEASED = lab_file.load(COURSE / LAB)


# ---- results.json

PARTS = (
    Part("Strides (a.b)", "1.1", 5, 5, False, True, "ok"),
    Part("Views (a.c)", "1.2", 3, 8, False, False, "x  expected 1 got 2"),
    Part("Sizes (a.d)", "1.3", 4, 4, True, True, "ok"),
    Part("TRACE.md", "", 0, 7, False, False, "x  missing"),
    Part("Written answer: why", "", None, 20, False, False, "by a person"),
)
CONFIG = Config(LAB, "add", "", False, "after_due_date")
SOME = Graded(GRADED, "", 20, 12.0, 8, 4, 4, PARTS, 6.4)
FAILURES = [Graded(NO_WALLS, "no bubblewrap"), Graded(NOT_GRADED, "the sandbox does not start")]
# The fields that the two formats document.
TOP = {"score", "execution_time", "output", "output_format", "visibility", "stdout_visibility", "tests"}
TEST = {"score", "max_score", "name", "number", "output", "output_format", "visibility", "status"}
OF_PRAIRIELEARN = {"gradable", "score", "message", "tests", "format_errors"}
OF_ITS_TEST = {"name", "description", "points", "max_points", "message", "output"}


@pytest.mark.parametrize("found", [SOME, Graded(REFUSED, "no notebook", 20), *FAILURES], ids=lambda found: found.status)
def test_results_have_the_documented_fields_and_no_others(found):
    for results, top, test in (
        (gradescope.results(found, CONFIG), TOP, TEST),
        (prairielearn.results(found, CONFIG), OF_PRAIRIELEARN, OF_ITS_TEST),
    ):
        assert set(results) <= top and all(set(each) <= test for each in results.get("tests", ()))


def test_gradescope_gets_a_score_with_extra_credit_and_a_test_for_each_part():
    results = gradescope.results(SOME, CONFIG)
    assert (results["score"], results["visibility"], results["stdout_visibility"]) == (12.0, "after_due_date", "hidden")
    shown = [(each.get("score"), each.get("max_score"), each.get("status")) for each in results["tests"]]
    assert shown == [(5, 5, "passed"), (3, 8, "failed"), (4, 0, "passed"), (0, 7, "failed"), (None, None, None)]
    assert "1 written answers, 20 points, are graded by a person and are not counted" in results["output"]


def test_prairielearn_gets_a_share_of_the_machine_s_points():
    results = prairielearn.results(SOME, CONFIG)
    assert (results["gradable"], results["score"]) == (True, 0.6)
    assert results["tests"][0]["name"] == "1.1 Strides (a.b)"
    shown = [(each["points"], each["max_points"]) for each in results["tests"]]
    assert shown == [(5, 5), (3, 8), (4, 0), (0, 7), (0, 0)]


def test_prairielearn_gets_no_score_above_1():
    assert prairielearn.results(SOME._replace(score=25.0), CONFIG)["score"] == 1.0


@pytest.mark.parametrize("found", FAILURES, ids=lambda found: found.status)
def test_a_failure_of_ours_has_no_score_anywhere_and_its_reason_is_for_the_instructor(found):
    results = gradescope.results(found, CONFIG)
    assert "score" not in json.dumps(results).replace("no score", "").replace("No score", "")
    seen = [test for test in results["tests"] if test["visibility"] != "hidden"]
    assert [test["status"] for test in results["tests"]] == ["failed", "failed"]
    assert "not your mistake" in results["output"] and found.reason not in results["output"] + json.dumps(seen)
    assert found.reason in results["tests"][1]["output"]


@pytest.mark.parametrize("found", FAILURES, ids=lambda found: found.status)
def test_a_failure_of_ours_costs_no_attempt_in_prairielearn(found):
    results = prairielearn.results(found, CONFIG)
    assert results["gradable"] is False and "score" not in results and "not your mistake" in results["message"]


def test_what_is_refused_has_no_points_and_says_why():
    found = Graded(REFUSED, "expected lab.ipynb", 80)
    results = gradescope.results(found, CONFIG)
    assert results["score"] == 0 and "expected lab.ipynb" in results["output"]
    results = prairielearn.results(found, CONFIG)
    assert results["gradable"] is False and "expected lab.ipynb" in results["format_errors"][0]


@pytest.mark.parametrize("lab", lab_text.LABS)
def test_every_part_of_a_lab_is_a_test_whose_points_add_up_to_the_lab_s(lab):
    released = lab_file.load(COURSE / lab)
    results = {part.name: ExerciseResult(part.name, "right", part.points, part.points) for part in released.checked}
    parts = graded.parts_of(released, results)
    core = [part for part in parts if part.points is not None and not part.is_extra]
    assert sum(part.points for part in core) == released.checked_points
    assert sum(part.points for part in parts if part.is_extra) == released.extra
    assert sum(part.most for part in parts if part.points is None) == released.points - released.checked_points


@pytest.mark.parametrize(("counts", "points"), [(True, RELEASED.extra), (False, 0)])
def test_a_right_optional_exercise_is_right_also_where_its_points_do_not_count(counts, points):
    results = {part.name: ExerciseResult(part.name, "right", part.points, part.points) for part in RELEASED.checked}
    extra = [part for part in graded.parts_of(RELEASED, results, counts) if part.is_extra]
    assert sum(part.points for part in extra) == points and RELEASED.extra > 0
    shown = gradescope.results(SOME._replace(parts=tuple(extra)), CONFIG)["tests"]
    assert {test["status"] for test in shown} == {"passed"}


def test_longest_texts_stay_below_prairielearn_s_megabyte():
    long = "\N{GRINNING FACE}" * 100_000
    parts = tuple(
        Part(part.name, "", 0, 1, False, False, graded.clean(long, graded.MOST_CHARACTERS // len(RELEASED.parts)))
        for part in RELEASED.parts
    )
    results = prairielearn.results(SOME._replace(parts=parts), CONFIG)
    assert len(json.dumps(results, ensure_ascii=False).encode()) < 1_000_000


# ---- the process that writes results.json


def written(monkeypatch, tmp_path, **done):
    """Run the container's command, with a made-up end of the process that judges."""
    asked = []

    def run(command, **options):
        asked.append((command, options))
        if "raised" in done:
            raise done["raised"]
        return SimpleNamespace(**done["ends"].pop(0))

    (tmp_path / config.FILE).write_text(config.text("gradescope", LAB, done.get("chosen", {})))
    results = tmp_path / "results" / "results.json"
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setitem(__main__.SYSTEMS, "gradescope", __main__.SYSTEMS["gradescope"]._replace(results=results))
    status = __main__.main(["gradescope", str(tmp_path / config.FILE)])
    return status, json.loads(results.read_text()), asked


def end(found):
    return {"returncode": 0, "stdout": json.dumps(found._asdict())}


def test_verdicts_become_results(monkeypatch, tmp_path):
    status, results, asked = written(monkeypatch, tmp_path, ends=[end(SOME)])
    assert (status, results) == (0, gradescope.results(SOME, CONFIG._replace(visibility="visible")))
    assert "user" not in asked[0][1]


@pytest.mark.parametrize(
    "done",
    [
        {"ends": [{"returncode": -9, "stdout": ""}]},
        {"ends": [{"returncode": 0, "stdout": "no JSON"}]},
        {"ends": [{"returncode": 0, "stdout": '{"score": 100}'}]},
        {"raised": subprocess.TimeoutExpired("python", 540)},
    ],
    ids=["killed", "not JSON", "not all of it", "too long"],
)
def test_without_verdicts_there_is_no_score(monkeypatch, tmp_path, capsys, done):
    status, results, _ = written(monkeypatch, tmp_path, **done)
    assert status == 1 and "score" not in results and "no score" in results["output"]


def test_without_walls_nothing_is_judged_unless_the_configuration_says_so(monkeypatch, tmp_path):
    status, results, asked = written(monkeypatch, tmp_path, ends=[end(FAILURES[0])])
    assert (status, len(asked)) == (1, 1) and "score" not in results


@pytest.mark.parametrize("uid", [0, 1000])
def test_what_is_accepted_without_walls_is_judged_as_another_user_than_root(monkeypatch, tmp_path, capsys, uid):
    monkeypatch.setattr(__main__.os, "geteuid", lambda: uid)
    chosen = {"accept_no_isolation": True}
    status, results, asked = written(monkeypatch, tmp_path, ends=[end(FAILURES[0]), end(SOME)], chosen=chosen)
    assert (status, results["score"]) == (0, 12.0)
    command, options = asked[1]
    assert command[-1] == "--without-walls" and options.get("user") == (None if uid else __main__.NOBODY)
    assert "GRADING WITHOUT ISOLATION" in capsys.readouterr().out


def test_the_process_that_judges_gets_no_variable_of_the_system_s(monkeypatch, tmp_path):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    _, _, asked = written(monkeypatch, tmp_path, ends=[end(SOME)])
    assert "secret" not in asked[0][1]["env"].values()
