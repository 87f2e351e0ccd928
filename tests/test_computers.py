"""Finding other Pythons and a Debian mirror on this machine, for `make pythons` and `make container-test`."""

import os
import subprocess

import container
import pytest
import pythons


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine without any Python on its PATH or with a version manager."""
    for variable, *_ in pythons.MANAGED:
        monkeypatch.setenv(variable, str(tmp_path / variable))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_an_interpreter_on_the_path_is_found(machine):
    found = program(machine / "bin/python9.1", "echo 9.1")
    assert pythons.find("9.1") == found


def test_behind_a_shim_that_refuses_the_manager_s_own_is_found(machine):
    program(machine / "bin/python9.1", "echo 'python9.1: command not found' >&2; exit 127")
    managed = program(machine / "PYENV_ROOT/versions/9.1.0/bin/python9.1", "echo 9.1")
    assert pythons.find("9.1") == managed


def test_one_that_is_another_version_is_not_taken(machine):
    program(machine / "bin/python9.1", "echo 9.0")
    assert pythons.find("9.1") is None


def test_one_that_is_not_found_is_reported(machine, capsys):
    assert pythons.report("9.1", machine / "no.whl")
    assert capsys.readouterr().out == "not run: python9.1 was not found\n"


def test_one_that_fails_fails_the_command(machine, capsys):
    program(machine / "bin/python9.1", 'test "$1" = -c && echo 9.1')
    assert not pythons.report("9.1", machine / "no.whl")
    assert capsys.readouterr().out.startswith(f"failed: Python 9.1, {machine / 'bin' / 'python9.1'}")


SOURCES = {
    "sources.list": "# deb http://one.example/debian\ndeb [arch=amd64] https://two.example/debian/ bookworm main\n",
    "sources.list.d/debian.sources": "Types: deb\nURIs: http://three.example/debian\nSuites: bookworm\n",
}


@pytest.mark.parametrize(
    ("files", "mirror"),
    [
        (["sources.list"], "https://two.example/debian"),
        (["sources.list.d/debian.sources"], "http://three.example/debian"),
        ([], None),
    ],
)
def test_the_mirror_is_the_one_that_apt_names(tmp_path, files, mirror):
    (tmp_path / "sources.list.d").mkdir()
    for name in files:
        (tmp_path / name).write_text(SOURCES[name])
    assert container.mirror(tmp_path) == mirror


def test_the_setup_script_has_nothing_to_do_where_all_is_there(tmp_path):
    program(tmp_path / "apt-get", "echo apt-get was run; exit 1")
    program(tmp_path / "dpkg-query", "echo 'install ok installed'")
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([str(container.DEVCONTAINER / "setup")], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
