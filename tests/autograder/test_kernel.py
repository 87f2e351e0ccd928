"""`check` in a real IPython kernel, with the messages that JupyterLab sends, and without what only POSIX has."""

import json
import os
import re

import pytest
from handed_in import cell_of
from jupyter_client.manager import start_new_kernel

from autograder import overlay
from autograder.author import lab_text
from autograder.examine.answer_text import answer_id, grade_id

LAB, NAME = "01-strides", "strides.contiguous_strides"
RIGHT = overlay.source_of(NAME)
LOOP = "def contiguous_strides(sizes):\n    while True:\n        pass\n"
# As on Windows, and without the packages of the notebook's program.
HIDE = """
import os, signal, sys
for name in ("resource", "fcntl", "pwd", "grp", "nbgrader", "nbformat", "jupyterlab", "jupytext"):
    sys.modules[name] = None
for module, names in ((signal, ("setitimer", "getitimer", "alarm", "SIGALRM")), (os, ("fork", "getuid", "geteuid"))):
    for name in names:
        delattr(module, name)
"""
COLORS = re.compile(r"\x1b\[[\d;]*m")
SECONDS = 120  # for a cell, on a busy machine


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work") / LAB
    folder.mkdir()
    for name in ("lab.ipynb", "cases.json", "lab.json"):
        (folder / name).write_bytes((lab_text.ROOT / "course" / LAB / name).read_bytes())
    return folder


@pytest.fixture(scope="module")
def run(folder):
    """Runs a cell in a kernel, under the id that JupyterLab would send with it; returns what it prints and raises."""
    environment = {name: value for name, value in os.environ.items() if name != "JPY_SESSION_NAME"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(lab_text.ROOT), os.environ.get("PYTHONPATH")]))
    manager, client = start_new_kernel(startup_timeout=SECONDS, cwd=str(folder), env=environment)

    def run(source, cell):
        content = {"code": source, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        message = client.session.msg("execute_request", content, metadata={"cellId": cell})
        client.shell_channel.send(message)
        said = ""
        while True:
            answer = client.get_iopub_msg(timeout=SECONDS)
            if answer["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            content = answer["content"]
            said += content.get("text", "") + "\n".join(content.get("traceback", ()))
            if content.get("execution_state") == "idle":
                return COLORS.sub("", said)

    run(HIDE, "hide")
    run("import engine\nfrom autograder.notebook import check\nfrom engine.strides import Ints", "given")
    yield run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_check_judges_the_cell_that_is_handed_in(run, folder):
    notebook = json.loads((folder / "lab.ipynb").read_text(encoding="utf-8"))
    assert cell_of(notebook, answer_id(NAME))["id"] == answer_id(NAME)
    run(RIGHT, answer_id(NAME))
    assert run(f"check({NAME!r})", grade_id(NAME)).startswith(f"ok {NAME}   5 of 5 points")
    run(RIGHT.replace("def contiguous_strides", "def contiguous"), answer_id(NAME))
    first = run(f"check({NAME!r})", grade_id(NAME)).splitlines()[0]
    assert "not checked: the cell does not define contiguous_strides" in first
    run("1 / 0\n" + RIGHT, answer_id(NAME))
    first = run(f"check({NAME!r})", grade_id(NAME)).splitlines()[0]
    assert "not checked: the answer's cell failed: ZeroDivisionError: division by zero" in first


@pytest.mark.slow
def test_an_endless_loop_times_out_without_signals(run):
    run(LOOP, answer_id(NAME))
    assert "timed out" in run(f"check({NAME!r})", grade_id(NAME))


def test_the_list_of_the_lab_needs_no_package_of_the_notebook_s_program(run):
    said = run("check()", "list")
    assert said.startswith(f"{LAB}: ") and "0 of 4 written answers" in said
