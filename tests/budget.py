"""Lines of Python of each wing, what it may have, and what has come since a commit.

python -m tests.budget              the files that git tracks, as they are now
python -m tests.budget --since REV  the change since a commit (default: the last one)
"""

import argparse
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from autograder.labs import CHECKS
from engine import layers

ROOT = Path(__file__).resolve().parents[1]
LABS, TRANSFORMS = "autograder/labs", "engine/transforms"
LINES_AN_EXERCISE = 250


class Wing(NamedTuple):
    """A part of the tree with its budget, in lines.

    `ceiling` is what it may have until it is within its budget. It goes down; a new layer has a budget of its own.
    """

    name: str
    budget: int
    ceiling: int


WINGS = (
    Wing("engine", 66_000, 71_600),  # without the transforms
    Wing(TRANSFORMS, 3_190, 8_650),
    Wing("autograder", 24_000, 28_500),  # without the labs
    Wing(LABS, LINES_AN_EXERCISE * len(CHECKS), 43_800),
    Wing("tests", 44_000, 63_950),
)
WHOLE = Wing("all Python", 168_190, 218_900)
CORE_PATH = Wing("core path", 9_900, 9_931)


def wing_of(path: str) -> str:
    """Return the name of the wing that a file is in, or "" for the few beside them.

    >>> wing_of("autograder/labs/cpu/sums/check.py"), wing_of("autograder/submit.py"), wing_of("bench/gpu.py")
    ('autograder/labs', 'autograder', '')
    """
    nested = (folder for folder in (LABS, TRANSFORMS) if path.startswith(f"{folder}/"))
    folder = next(nested, path.partition("/")[0])
    return folder if folder in {wing.name for wing in WINGS} else ""


def lines(revision: str | None = None) -> Counter[str]:
    """Count lines by wing, in a commit or in git's files as they are now; also of the whole and of the core path.

    Raises:
        subprocess.CalledProcessError: there is no such commit.
    """
    # The pattern that every line has; a file without lines is not listed.
    command = ["git", "grep", "--count", "-I", "", *([revision] if revision else []), "--", "*.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    core = {f"engine/{module.replace('.', '/')}.py" for modules in layers.CORE_PATH.values() for module in modules}
    found: Counter[str] = Counter()
    for row in done.stdout.splitlines():
        path, _, count = row.removeprefix(f"{revision}:" if revision else "").rpartition(":")
        for name in {wing_of(path), WHOLE.name, CORE_PATH.name if path in core else ""} - {""}:
            found[name] += int(count)
    return found


def table(now: Counter[str], before: Counter[str]) -> str:
    """Return the wings as text, with a word where one is over its budget."""
    rows = [f"{'lines of Python':18} {'now':>8} {'change':>7} {'budget':>8}"]
    for name, budget, _ in (*WINGS, WHOLE, CORE_PATH):
        over = f"  over by {now[name] - budget:,}" if now[name] > budget else ""
        rows.append(f"{name:18} {now[name]:8,} {now[name] - before[name]:+7,} {budget:8,}{over}")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--since", default="HEAD", metavar="REV", help="a commit")
    print(table(lines(), lines(parser.parse_args().since)))


if __name__ == "__main__":
    main()
