"""The first thing that `make grade` does, before anything is installed: a shell script that needs nothing else."""

import shutil
import subprocess

import pytest
from handed_in import REPOSITORY

SCRIPT = REPOSITORY / "autograder" / "sandbox" / "isolation.sh"
WORKS = "exit 0"
FAILS = "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1"


@pytest.fixture
def script(tmp_path):
    """Run the script on a made-up system: its os-release, what uname and bwrap (None: not there) do."""

    def run(
        *arguments,
        release="ID=debian",
        uname="Linux",
        bwrap=None,
        uid=1000,
        python="exit 1",
        submitted="ada",
        course="",
    ):
        (tmp_path / "course.yaml").write_text(course)
        programs = {"uname": f"echo {uname}", "id": f"echo {uid}", "python3": python, "ls": f"echo {submitted}"}
        programs |= {} if bwrap is None else {"bwrap": bwrap}
        for name in ("head", "sh", "true"):
            (tmp_path / name).symlink_to(shutil.which(name))
        for name, body in programs.items():
            (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
            (tmp_path / name).chmod(0o755)
        (tmp_path / "os-release").write_text(f"{release}\n")
        environment = {"PATH": str(tmp_path), "OS_RELEASE": str(tmp_path / "os-release")}
        command = [shutil.which("sh"), str(SCRIPT), *arguments]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=20, check=False, cwd=tmp_path
        )

    return run


@pytest.mark.parametrize(
    ("release", "command"),
    [
        ("ID=debian", "sudo apt-get install bubblewrap"),
        ("ID=linuxmint\nID_LIKE='ubuntu debian'", "sudo apt-get install bubblewrap"),
        ("ID=fedora", "sudo dnf install bubblewrap"),
        ("ID=rocky\nID_LIKE='rhel centos fedora'", "sudo dnf install bubblewrap"),
        ("ID=arch", "sudo pacman -S bubblewrap"),
        ("ID=unheard-of", "install the package bubblewrap of"),
    ],
)
def test_without_bubblewrap_it_names_the_command_of_the_system(script, release, command):
    done = script(release=release)
    assert (done.returncode, command in done.stdout) == (2, True), done.stdout


@pytest.mark.parametrize(("uname", "advice"), [("Darwin", "macOS"), ("MINGW64_NT-10.0", "wsl --install")])
def test_elsewhere_it_says_where_to_grade(script, uname, advice):
    done = script(uname=uname)
    assert (done.returncode, advice in done.stdout) == (2, True), done.stdout


def test_root_needs_no_sudo(script):
    assert "    apt-get install bubblewrap" in script(uid=0).stdout


def test_where_it_works_it_says_nothing(script):
    done = script("--seed", "3", bwrap=WORKS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "course", "status"),
    [
        (("--scheduler", "tls://host:8786"), "", 0),
        (("--scheduler=tls://host:8786",), "", 0),
        ((), "late: none\nscheduler: tls://host:8786 # ours\n", 0),
        (("--scheduler=none",), "", 2),
        ((), "# scheduler: tls://host:8786\nscheduler: none\n", 2),
    ],
)
def test_where_other_machines_judge_nothing_is_needed_here(script, arguments, course, status):
    assert script(*arguments, course=course).returncode == status


def test_where_it_is_installed_and_fails_it_says_why(script):
    done = script(bwrap=FAILS, release="ID=ubuntu\nID_LIKE=debian")
    assert (done.returncode, "uid map: Permission denied" in done.stdout) == (2, True)
    assert "profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }" in done.stdout
    assert "sysctl" not in done.stdout  # bubblewrap alone, not every program of the machine


@pytest.mark.parametrize("instead", [{"python": WORKS}, {"submitted": ""}], ids=["Landlock", "the sample class"])
def test_where_bubblewrap_is_not_needed_it_says_nothing(script, instead):
    done = script(**instead)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("argument", ["--accept-no-isolation", "--help"])
def test_who_needs_no_isolation_passes(script, argument):
    assert script("--seed", "3", argument).returncode == 0


def test_the_makefile_asks_it_before_anything_is_installed():
    printed = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "--always-make", "grade", "ARGS=--seed 3"],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    first, rest = printed.split("\n", 1)
    assert first == "sh autograder/sandbox/isolation.sh --seed 3" and "autograder/environment.sh" in rest
