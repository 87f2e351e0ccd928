"""The README's commands are run first by `.ci/run`, on a machine that lacks what a fresh one lacks."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LACKS = ("bwrap", "chromium", "psql", "cc")  # a wall, a browser, a database, a compiler
LOOK = "for name in {names}; do command -v $name || ls /usr/bin/$name /usr/local/bin/$name 2>/dev/null; done; {then}"


@pytest.fixture(scope="module")
def namespaces():
    """A machine on which this user may hide programs."""
    if run("unshare", "--mount", "true").returncode:
        pytest.skip("not run: no mount namespace may be made here")


def run(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the system's in the repository's folder, with none of the homes that `.ci/run` keeps."""
    env = os.environ | {"FRESH_HOME": ""} | variables
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)


def planted(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command where every one of these programs is installed, whatever this machine has."""
    install = " && ".join(f"cp /bin/true /usr/local/bin/{name}" for name in LACKS)
    return run("unshare", "--mount", "sh", "-c", f"mount -t tmpfs tmpfs /usr/local/bin && {install} && {command}")


@pytest.mark.slow
@pytest.mark.usefixtures("namespaces")
def test_no_program_that_a_fresh_machine_lacks_is_found():
    look = LOOK.format(names=" ".join(LACKS), then="ls -A ~")
    there, hidden = planted(f"sh -c '{look}'"), planted(f".ci/fresh sh -c '{look}'")
    assert [name for name in LACKS if f"/usr/local/bin/{name}\n" not in there.stdout] == []
    assert (hidden.returncode, hidden.stdout, hidden.stderr) == (0, "", "")


@pytest.mark.slow
@pytest.mark.usefixtures("namespaces")
def test_python_make_and_git_are_there_and_no_variable_of_ours():
    said = run(".ci/fresh", "sh", "-c", "python3 -V && make -v && git --version && env", NUMBA_CACHE_DIR="/ours")
    assert said.returncode == 0, said.stderr
    assert "NUMBA_CACHE_DIR" not in said.stdout and f"HOME={os.environ['HOME']}\n" not in said.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("namespaces")
def test_a_failure_inside_is_a_failure_outside():
    assert run(".ci/fresh", "sh", "-c", "exit 3").returncode == 3


def test_newcomers_commands_come_before_anything_is_installed():
    steps = [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line.lstrip().startswith("step ")]
    assert ".ci/fresh" in steps[0] and ".ci/fresh make test" in steps[1], steps
