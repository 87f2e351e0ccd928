"""The script that makes .venv, for make and without it: on made-up systems, where nothing is installed."""

import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
from handed_in import REPOSITORY

SCRIPT = REPOSITORY / "autograder" / "environment.sh"
TOOLS = ("cat", "cp", "cut", "dirname", "head", "ls", "mkdir", "rm", "sed", "sh")
# A Python of a version, which lacks modules: it says so, makes a .venv with itself in it, and notes what pip is given.
PYTHON = """\
#!/bin/sh
case "$1 $2" in
"-c "?*) echo {version}; for name in "$@"; do case " {lacks} " in *" $name "*) echo "$name" ;; esac; done ;;
"-m venv") {venv}mkdir -p .venv/bin; cp "$0" .venv/bin/python; echo "#!$PWD/.venv/bin/python3" >.venv/bin/pip ;;
"-m pip") echo "$@" >>pip.log; {pip} ;;
esac
"""
UV = '#!/bin/sh\n[ "$1" != venv ] || exec python3 -m venv .venv\necho "$@" >>pip.log\n'
CONDA = '#!/bin/sh\necho "$@" >>conda.log\npython3 -m venv .venv\nmkdir -p .venv/conda-meta\n'
EXTRAS = {"stubs": "", "lab": "lab", "grade": "grade", "site": "lab,grade,site", "lint": "lab,grade,dev"}
INSTALLED = "-m pip install --quiet --disable-pip-version-check -c constraints.txt -e "


@pytest.fixture
def course(tmp_path):
    """A folder with the script, and a PATH of its own beside it."""
    (tmp_path / "bin").mkdir()
    for name in TOOLS:
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    (tmp_path / "course" / "autograder").mkdir(parents=True)
    shutil.copy(SCRIPT, tmp_path / "course" / "autograder")
    put(tmp_path / "bin" / "id", "#!/bin/sh\necho 1000\n")
    put_python(tmp_path / "bin" / "python3")
    return tmp_path / "course"


def put(path, text):
    path.write_text(text)
    path.chmod(0o755)


def put_python(path, version="3.11.7", *lacks, venv="", pip="exit 0"):
    put(path, PYTHON.format(version=version, lacks=" ".join(lacks), venv=venv, pip=pip))


def run(course, *arguments, release="ID=arch", **environment):
    (course / "os-release").write_text(release + "\n")
    given = {"PATH": str(course.parent / "bin"), "OS_RELEASE": str(course / "os-release"), **environment}
    command = [shutil.which("sh"), "autograder/environment.sh", *arguments]
    return subprocess.run(command, cwd=course, env=given, capture_output=True, text=True, timeout=20, check=False)


def installed(course):
    """Return the arguments of each call of pip."""
    log = course / "pip.log"
    return log.read_text().splitlines() if log.exists() else []


def refused(done, *said):
    assert (done.returncode, "Not installing: " in done.stdout) == (2, True), done.stdout
    assert [text for text in said if text not in done.stdout] == [], done.stdout


@pytest.mark.parametrize("extras, megabytes", [("", "310"), ("[lab]", "930"), ("[lab,grade,dev]", "1,230")])
def test_it_makes_the_environment_once_and_says_its_size(course, extras, megabytes):
    for _ in range(2):
        done = run(course, *([] if extras == "[lab]" else [extras.strip("[]")]))
        size = f"{extras or 'the engine'}, about {megabytes} MB"
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"installing the packages of {size} in all, into .venv (once)\n"
    assert installed(course) == [f"{INSTALLED}.{extras}"] * 2


# ---- a Python that cannot serve


@pytest.mark.parametrize("version", ["2.7.18", "3.6.15", "3.9.2", "3.10.13"])
def test_a_python_that_is_too_old_is_named_before_anything_is_made(course, version):
    put_python(course.parent / "bin" / "python3", version)
    refused(run(course), f"python3 is Python {version}, expected 3.11 or newer", "Install Python 3.11", "ENV=uv")
    assert not (course / ".venv").exists() and installed(course) == []


def test_the_version_is_the_projects():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    stated = re.findall(r"(3\.\d+) or newer", SCRIPT.read_text())
    assert [f">={version}" for version in stated] == [project["requires-python"]] * 2


@pytest.mark.parametrize("version", ["3.11.0", "3.12.1", "3.19.3", "3.20.0"])
def test_newer_pythons_serve(course, version):
    put_python(course.parent / "bin" / "python3", version)
    assert run(course).returncode == 0


def test_one_that_would_serve_is_offered_and_then_used(course):
    put_python(course.parent / "bin" / "python3", "3.10.13")
    put_python(course.parent / "bin" / "python3.13", "3.13.0", "ssl")
    put_python(course.parent / "bin" / "python3.12", "3.12.1")
    refused(run(course), "python3.12 will do", "PYTHON=python3.12")
    assert run(course, PYTHON="python3.12").returncode == 0


@pytest.mark.parametrize("system", ["ID=debian", "ID=neon\nID_LIKE='ubuntu'"])
def test_on_debian_the_package_with_venv_is_named(course, system):
    put_python(course.parent / "bin" / "python3", "3.12.1", "ensurepip")
    refused(run(course, release=system), "has no module ensurepip", "Type: sudo apt-get install python3.12-venv\n")
    put(course.parent / "bin" / "id", "#!/bin/sh\necho 0\n")
    refused(run(course, release=system), "Type: apt-get install python3.12-venv\n")


def test_a_module_that_was_not_built_is_named(course):
    put_python(course.parent / "bin" / "python3", "3.11.7", "ssl", "sqlite3")
    refused(run(course), "python3 (Python 3.11.7) has no module ssl sqlite3")


@pytest.mark.parametrize("environment", [{}, {"PYTHONPATH": "shadow"}])
def test_a_real_python_tells_its_version_and_what_it_lacks(course, environment):
    (course / "shadow").mkdir()
    (course / "shadow" / "sqlite3.py").write_text("raise ImportError('not built')\n")
    program = SCRIPT.read_text().split("facts='")[1].split("'\n")[0]
    facts = subprocess.run(
        [sys.executable, "-c", program, "ssl", "sqlite3", "ensurepip", "venv", "ctypes", "zlib"],
        env={**os.environ, **environment}, cwd=course, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert facts == ["{}.{}.{}".format(*sys.version_info[:3])] + ["sqlite3"] * bool(environment)


def test_a_python_that_is_not_there_or_does_not_start_is_named(course):
    refused(run(course, PYTHON="python3.99"), "there is no program python3.99", "PYTHON=python3\n")
    put(course.parent / "bin" / "python3.12", "#!/bin/sh\necho 'pyenv: python3.12: command not found' >&2; exit 127\n")
    refused(run(course, PYTHON="python3.12"), "python3.12 does not start: pyenv: python3.12: command not found")


# ---- a .venv that is there already


def make(course, **options):
    """A .venv that serves, or with options one that does not."""
    assert run(course).returncode == 0
    put_python(course / ".venv" / "bin" / "python", **options)
    (course / "pip.log").unlink()
    (course / ".venv" / "mine").touch()


def serves(course, *arguments, **environment):
    done = run(course, "--serves", *arguments, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    return {"yes\n": True, "": False}[done.stdout]


def spoiled(course, how):
    make(course)
    python, pip = course / ".venv" / "bin" / "python", course / ".venv" / "bin" / "pip"
    if how == "its Python is gone":
        python.unlink()
        python.symlink_to("/nowhere/python3")
    elif how == "from another folder":
        pip.write_text("#!/another/course/.venv/bin/python3\n")
    elif how == "from another folder with a space":
        pip.write_text("#!/bin/sh\n'''exec' \"/my course/.venv/bin/python3\" \"$0\" \"$@\"\n' '''\n")
    else:
        put_python(python, *{"half-made": ("3.11.7", "pip"), "too old": ("3.10.13",)}[how])


@pytest.mark.parametrize(
    "how", ["its Python is gone", "from another folder", "from another folder with a space", "half-made", "too old"]
)
def test_one_that_cannot_serve_is_made_again(course, how):
    spoiled(course, how)
    assert not serves(course)
    done = run(course)
    assert (done.returncode, done.stdout.startswith("removing .venv: ")) == (0, True), done.stdout
    assert not (course / ".venv" / "mine").exists() and serves(course)
    assert installed(course) == [INSTALLED + ".[lab]"]


def test_it_is_kept_until_there_is_a_python_that_serves(course):
    spoiled(course, "from another folder")
    put_python(course.parent / "bin" / "python3", "3.10.13")
    refused(run(course), "python3 is Python 3.10.13")
    assert (course / ".venv" / "mine").exists()


def test_the_environments_own_python_is_not_the_one_that_makes_it_again(course):
    spoiled(course, "too old")
    bin_first = f"{course / '.venv' / 'bin'}:{course.parent / 'bin'}"  # as make has it, and who activated .venv
    put_python(course / ".venv" / "bin" / "python3", "3.10.13")
    assert run(course, PATH=f"{course / '.venv' / 'bin'}:{bin_first}").returncode == 0


def test_one_that_serves_is_kept_wherever_its_pip_is_from(course):
    make(course)
    (course / ".venv" / "bin" / "pip").write_text("#!/usr/bin/env python\n")  # conda's, where the path is long
    assert serves(course)
    assert run(course, "grade").returncode == 0
    assert (course / ".venv" / "mine").exists()


def test_another_python_than_the_environments_is_refused_and_nothing_lost(course):
    make(course)
    put_python(course.parent / "bin" / "python3.13", "3.13.0")
    assert not serves(course, PYTHON="python3.13")
    refused(run(course, PYTHON="python3.13"), ".venv is not python3.13's", "rm -rf .venv")
    put_python(course.parent / "bin" / "python3.11")
    assert serves(course, PYTHON="python3.11") and (course / ".venv" / "mine").exists()


def test_a_package_whose_installation_was_killed_is_installed_again(course):
    make(course)
    packages = course / ".venv" / "lib" / "python3.11" / "site-packages"
    for name in ("whole", "half"):
        (packages / f"{name}-1.0.dist-info").mkdir(parents=True)
    (packages / "whole-1.0.dist-info" / "INSTALLER").touch()
    assert run(course).returncode == 0
    assert [path.name for path in packages.iterdir()] == ["whole-1.0.dist-info"]


# ---- other tools, other folders, and what goes wrong while it installs


def test_uv_makes_it_and_may_bring_its_own_python(course):
    put(course.parent / "bin" / "uv", UV)
    assert run(course, "lab", "uv", PYTHON="3.13").returncode == 0
    assert installed(course) == ["pip install --python .venv/bin/python -c constraints.txt -e .[lab]"]
    put_python(course.parent / "bin" / "python3", "3.10.13")
    shutil.rmtree(course / ".venv")
    refused(run(course, "lab", "uv"), ".venv/bin/python is Python 3.10.13")


def test_conda_makes_it_by_its_file_and_brings_it_up_to_date(course):
    put(course.parent / "bin" / "conda", CONDA)
    assert run(course, "lab", "conda").returncode == 0
    calls = (course / "conda.log").read_text().splitlines()
    assert [call.split()[:2] for call in calls] == [["env", "create"], ["env", "update"]]
    assert all(call.endswith("--quiet --prefix .venv --file environment.yml") for call in calls)
    assert installed(course) == ["-m pip install --quiet --no-deps -e ."]


def test_conda_does_not_take_an_environment_of_venv(course):
    make(course)
    put(course.parent / "bin" / "conda", CONDA)
    assert not serves(course, "lab", "conda")
    refused(run(course, "lab", "conda"), ".venv was not made by conda", "rm -rf .venv")


@pytest.mark.parametrize("said", ["there is no program uv", "there is no program conda", "uv or conda, not poetry"])
def test_a_tool_that_is_not_there_is_named(course, said):
    refused(run(course, "lab", said.split()[-1]), said)


@pytest.mark.parametrize("name", ["a:b", "a$b", "a`b", 'a"b', "a\\b"])
def test_a_folder_in_which_programs_would_fail_is_refused(course, name):
    refused(run(course.rename(course.with_name(name))), "Move or rename ")


@pytest.mark.parametrize("name", ["a b", "a (b)", "it's #1", "é", "a%b", "a [b]", "a*b", "a?b"])
def test_other_unusual_folders_serve(course, name):
    course = course.rename(course.with_name(name))
    assert run(course).returncode == 0 and serves(course)


def test_where_pip_fails_it_says_what_to_do_and_keeps_what_is_there(course):
    make(course, pip="exit 1")
    done = run(course)
    assert (done.returncode, "HTTPS_PROXY" in done.stdout, "Python 3.11 to 3.13" in done.stdout) == (2, True, True)
    assert (course / ".venv" / "mine").exists()


def test_ctrl_c_while_pip_works_ends_with_one_line(course):
    make(course, pip="kill -INT $PPID")
    done = run(course)
    assert (done.returncode, done.stdout.splitlines()[1:]) == (130, ["Stopped. The same command continues."])


def test_an_environment_that_is_not_made_ends_it(course):
    put_python(course.parent / "bin" / "python3", venv="exit 1; ")
    refused(run(course), "venv could not make .venv")
    assert installed(course) == []


def dry_run(*arguments):
    command = ["make", "--no-print-directory", "--dry-run", *arguments]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("target, extras", EXTRAS.items())
def test_the_makefile_runs_it_with_the_extras_of_a_target(target, extras):
    printed = dry_run("--always-make", target, "ENV=uv", "PYTHON=python3.12")
    assert f'PYTHON="python3.12" sh autograder/environment.sh "{extras}" uv\n' in printed


def test_make_asks_it_whether_the_stamps_count():
    """A Python that is not there: the stamp of a complete environment does not count."""
    assert "autograder/environment.sh" in dry_run("lint", "PYTHON=no-such-python")
