"""docs/performance.md: tables between marks are written by `make bench` and `make programs`, the rest by hand."""

import datetime
import os
import platform
import re
import subprocess
from pathlib import Path

from autograder.files import write_whole

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "performance.md"
TABLES, PROGRAMS = (re.compile(rf"(?s)(<!-- {by}: .*? -->\n).*?(?=<!-- /{by} -->)") for by in ("bench", "programs"))


def has_place(page: Path = PAGE, place: re.Pattern[str] = TABLES) -> bool:
    """Return whether the page exists and has the marks between which the tables go."""
    return page.is_file() and place.search(page.read_text(encoding="utf-8")) is not None


def write(tables: str, page: Path = PAGE, place: re.Pattern[str] = TABLES) -> None:
    """Replace the tables of the page."""
    write_whole(page, place.sub(lambda found: found[1] + tables, page.read_text(encoding="utf-8")))


def provenance() -> str:
    """The day, the commit and the processor of a measurement."""
    commit, changes = _git("rev-parse", "--short", "HEAD"), _git("status", "--porcelain")
    on = f"commit {commit or 'unknown'}{' with changes' if changes else ''}"
    return f"Measured on {datetime.date.today()}, {on}, {processor()}"


def _git(*arguments: str) -> str:
    try:
        run = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return run.stdout.strip()


def processor() -> str:
    """The processor's name and number of cores."""
    try:
        named = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        named = None
    return f"{named[1] if named else platform.processor() or platform.machine()}, {os.cpu_count()} cores"
