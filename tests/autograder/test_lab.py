"""`make lab`: the student's copy is his own, and JupyterLab opens on it."""

import os

import pytest

from autograder.student import open_lab


@pytest.fixture
def course(tmp_path):
    folder = tmp_path / "course" / "01-strides"
    folder.mkdir(parents=True)
    (folder / "lab.ipynb").write_text("release 1")
    (folder / "cases.json").write_text("cases 1")
    return tmp_path / "course"


@pytest.fixture
def work(course, tmp_path):
    open_lab.prepare(course, tmp_path / "work")
    return tmp_path / "work"


def test_the_first_time_the_release_is_copied(work):
    assert (work / "01-strides" / "lab.ipynb").read_text() == "release 1"


def test_my_engine_lies_beside_the_labs(work):
    assert (work / "my_engine").is_dir()


def test_a_copy_that_was_worked_on_stays(course, work):
    (work / "01-strides" / "lab.ipynb").write_text("answers")
    open_lab.prepare(course, work)
    assert (work / "01-strides" / "lab.ipynb").read_text() == "answers"


def test_the_same_release_is_not_offered_again(course, work):
    (work / "01-strides" / "lab.ipynb").write_text("answers")
    assert open_lab.prepare(course, work) == []


@pytest.fixture
def told(course, work):
    (work / "01-strides" / "lab.ipynb").write_text("answers")
    (course / "01-strides" / "lab.ipynb").write_text("release 2")
    (course / "01-strides" / "cases.json").write_text("cases 2")
    return open_lab.prepare(course, work)


def test_a_newer_release_leaves_the_answers(work, told):
    assert (work / "01-strides" / "lab.ipynb").read_text() == "answers"


def test_a_newer_release_is_put_beside_them(work, told):
    assert (work / "01-strides" / "lab.new.ipynb").read_text() == "release 2"


def test_a_newer_release_is_told(told):
    assert "newer release" in told[0] and "lab.new.ipynb" in told[0]


def test_the_recorded_cases_are_always_those_of_the_release(work, told):
    assert (work / "01-strides" / "cases.json").read_text() == "cases 2"


def test_without_a_release_it_says_what_to_do(tmp_path):
    with pytest.raises(FileNotFoundError, match="make course"):
        open_lab.prepare(tmp_path / "course", tmp_path / "work")


def test_jupyterlab_opens_the_lab_in_work(tmp_path):
    arguments = open_lab.jupyter_arguments(tmp_path, "01-strides", no_browser=True, port=9999)
    assert {
        f"--ServerApp.root_dir={tmp_path}",
        "--LabApp.default_url=/lab/tree/01-strides/lab.ipynb",
        "--LabApp.extension_manager=readonly",
        "--no-browser",
        "--port=9999",
    } <= set(arguments)


@pytest.mark.parametrize(("uid", "allowed"), [(0, True), (1000, False)])
def test_root_is_allowed_only_to_root(monkeypatch, tmp_path, uid, allowed):
    monkeypatch.setattr(os, "geteuid", lambda: uid, raising=False)
    assert ("--allow-root" in open_lab.jupyter_arguments(tmp_path, "01-strides")) is allowed


@pytest.fixture
def settings(tmp_path, monkeypatch):
    folder = open_lab.write_settings(tmp_path)
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(folder))
    return folder


def test_the_news_popup_is_silenced_where_jupyterlab_looks(settings):
    from jupyterlab_server.settings_utils import _get_overrides

    overrides, error = _get_overrides(str(settings))
    assert not error and overrides["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"


def test_the_instructors_tools_are_off_where_jupyterlab_looks(settings):
    from jupyterlab_server.config import get_page_config

    disabled = get_page_config([], str(settings))["disabledExtensions"]
    assert "@jupyter/nbgrader:create-assignment" in disabled


def test_validate_stays_on():
    assert "@jupyter/nbgrader:validate-assignment" not in open_lab.LABCONFIG["page_config"]["disabledExtensions"]
