"""A cluster's workers judge as this machine does; what dies loses nothing, and what is not safe is refused."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
import tomllib

import psutil
import pytest
from handed_in import LAB, REPOSITORY, RIGHT, VIEW, hand_in, write_course

from autograder import sandbox
from autograder.author import grader_wheel
from autograder.department import cluster, worker
from autograder.department.cluster import ClusterError
from autograder.examine.verdict import OUR_FAULT
from autograder.grading import code_digest, run, store, submission_record
from autograder.grading.budget import Budget
from autograder.grading.submission_record import Settings
from autograder.proof import kill_at_random
from autograder.proof.local_cluster import Cluster, free_port

pytestmark = [pytest.mark.department, pytest.mark.usefixtures("isolation")]
WRONG = RIGHT | {VIEW: "def view_strides(*_): return None"}
ANSWERS = {"ada": RIGHT, "bob": WRONG, "eve": {}, "joe": {VIEW: RIGHT[VIEW]}}


def kill_working(machines, name):
    """End the process that works for a nanny, and leave the nanny."""
    nanny, victims = psutil.Process(machines.processes[name].pid), []
    while not victims:  # it may still begin
        time.sleep(0.1)
        victims = [child for child in nanny.children() if "spawn_main" in " ".join(child.cmdline())]
    victims[0].kill()


@pytest.fixture
def started(tmp_path):
    found = Cluster(tmp_path).start("scheduler").start("first")
    with cluster.connected(found.address) as client:
        client.wait_for_workers(1, timeout=60)
    yield found
    found.close()


@pytest.fixture
def root(tmp_path):
    course = write_course(tmp_path / "course")
    for name, answers in ANSWERS.items():
        hand_in(course, name, answers)
    return course


def grade(root, *options):
    return run.main(["--root", str(root), "--jobs", "1", "--seed", "7", "--force", *options])


def verdicts(root):
    """The records, without what differs between two runs, and the points in the table."""
    kept = {name: store.read(root, LAB, name) for name in ANSWERS}
    differ = ("seconds", "cpu_seconds", "graded_at")
    return {name: {key: value for key, value in kept[name].items() if key not in differ} for name in kept}


@pytest.fixture
def undisturbed(root, capsys):
    assert grade(root) == 0
    return verdicts(root)


@pytest.mark.slow
def test_a_cluster_judges_as_this_machine_does(root, undisturbed, started):
    shutil.rmtree(root / "autograder" / "records")
    assert grade(root, "--scheduler", started.address) == 0
    assert verdicts(root) == undisturbed
    table = (root / "autograder" / "grades.csv").read_text()
    assert [line.split(",")[:4] for line in table.splitlines()[1:]] == [
        [name, LAB, "graded", str(undisturbed[name]["points"])] for name in sorted(ANSWERS)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("killed", ["working", "nanny"])
def test_a_worker_that_is_killed_loses_nothing(root, undisturbed, started, monkeypatch, killed):
    shutil.rmtree(root / "autograder" / "records")
    usual, done = cluster._Run._send, []

    def then_kill(self, sent):
        usual(self, sent)
        done.append(sent)
        if len(done) == 2 and killed == "working":
            kill_working(started, "first")
        elif len(done) == 2:
            started.start("second").kill("first")

    monkeypatch.setattr(cluster._Run, "_send", then_kill)
    assert grade(root, "--scheduler", started.address) == 0
    assert len(done) == len(ANSWERS) and verdicts(root) == undisturbed


@pytest.mark.slow
def test_a_scheduler_that_is_killed_ends_the_run_in_a_sentence_and_the_next_goes_on(
    root, undisturbed, started, monkeypatch, capsys
):
    shutil.rmtree(root / "autograder" / "records")
    usual = cluster._Run._send

    def then_kill(self, sent):
        usual(self, sent)
        if "scheduler" in started.processes:
            started.kill("scheduler")

    with monkeypatch.context() as patch:
        patch.setattr(cluster._Run, "_send", then_kill)
        assert grade(root, "--scheduler", started.address) == 1
    assert "The scheduler is gone" in " ".join(capsys.readouterr().out.split())
    assert grade(root) == 0
    assert verdicts(root) == undisturbed


@pytest.mark.slow
def test_workers_with_other_code_refuse_and_that_is_said_once(root, started, monkeypatch, capsys):
    monkeypatch.setattr(code_digest, "for_all", lambda: "another engine")
    assert grade(root, "--scheduler", started.address) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("refuses work: its checks, its engine, or its Python") == 1
    assert "no worker takes it" in said and {store.read(root, LAB, name)["status"] for name in ANSWERS} == {OUR_FAULT}


def certificates(folder):
    """A key and a certificate that is its own authority."""
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "cert.pem", folder / "key.pem"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="not run: openssl makes the certificates")
def test_a_cluster_behind_certificates(root, undisturbed, tmp_path):
    import dask

    cert, key = map(str, certificates(tmp_path))
    files = ("--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key)
    found = Cluster(tmp_path, "tls", files).start("scheduler").start("first")
    tls = "distributed.comm.tls"
    try:
        with dask.config.set({f"{tls}.ca-file": cert, f"{tls}.client.cert": cert, f"{tls}.client.key": key}):
            assert grade(root, "--scheduler", found.address) == 0
        assert verdicts(root) == undisturbed
    finally:
        found.close()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("tcp://192.0.2.1:8786", "would send students' answers unencrypted"),
        ("tcp://scheduler.invalid:8786", "would send students' answers unencrypted"),
        ("127.0.0.1:8786", "expected --scheduler tls://host:8786"),
        ("http://127.0.0.1:8786", "expected --scheduler tls://host:8786"),
        ("tls://host", "expected --scheduler tls://host:8786"),
        ("tls://host:port", "expected --scheduler tls://host:8786"),
    ],
)
def test_an_address_that_is_none_or_unsafe_is_refused(address, said):
    with pytest.raises(ClusterError, match=said):
        cluster.require_safe(address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "tcp://[::1]:8786", "tls://192.0.2.1:8786"])
def test_plain_tcp_is_for_this_machine_and_tls_for_any(address):
    cluster.require_safe(address)


@pytest.mark.parametrize(
    ("text", "option", "address"),
    [
        ("", "", ""),
        ("scheduler: tls://one:8786", "", "tls://one:8786"),
        ("scheduler: none", "", ""),
        ("scheduler: tls://one:8786", "tls://two:8786", "tls://two:8786"),
        ("scheduler: tls://one:8786", "none", ""),
        ("scheduler: one", "none", ""),
        ("late: often", "", ""),  # said elsewhere, and no reason to judge elsewhere
    ],
)
def test_the_option_comes_before_the_course_s_file(tmp_path, text, option, address):
    (tmp_path / "course.yaml").write_text(text)
    assert cluster.scheduler_of(option, tmp_path) == address


@pytest.mark.parametrize("text", ["scheduler: tcp://192.0.2.1:8786", "late: often\nscheduler: tls://one:8786"])
def test_a_file_that_names_a_scheduler_and_can_not_be_read_ends_the_run(tmp_path, capsys, text):
    (tmp_path / "course.yaml").write_text(text)
    assert run.main(["--root", str(tmp_path)]) == 1
    assert "course.yaml, line 1: " in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["course.yaml"]


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    with pytest.raises(ClusterError, match="no scheduler answers at tcp://127.0.0.1"):
        cluster.connected(f"tcp://127.0.0.1:{free_port()}")


def test_a_worker_refuses_without_walls_and_takes_what_is_its_own_code(monkeypatch):
    code = [code_digest.for_all(), code_digest.of_lab(LAB)]
    assert worker.refusal(LAB, code) == ""
    assert "install the same wheel" in worker.refusal(LAB, ["another", code[1]])
    monkeypatch.setattr(worker, "_isolation", lambda: sandbox.Isolation("none", reason="no bubblewrap"))
    assert "nothing shuts students' code in there" in worker.refusal(LAB, code)


@pytest.fixture
def text(root):
    """The work on one submission, as a worker gets it."""
    record, work = submission_record.read_submission("bob", LAB, Settings(root, seed=7), print)
    return cluster._Sent(record, work.to_json()).text()


def test_work_is_json_and_verdicts_are(root, text):
    found = json.loads(worker.judged(text))["verdicts"]
    assert (found["seed"], found["status"], found["exercises"][VIEW]["points"]) == (7, "graded", 0)
    assert [*found["exercises"]] == [*RIGHT]


@pytest.mark.slow
def test_what_costs_a_worker_too_much_is_refused(text, monkeypatch):
    monkeypatch.setattr(worker, "Settings", lambda: Settings(budget=Budget(cpu_seconds=0.01)))
    monkeypatch.setattr(worker, "OF_THREAD", threading.local())
    assert "judging it took more than 0.01 CPU seconds" in json.loads(worker.judged(text))["too_much"]


@pytest.mark.slow
def test_a_cluster_without_workers_is_not_waited_for_in_silence(root, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cluster, "WAIT_SECONDS", 0.2)
    monkeypatch.setattr(cluster, "SECONDS_BETWEEN_LOOKS", 0.1)
    found = Cluster(tmp_path).start("scheduler")
    try:
        assert grade(root, "--scheduler", found.address) == 1
    finally:
        found.kill("scheduler")
    assert "start some with" in " ".join(capsys.readouterr().out.split())


def test_the_first_look_waits_for_no_scheduler(root, capsys):
    begun = time.time()
    assert grade(root, "--scheduler", "tcp://192.0.2.1:8786") == 1
    assert "use tls" in capsys.readouterr().out and time.time() - begun < 30


@pytest.mark.slow
def test_a_run_whose_worker_loses_a_process_at_a_random_moment_ends_in_the_same_gradebook(
    tmp_path, capsys, monkeypatch
):
    """The smallest of what the script does; all of its kills are `python -m autograder.proof.kill_at_random`."""
    monkeypatch.setattr(kill_at_random, "KILLS", (kill_at_random.kill_part_of_worker,))
    failed, said = (
        kill_at_random.main(["--kills", "1", "--students", "2", "--root", str(tmp_path)]),
        capsys.readouterr(),
    )
    assert not failed, said.out
    assert "1 of 1 disturbed runs ended in the same gradebook" in said.out


@pytest.mark.slow
def test_a_worker_of_the_grader_s_wheel_judges_as_the_repository_does(root, undisturbed, tmp_path):
    """The wheel is installed without what it needs, which is this environment's."""
    wheel, folder = grader_wheel.build(tmp_path), tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(folder)]
    subprocess.run([*pip, str(wheel)], check=True)
    where = [sys.executable, "-c", "import autograder; print(autograder.__file__)"]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    assert str(folder) in subprocess.run(where, env=environment, cwd=tmp_path, capture_output=True, text=True).stdout
    found = Cluster(tmp_path, code=folder).start("scheduler").start("first")
    try:
        assert grade(root, "--scheduler", found.address) == 0
        assert verdicts(root) == undisturbed
    finally:
        found.close()


def test_the_grader_s_wheel_needs_what_a_worker_needs():
    text = (REPOSITORY / "pyproject.toml").read_text()
    project, before = tomllib.loads(grader_wheel.of_grader(text))["project"], tomllib.loads(text)["project"]
    assert project["name"] == "inside-the-tensor-grader" != before["name"]
    extras = before["optional-dependencies"]
    assert set(project["dependencies"]) == {*before["dependencies"], *extras["grade"], *extras["cluster"]}
    with pytest.raises(ValueError, match="expected the line"):
        grader_wheel.of_grader(text.replace("dependencies = [", "dependencies = [ "))
