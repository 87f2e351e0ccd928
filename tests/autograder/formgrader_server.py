"""Formgrader, started as an instructor starts it, and a tab of a real browser to open it in."""

import contextlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from handed_in import LAB
from playwright.sync_api import Page, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
STARTS = 60  # seconds
TOKEN = "for-this-test"


@contextlib.contextmanager
def served(root: Path) -> Iterator[str]:
    """The address of formgrader on the course below `root`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "autograder.grading.formgrader", LAB, "--no-browser", f"--port={port}"]
    with subprocess.Popen([*command, f"--root={root}", f"--IdentityProvider.token={TOKEN}"]) as server:
        end = time.monotonic() + STARTS
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=5).close()
                break
            except OSError:
                assert time.monotonic() < end and server.poll() is None
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/formgrader"
        server.terminate()


@contextlib.contextmanager
def new_tab() -> Iterator[Page]:
    """A tab of chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser.new_page()
        browser.close()
