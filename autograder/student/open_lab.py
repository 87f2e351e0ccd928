"""Open a lab in JupyterLab: `python -m autograder.student.open_lab [01] [--no-browser] [--port 8888]`.

    work/01-strides/lab.ipynb    the student's own copy of course/01-strides/lab.ipynb, never overwritten
    work/01-strides/cases.json   the recorded cases of today's checks, and lab.json: always as released
    work/02-dispatch/TRACE.md    a document that the student writes, in the labs that have one, never overwritten
    work/my_engine/              the parts that passed, from all labs

A release that is newer than the one a copy was made from is put beside it as `lab.new.ipynb`.
"""

import argparse
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from autograder.author import lab_text

NOTEBOOK = "lab.ipynb"
OFFERED = "lab.new.ipynb"
STAMP = ".release"
LABCONFIG = {
    # Nobody is asked for news, and a long line of a docstring is not cut off at the edge of the cell.
    "default_setting_overrides": {
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
        "@jupyterlab/notebook-extension:tracker": {"codeCellConfig": {"lineWrap": True}},
    },
    # Of nbgrader a student needs Validate; the rest is the instructor's.
    "page_config": {
        "disabledExtensions": {
            f"@jupyter/nbgrader:{plugin}": True
            for plugin in ("assignment-list", "course-list", "create-assignment", "formgrader", "menu")
        }
    },
}


def prepare(course: Path, work: Path) -> list[str]:
    """Copy the released labs of `course` to `work`; return what to report, one line each.

    Raises:
        FileNotFoundError: there is no released lab in `course`.
    """
    released = sorted(path.parent for path in course.glob(f"*/{NOTEBOOK}"))
    if not released:
        raise FileNotFoundError(f"no released lab in {course}: run `make course` first")
    (work / "my_engine").mkdir(parents=True, exist_ok=True)
    return [line for release in released for line in _copy(release, work / release.name)]


def _copy(release: Path, own: Path) -> Iterable[str]:
    own.mkdir(exist_ok=True)
    for path in release.iterdir():
        is_written = path.name.endswith(".md") and (own / path.name).exists()
        if path.is_file() and path.name != NOTEBOOK and not is_written:
            shutil.copyfile(path, own / path.name)
    digest = hashlib.sha256((release / NOTEBOOK).read_bytes()).hexdigest()
    stamp = own / STAMP
    if not (own / NOTEBOOK).exists():
        shutil.copyfile(release / NOTEBOOK, own / NOTEBOOK)
        yield f"{own.name}: your copy is {own / NOTEBOOK}"
    elif not stamp.is_file() or stamp.read_text().strip() != digest:
        shutil.copyfile(release / NOTEBOOK, own / OFFERED)
        yield f"{own.name}: a newer release lies beside your copy as {own / OFFERED}; your copy is as you left it"
    stamp.write_text(digest + "\n")


def jupyter_arguments(work: Path, lab: str, no_browser: bool = False, port: int | None = None) -> list[str]:
    """Return the command line of `jupyter lab` that opens `lab` in the folder `work`."""
    arguments = [
        f"--ServerApp.root_dir={work}",
        f"--LabApp.default_url=/lab/tree/{lab}/{NOTEBOOK}",
        "--LabApp.extension_manager=readonly",
    ]
    if no_browser:
        arguments.append("--no-browser")
    if port is not None:
        arguments.append(f"--port={port}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--allow-root")
    return arguments


def write_settings(work: Path) -> Path:
    """Write JupyterLab's default settings for students; return the folder, to be put into JUPYTER_CONFIG_PATH."""
    folder = work / ".jupyter"
    (folder / "labconfig").mkdir(parents=True, exist_ok=True)
    for name, settings in LABCONFIG.items():
        (folder / "labconfig" / f"{name}.json").write_text(json.dumps(settings, indent=1) + "\n")
    return folder


def main(arguments: list[str] | None = None) -> int:
    """Run the command; pass arguments that it does not know to JupyterLab."""
    parser = argparse.ArgumentParser(prog="make lab", description="Open a lab in JupyterLab.")
    parser.add_argument("lab", nargs="?", default="01", help="01-strides, or 01 (default)")
    parser.add_argument("--no-browser", action="store_true", help="print the address instead of opening it")
    parser.add_argument("--port", type=int)
    parser.add_argument("--copy-only", action="store_true", help="fill work/ and stop")
    options, rest = parser.parse_known_args(arguments)
    course, work = lab_text.ROOT / "course", lab_text.ROOT / "work"
    try:
        told = prepare(course, work)
        lab = lab_text.find(options.lab, tuple(sorted(path.parent.name for path in course.glob(f"*/{NOTEBOOK}"))))
    except (FileNotFoundError, lab_text.LabError) as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(told), flush=True)
    if options.copy_only:
        return 0
    config_path = [str(write_settings(work)), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, config_path))
    from jupyterlab.labapp import LabApp

    LabApp.launch_instance([*jupyter_arguments(work, lab, options.no_browser, options.port), *rest])
    return 0


if __name__ == "__main__":
    sys.exit(main())
