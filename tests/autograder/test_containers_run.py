"""The zips run as their systems run them: in a root with /autograder or /grade, from an upload to results.json."""

import json
import os

import pytest
from handed_in import VIEW
from lms_container import ALL_RIGHT, NO_BUBBLEWRAP, NO_NAMESPACES, RELEASED, start
from red_team.cells import answering_if

from autograder.sandbox import bubblewrap, walls

pytestmark = [
    pytest.mark.department,
    pytest.mark.skipif(
        bubblewrap.version() < bubblewrap.NO_NEW_USER_NAMESPACES,
        reason="not run: bubblewrap 0.8 or newer, for the root",
    ),
]
needs_landlock = pytest.mark.skipif(not walls.landlock_abi(), reason="not run: Landlock (the kernel has none)")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="not run: root (becomes another user)")
PERMUTE = "strides.permute"
RESULTS = "/autograder/results/results.json"
HOSTILE = f"""def permute(sizes, strides, dims):
    import os, signal
    for name in ({RESULTS!r}, "/grade/results/results.json"):
        try:
            open(name, "w").write('{{"score": 100}}')
        except OSError:
            pass
    os.kill(os.getppid(), signal.SIGKILL)
    os._exit(0)"""
NOTHING = "def view_strides(sizes, strides, new_sizes):\n    return None"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    path = tmp_path_factory.mktemp("wheel") / "inside_the_tensor_grader-0.1.0-py3-none-any.whl"
    path.write_bytes(b"a wheel")
    return path


@pytest.fixture
def gradescope(tmp_path, wheel):
    return start(tmp_path, "gradescope", wheel)


def points_of(name):
    return next(part.points for part in RELEASED.checked if part.name == name)


def require_nothing_secret(container, results):
    """The results have what the student's page has, and neither the seed nor a path of the container's."""
    shown = json.dumps(results)
    assert "Lateness is a matter of" in shown and "4 written answers" in shown
    assert "seed" not in shown and str(container.source) not in shown and "/autograder/" not in shown


def test_gradescope_grades_a_submission_with_a_hostile_cell_in_it(gradescope):
    gradescope.upload(ALL_RIGHT | {PERMUTE: HOSTILE, VIEW: NOTHING})
    done = gradescope.grade()
    assert done.returncode == 0, done.stdout + done.stderr
    results = gradescope.read()
    require_nothing_secret(gradescope, results)
    lost = {
        test["name"].split("(")[-1].rstrip(")"): test for test in results["tests"] if test.get("status") == "failed"
    }
    assert set(lost) == {PERMUTE, VIEW}
    assert "smallest failing case" in lost[VIEW]["output"] and "expected" in lost[VIEW]["output"]
    earned = sum(test["score"] for test in lost.values())
    assert results["score"] == RELEASED.checked_points + RELEASED.extra + earned - points_of(PERMUTE) - points_of(VIEW)
    assert len(results["tests"]) == len(RELEASED.parts)
    assert "isolation" in done.stdout and "seed" in done.stdout


@pytest.mark.slow
def test_prairielearn_grades_it_likewise(tmp_path, wheel):
    container = start(tmp_path, "prairielearn", wheel)
    container.upload(ALL_RIGHT | {PERMUTE: HOSTILE, VIEW: NOTHING})
    done = container.grade(*(NO_NAMESPACES if walls.landlock_abi() else ()))
    assert done.returncode == 0, done.stdout + done.stderr
    results = container.read()
    require_nothing_secret(container, results)
    lost = sum(test["max_points"] - test["points"] for test in results["tests"] if test["max_points"] > test["points"])
    most = RELEASED.checked_points
    assert 0 < lost <= points_of(PERMUTE) + points_of(VIEW)
    assert results["score"] == min(1.0, (most - lost + RELEASED.extra) / most)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "expected the notebook lab.ipynb, found nothing"),
        ({"lab.ipynb": "{}", "old.ipynb": "{}"}, "expected one notebook, found 2"),
        ({"lab.ipynb": '{"cells": ['}, "lab.ipynb is not JSON"),
    ],
)
def test_a_submission_that_is_none_gets_0_and_the_reason(gradescope, files, said):
    for name, text in files.items():
        (gradescope.submission / name).write_text(text)
    done = gradescope.grade()
    assert done.returncode == 0, done.stdout + done.stderr
    results = gradescope.read()
    assert results["score"] == 0 and said in results["output"]


def test_without_walls_there_is_no_score_and_the_instructor_learns_why(tmp_path, wheel):
    container = start(tmp_path, "gradescope", wheel, isolation="bwrap")
    container.upload()
    done = container.grade(*NO_BUBBLEWRAP)
    assert done.returncode == 1
    results = container.read()
    assert "score" not in json.dumps(results).replace("no score", "").replace("No score", "")
    assert "bwrap" in results["tests"][1]["output"] and results["tests"][1]["visibility"] == "hidden"
    assert "nothing shuts students' code in here: bwrap" in done.stdout


@needs_root
@pytest.mark.slow
def test_what_is_accepted_without_walls_is_graded_and_the_log_says_so(tmp_path, wheel):
    container = start(tmp_path, "gradescope", wheel, isolation="bwrap", accept_no_isolation=True)
    container.upload(ALL_RIGHT | {PERMUTE: HOSTILE})
    done = container.grade(*NO_BUBBLEWRAP)
    assert done.returncode == 0, done.stdout + done.stderr
    results = container.read()
    assert "GRADING WITHOUT ISOLATION" in done.stdout and "isolation none" in done.stdout
    assert RELEASED.checked_points - points_of(PERMUTE) <= results["score"] - RELEASED.extra < RELEASED.checked_points
    assert container.results.stat().st_uid == 0


def test_if_the_grader_dies_a_result_without_a_score_takes_its_place(gradescope):
    python = gradescope.source / "venv" / "bin" / "python"
    python.unlink()
    python.write_text("#!/bin/sh\nkill -9 $$\n")
    python.chmod(0o755)
    gradescope.results.parent.mkdir(parents=True)
    gradescope.results.write_text('{"score": 100}')
    done = gradescope.grade()
    assert done.returncode != 0 and "without a result" in done.stdout
    assert gradescope.read() == json.loads((gradescope.source / "not_graded.json").read_text())


def test_a_configuration_that_can_t_be_read_gives_no_score(gradescope):
    gradescope.upload()
    with (gradescope.source / "config.yaml").open("a") as file:
        file.write("acept_no_isolation: true\n")
    assert gradescope.grade().returncode == 1
    results = gradescope.read()
    assert "score" not in results and "acept_no_isolation: no such option" in results["tests"][1]["output"]


# ---- a student's process can't write results.json, or end who does; its text is not even looked at here

# Each is an expression that is true where it succeeds; the cell then answers as the reference does.
ATTEMPTS = {
    "control": "True",
    "results.json written": f"open({RESULTS!r}, 'w').write('score') > 0",
    "another results.json in its place": f"os.rename(os.path.abspath('x'), {RESULTS!r}) is None",
    "a link in its place": f"os.symlink('/dev/null', {RESULTS!r} + '2') is None",
    "a file beside it": "open('/autograder/results/x', 'w') is not None",
    "run_autograder changed": "open('/autograder/run_autograder', 'a') is not None",
    "the grader's code changed": "open('/autograder/source/grade.sh', 'a') is not None",
    "its parent ended": "os.kill(os.getppid(), 9) is None",
    "all of its user's processes ended": "os.kill(-1, 9) is None",
}
ASK = """
import json, os, sys
from autograder import sandbox
tier, attempts = sys.argv[1], json.loads(sys.argv[2])
found = {}
with sandbox.Sandbox("LAB", accept_no_isolation=tier == "none", isolation=tier) as box:
    for about, cell in attempts.items():
        with box.run("PERMUTE", cell) as run:
            try:
                seen = run.answer("", ((2, 3), (3, 1), (1, 0)))
                found[about] = seen.value == ((3, 2), (1, 3))
            except Exception:
                found[about] = False
print(json.dumps(found))
"""


def succeeded(container, tier, words=(), before=()):
    """The attempts that succeed in a sandbox of this tier, in the container."""
    results = container.results
    results.parent.mkdir(parents=True, exist_ok=True)
    results.write_text("ours")
    cells = {about: answering_if(found) for about, found in ATTEMPTS.items()}
    program = ASK.replace("LAB", RELEASED.id).replace("PERMUTE", PERMUTE)
    python = [str(container.source / "venv" / "bin" / "python").replace(str(container.folder), "")]
    done = container.run([*before, *python, "-I", "-c", program, tier, json.dumps(cells)], *words)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return {about for about, reached in found.items() if reached}, results.read_text()


@pytest.mark.parametrize(
    ("tier", "words", "before"),
    [
        pytest.param("bwrap", (), (), marks=[needs_root, pytest.mark.slow], id="bwrap, root"),
        pytest.param("landlock", NO_NAMESPACES, (), marks=needs_landlock, id="landlock, nobody"),
        pytest.param("landlock", (), (), marks=[needs_landlock, pytest.mark.slow], id="landlock, as this user"),
        pytest.param(
            "none", NO_BUBBLEWRAP, ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"),
            marks=[needs_root, pytest.mark.slow], id="without walls, another user than root",
        ),
    ],
)  # fmt: skip
def test_a_student_s_process_can_t_write_results_or_end_the_grader(gradescope, tier, words, before):
    assert succeeded(gradescope, tier, words, before) == ({"control"}, "ours")


@needs_root
@pytest.mark.slow
def test_without_walls_root_s_student_would_write_results(gradescope):
    """The attempts are real: where nothing is in their way they succeed."""
    reached, results = succeeded(gradescope, "none", NO_BUBBLEWRAP)
    assert "results.json written" in reached and results == "score"
