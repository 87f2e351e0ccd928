"""`make formgrader LAB=01`: formgrader's list of the submissions to one lab, to be graded by hand, in the browser."""

import argparse
import os
import sys
from pathlib import Path

from autograder.author import lab_text
from autograder.author.lab_text import LabError
from autograder.grading import gradebook, lateness
from autograder.grading.feedback import graded_root
from autograder.grading.lock import only_writer


def arguments_of(root: Path, lab: str, no_browser: bool = False, port: int | None = None) -> list[str]:
    """Return the command line that makes `jupyter lab` open formgrader on the submissions to `lab`."""
    out = [
        f"--ServerApp.root_dir={root}",
        f"--LabApp.default_url=/formgrader/gradebook/{lab}/{lab_text.NOTEBOOK}",
        "--LabApp.extension_manager=readonly",
        "--FormgradeExtension.debug=False",
        # nbgrader's first page would set the cookie for its own folder alone, and its tables would then stay empty.
        "--IdentityProvider.cookie_options={'path': '/'}",
    ]
    out += ["--no-browser"] * no_browser + ([f"--port={port}"] if port is not None else [])
    return out + ["--allow-root"] * (hasattr(os, "geteuid") and os.geteuid() == 0)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; pass unknown arguments on to JupyterLab."""
    parser = argparse.ArgumentParser(prog="python -m autograder.grading.formgrader", description="Grade by hand.")
    parser.add_argument("lab", nargs="?", default="01", help="01-strides, or 01 (default)")
    parser.add_argument("--no-browser", action="store_true", help="print the address instead of opening it")
    parser.add_argument("--port", type=int)
    parser.add_argument("--root", type=Path, default=lab_text.ROOT, help=argparse.SUPPRESS)
    options, rest = parser.parse_known_args(arguments)
    root = graded_root(options.root.resolve())
    try:
        lab = lab_text.find(options.lab, lab_text.lab_ids(root))
        course = gradebook.prepare(root)
        with only_writer(root):
            lateness.refresh_all(course)
    except (LabError, gradebook.GradebookError) as error:
        print(error, file=sys.stderr)
        return 1
    if not any((root / "autograder" / "autograded").glob(f"*/{lab}/*.ipynb")):
        print(
            f"Nobody's {lab} is graded yet: `make grade` first, then grade the written answers here.", file=sys.stderr
        )
        return 1
    os.chdir(root)  # nbgrader reads nbgrader_config.py in the folder that it is started in
    print(
        f"Formgrader shows the submissions to {lab}. When you are done: Ctrl-C here, then `make feedback`.", flush=True
    )
    from jupyterlab.labapp import LabApp

    LabApp.launch_instance([*arguments_of(root, lab, options.no_browser, options.port), *rest])
    return 0


if __name__ == "__main__":
    sys.exit(main())
