"""Drive the real JupyterLab: `python -m tests.browser.drive_lab [LAB] [--screenshots FOLDER]`.

Opens the lab as a student gets it and as the instructor has it, runs all cells, presses Validate, and leaves
screenshots in the light and the dark theme. Says what failed and ends with 1; needs playwright and a chromium.
"""

import argparse
import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import nbformat
from playwright.sync_api import Page, sync_playwright

from autograder import documents
from autograder.author import lab_text
from autograder.student import open_lab as lab_command

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
VIEWPORT = {"width": 1200, "height": 1500}
MINUTES = 60_000
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
VALIDATED = {"lab": ".nbgrader-ErrorDialog", "solution": ".nbgrader-SuccessDialog"}


@contextlib.contextmanager
def jupyterlab(work: Path, lab: str) -> Iterator[tuple[str, str]]:
    """JupyterLab on the folder `work`, with settings of its own; yields its address and its token."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(8)
    environment = os.environ | {
        "JUPYTER_CONFIG_PATH": str(lab_command.write_settings(work)),
        "JUPYTER_CONFIG_DIR": str(work / ".config"),
        "JUPYTERLAB_SETTINGS_DIR": str(work / ".settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(work / ".workspaces"),
        "PYTHONPATH": os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(lab_text.ROOT)))),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    arguments = lab_command.jupyter_arguments(work, lab, no_browser=True, port=port)
    with open(work / "server.log", "w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *arguments, f"--IdentityProvider.token={token}"],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_for(f"http://127.0.0.1:{port}/api?token={token}", server)
        yield f"http://127.0.0.1:{port}", token
    finally:
        server.terminate()
        server.wait(20)


def _wait_for(address: str, server: subprocess.Popen, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=2):
            return
        time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not answer at {address.split('?')[0]}")


def open_notebook(page: Page, address: str, token: str, path: str, theme: str) -> None:
    """Show the notebook `path` under `theme` in a fresh workspace."""
    page.request.put(
        f"{address}/lab/api/settings/@jupyterlab/apputils-extension:themes?token={token}",
        data={"raw": f'{{"theme": "{THEMES[theme]}"}}'},
    )
    page.goto(f"{address}/lab/workspaces/{secrets.token_hex(4)}/tree/{path}?reset&token={token}")
    page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="idle"]', timeout=MINUTES)
    page.wait_for_selector('.jp-StatusBar-TextItem:has-text("| Idle")', timeout=MINUTES)


def run_all(page: Page) -> None:
    """Run all cells from the menu and wait until the kernel is idle again."""
    page.click('.lm-MenuBar-itemLabel:text-is("Run")')
    page.click('.lm-Menu-item[data-command="runmenu:run-all"]')
    page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="busy"]', timeout=MINUTES)
    page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="idle"]', timeout=3 * MINUTES)
    page.keyboard.press("Control+s")
    page.wait_for_timeout(1500)


def unexecuted(path: Path) -> list[str]:
    """First lines of the code cells that Run All left out."""
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source.split("\n")[0] for cell in cells if cell.cell_type == "code" and not cell.execution_count]


def photograph(page: Page, folder: Path, name: str) -> int:
    """Screenshots of the whole notebook, a viewport at a time; returns how many."""
    outer = page.locator(".jp-WindowedPanel-outer").first
    outer.evaluate("panel => panel.scrollTo(0, 0)")
    for count in range(60):
        page.wait_for_timeout(400)
        page.screenshot(path=folder / f"{name}-{count:02d}.png")
        step = "panel => { const before = panel.scrollTop; panel.scrollBy(0, panel.clientHeight - 80);"
        if outer.evaluate(f"{step} return panel.scrollTop === before; }}"):
            break
    outer.evaluate("panel => panel.scrollTo(0, 0)")
    return count + 1


def validate(page: Page, kind: str, folder: Path) -> list[str]:
    """Press Validate; returns what is wrong with the answer."""
    page.click("jp-button.validate-button")
    dialog = page.wait_for_selector(", ".join(VALIDATED.values()), timeout=3 * MINUTES)
    page.wait_for_timeout(500)
    page.screenshot(path=folder / f"validate-{kind}.png")
    wanted = page.query_selector(VALIDATED[kind])
    text = dialog.inner_text() if dialog else ""
    page.click(".jp-Dialog .jp-mod-accept")
    return [] if wanted else [f"{kind}: Validate said {text[:300]!r}"]


def drive(work: Path, lab: str, folder: Path) -> list[str]:
    """Work through the stub and the solution notebook; returns what went wrong."""
    problems: list[str] = []
    with jupyterlab(work, lab) as (address, token), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport=VIEWPORT)
        page.on("pageerror", lambda error: problems.append(f"the page raised: {error}"))
        for kind in VALIDATED:
            for theme in THEMES:
                open_notebook(page, address, token, f"{lab}/{kind}.ipynb", theme)
                if theme == "light":
                    run_all(page)
                    problems += [
                        f"{kind}: did not run: {source!r}" for source in unexecuted(work / lab / f"{kind}.ipynb")
                    ]
                print(f"{kind} {theme}: {photograph(page, folder, f'{kind}-{theme}')} screenshots", flush=True)
                if page.locator(".Toastify__toast").count():
                    problems.append(f"{kind}: a popup greets the student")
                if theme == "light":
                    problems += validate(page, kind, folder)
        browser.close()
    return problems


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.drive_lab", description=__doc__.split("\n")[0])
    parser.add_argument("lab", nargs="?", default="01")
    parser.add_argument("--screenshots", type=Path, default=lab_text.ROOT / "build" / "screenshots")
    options = parser.parse_args()
    lab = lab_text.find(options.lab)
    solution = lab_text.ROOT / "solutions" / lab / "lab.ipynb"
    if not solution.exists():
        parser.error(f"expected the solved notebook {solution.relative_to(lab_text.ROOT)}: run `make course` first")
    options.screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch) / "work"
        lab_command.prepare(lab_text.ROOT / "course", work)
        shutil.copyfile(solution, work / lab / "solution.ipynb")
        documents.write_solved(lab, work / lab)
        problems = drive(work, lab, options.screenshots)
    print("\n".join(problems) or f"all well; screenshots in {options.screenshots}")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
