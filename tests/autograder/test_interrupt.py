"""Stop, in a real kernel: it ends a check at once, names the line, and leaves everything usable."""

import os
import shutil
import threading

import pytest
from jupyter_client.manager import start_new_kernel

from autograder import overlay
from autograder.author import lab_text

FIRST = "import engine\nfrom autograder.notebook import check, replay\nfrom engine.strides import Ints, wrap_dim"
ENDLESS = "def permute(sizes, strides, dims):\n    n = 0\n    while True:\n        n += 1\n"
SECONDS = 120


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work") / "01-strides"
    folder.mkdir()
    for name in ("cases.json", "lab.json"):
        shutil.copyfile(lab_text.ROOT / "course" / "01-strides" / name, folder / name)
    environment = os.environ | {"PYTHONPATH": str(lab_text.ROOT)}
    manager, client = start_new_kernel(cwd=str(folder), env=environment)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.fixture
def run(kernel):
    """Runs a cell, interrupted `stop_after` seconds after it has begun; returns what it shows."""
    manager, client = kernel

    def execute(source, stop_after=None):
        shown = []

        def collect(message):
            content = message["content"]
            shown.append(content.get("text", "") + "\n".join(content.get("traceback", ())))
            if message["msg_type"] == "execute_input" and stop_after:
                threading.Timer(stop_after, manager.interrupt_kernel).start()

        client.execute_interactive(source, output_hook=collect, timeout=SECONDS)
        return "".join(shown)

    return execute


@pytest.mark.slow
def test_stop_names_the_line_and_leaves_everything_usable(run):
    run(FIRST)
    run(ENDLESS)
    said = run("check('strides.permute')", stop_after=0.7)
    assert "stopped in line 3 of your cell" in said or "stopped in line 4 of your cell" in said
    assert "Traceback" not in said
    run(overlay.source_of("strides.permute"))
    assert "8 of 8 points" in run("check('strides.permute')")


@pytest.mark.slow
def test_a_verdict_is_colored_in_a_notebook_and_an_endless_print_stays_short(run):
    run(FIRST)
    run("def permute(sizes, strides, dims):\n    while True:\n        print('for ever')\n")
    said = run("check('strides.permute')")
    assert said.startswith("\x1b[31;1mx  strides.permute") and len(said) < 5000
    assert said.count("| for ever") == 20
