"""Landlock alone stops what its ABI has; the sandbox stops all of it with every ABI."""

import io
import json
import socket
import subprocess
import sys
from types import SimpleNamespace

import pytest
from rich.console import Console

from autograder import sandbox
from autograder.grading import classes
from autograder.grading.class_page import page
from autograder.sandbox import canary, walls

pytestmark = pytest.mark.skipif(
    walls.landlock_abi() < max(walls.SINCE),
    reason="not run: Landlock's ABI 6 (Linux 6.12)",
)
# Restricts itself up to an ABI, without the filter, and prints whether each attempt succeeds.
PROGRAM = f"""
import fcntl, json, os, socket, sys, types
walls = types.ModuleType("walls")
exec(open({walls.__file__!r}).read(), vars(walls))
"""
PROGRAM += """
given = json.loads(sys.argv[1])
walls.restrict_files([], [given["readable"]], [given["writable"]], given["abi"])
tried = {
    "moves": lambda: os.rename(given["writable"] + "/a/x", given["writable"] + "/b/x"),
    "truncation": lambda: os.open(given["readable"], os.O_TRUNC),
    "truncation in no mode": lambda: os.open(given["outside"], os.O_ACCMODE | os.O_TRUNC),
    "TCP": lambda: socket.socket().connect(("127.0.0.1", given["port"])),
    "requests to devices": lambda: fcntl.ioctl(os.open("/dev/ptmx", os.O_ACCMODE), 0x80045430, bytes(4)),  # TIOCGPTN
    "abstract sockets": lambda: socket.socket(socket.AF_UNIX).connect(given["abstract"]),
    "signals": lambda: os.kill(os.getppid(), 0),
    "writing": lambda: open(given["outside"], "a"),
    "reading": lambda: open(given["outside"]),
}
found = {}
for name, attempt in tried.items():
    try:
        attempt()
        found[name] = True
    except OSError:
        found[name] = False
print(json.dumps(found))
"""
FIRST_REFUSED = {
    "truncation": 3, "truncation in no mode": 3, "TCP": 4, "requests to devices": 5, "abstract sockets": 6,
    "signals": 6, "writing": 1, "reading": 1,
}  # fmt: skip
ABIS = range(1, 1 + max(walls.SINCE))


@pytest.mark.parametrize("abi", ABIS)
def test_landlock_alone_stops_what_its_abi_has(tmp_path, abi):
    for folder in "ab":
        (tmp_path / "writable" / folder).mkdir(parents=True)
    for file in ("readable", "outside", "writable/a/x"):
        (tmp_path / file).write_text("x")
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind("")
        abstract.listen(1)
        given = {name: str(tmp_path / name) for name in ("readable", "writable", "outside")} | {
            "abi": abi, "port": listener.getsockname()[1], "abstract": abstract.getsockname().decode(),
        }  # fmt: skip
        command = [sys.executable, "-c", PROGRAM, json.dumps(given)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    found = json.loads(done.stdout or "{}")
    assert found == {"moves": abi > 1} | {name: abi < since for name, since in FIRST_REFUSED.items()}, done.stderr


@pytest.mark.parametrize("abi", ABIS)
def test_with_an_older_landlock_nothing_forbidden_is_possible_and_its_limits_are_printed(monkeypatch, abi):
    monkeypatch.setenv("LANDLOCK_ABI", str(abi))
    found = canary.__wrapped__("landlock")
    assert (found.tier, found.abi, found.reason) == ("landlock", abi, "")
    console = Console(file=io.StringIO())
    monkeypatch.setattr(sandbox, "canary", lambda wanted: found)
    classes.tier_for(None, SimpleNamespace(isolation=""), console)
    alone = [wall for since, wall in walls.SINCE.items() if since > abi]
    for text in (console.file.getvalue(), page.html([], found)):
        assert "Not walled off: the kernel" in text and "times of your files" in text
        assert [wall for wall in walls.SINCE.values() if wall in text] == alone
