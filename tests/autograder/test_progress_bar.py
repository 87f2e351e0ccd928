"""Long commands say what they do, and Ctrl-C ends them with one line."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import progress_bar
from autograder.progress_bar import ProgressBar

ROOT = Path(__file__).resolve().parents[2]
WAITING = """
import time
from autograder.progress_bar import ProgressBar, begin
begin("loading", interrupted="all is as it was")
with ProgressBar("work", 2) as bar:
    bar.step("first piece")
    time.sleep(60)
"""


INTERRUPTED_AS_IT_FORKS = """
import os, signal
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGINT))
from autograder.labs import CHECKS
from autograder.proof import mutant_runner
try:
    list(mutant_runner.judged_apart(CHECKS["aten.expand_utils.sum_to"], {}, ["def sum_to(): pass"]))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.fixture
def in_a_log(monkeypatch):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


def lines(capsys):
    return capsys.readouterr().err.splitlines()


def test_in_a_log_the_first_piece_is_named_at_once_and_the_next_after_a_while(in_a_log, capsys):
    with ProgressBar("bench", 3) as bar:
        bar.step("x + y")
        bar.step("x * y")
    assert lines(capsys) == ["bench: 1 of 3, x + y"]


def test_in_a_log_what_takes_long_is_named_again(in_a_log, capsys, monkeypatch):
    monkeypatch.setattr(progress_bar, "SECONDS_BETWEEN_LINES", 0.0)
    with ProgressBar("bench", 2) as bar:
        bar.step("x + y")
        bar.show("x + y: round 2")
        bar.step("x * y")
    assert lines(capsys) == ["bench: 1 of 2, x + y", "bench: 1 of 2, x + y: round 2", "bench: 2 of 2, x * y"]


def test_on_a_terminal_each_piece_is_drawn(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with ProgressBar("bench", 2) as bar:
        bar.step("x[1]")  # no markup of rich
        bar.step("x * y")
    drawn = capsys.readouterr()
    assert "x[1]" in drawn.err and "x * y" in drawn.err and "1/2" in drawn.err and drawn.out == ""


def interrupted(command, started):
    """Output and exit status of a command that gets Ctrl-C once its stderr holds `started`."""
    environment = {name: value for name, value in os.environ.items() if name != "FORCE_COLOR"}
    with subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, env=environment, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            seen = ""
            while started not in seen and (line := process.stderr.readline()):
                seen += line
            os.killpg(process.pid, signal.SIGINT)
            _, rest = process.communicate(timeout=60)
        finally:
            process.kill()
    return seen + rest, process.returncode


def test_an_interruption_is_one_line():
    said, status = interrupted(["-c", WAITING], "first piece")
    assert said == "loading\nwork: 1 of 2, first piece\n\nstopped: all is as it was\n"
    assert status == -signal.SIGINT


@pytest.mark.slow
def test_an_interruption_is_not_lost_in_a_fork():
    command = [sys.executable, "-c", INTERRUPTED_AS_IT_FORKS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr


@pytest.mark.slow
def test_an_interrupted_verify_shows_no_traceback_of_its_processes():
    said, status = interrupted(["-m", "autograder.proof.verify"], ": 1 of ")
    assert said.endswith("\nstopped: the lines above hold, the rest was not verified\n")
    assert "Traceback" not in said and status == -signal.SIGINT
