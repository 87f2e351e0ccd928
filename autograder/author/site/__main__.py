"""The command: `python -m autograder.author.site [--student] [--out DIR]`.

Writes the sources to `build/site/src`, and the site to `build/site/html`, or `build/site/student`. Open `index.html`
there in a browser: it needs no server and no network.
"""

import argparse
import shutil
import sys
import time
from pathlib import Path

from autograder.progress_bar import ProgressBar, begin

if __name__ == "__main__":
    begin("loading the labs and their checks", interrupted="`make site` again builds what is missing")

from autograder.author import lab_text
from autograder.author.site import built_pages, downloads, source

BUILD = lab_text.ROOT / "build" / "site"
SETTINGS = Path(__file__).parent
STEPS_BESIDE_LABS = 2  # of source.write


def build(out: Path, student: bool, work: Path = BUILD) -> int:
    """Write the sources below `work`, run Sphinx and check the pages; return the exit status."""
    from sphinx.cmd.build import build_main

    edition = "student" if student else "html"
    made = work / edition
    shutil.rmtree(made, ignore_errors=True)  # a page that exists no longer must not stay
    sources = work / ("src-student" if student else "src")
    with ProgressBar("write", len(lab_text.LABS) + STEPS_BESIDE_LABS) as bar:
        for step in source.write(sources, student):
            bar.step(step)
    strict = ["-W", "--keep-going", "--quiet", "--fresh-env", "--jobs", "2"]
    places = ["--conf-dir", str(SETTINGS), "--doctree-dir", str(work / f"doctrees-{edition}"), str(sources), str(made)]
    if status := build_main([*strict, *places]):
        return status
    downloads.write(made)
    faults = built_pages.faults(made)
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults and out != made:
        shutil.copytree(made, out, dirs_exist_ok=True)
    return int(bool(faults))


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 1 if Sphinx warns, a solution fails, or a link is broken."""
    parser = argparse.ArgumentParser(prog="python -m autograder.author.site", description=__doc__.split("\n")[0])
    parser.add_argument("--student", action="store_true", help="without solutions and instructor's pages")
    parser.add_argument("--out", type=Path, help="where to build; default: build/site/html or build/site/student")
    options = parser.parse_args(arguments)
    out = options.out or BUILD / ("student" if options.student else "html")
    begun = time.monotonic()
    try:
        status = build(out, options.student)
    except (lab_text.LabError, source.CheckFailed) as error:
        print(error, file=sys.stderr)
        return 1
    if not status:
        print(f"{out / 'index.html'}: {built_pages.summary(out)}, in {time.monotonic() - begun:.0f} s")
    return status


if __name__ == "__main__":
    sys.exit(main())
