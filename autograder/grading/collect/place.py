"""Put attempts where they are graded. What stood there before, and what fits nobody, is kept; nothing is removed.

autograder/submitted/<student>/<lab>/                   the newest attempt, and timestamp.txt
autograder/collected/attempts/<student>/<lab>/<n>/      earlier ones, 1 the first that was put aside
autograder/collected/unmatched/<archive>/               files that fit nobody
"""

import datetime as dt
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from autograder.author.course_config import STEPS
from autograder.grading.collect.attempts import Attempt, Left

COLLECTED = "autograder/collected"
TIMESTAMP = "timestamp.txt"


class Occupied(Exception):
    """The path of a submission is taken by something that is not a folder."""


def place(root: Path, attempts: list[Attempt], submitted: dt.datetime | None) -> str:
    """Move one student's attempts at one lab into place, the newest to be graded; return a summary of what was done.

    Raises:
        Occupied: a file or link is in the way.
    """
    *older, newest = sorted(attempts, key=lambda attempt: attempt.order)
    target = root / STEPS["submitted_directory"] / newest.student / newest.lab
    aside = root / COLLECTED / "attempts" / newest.student / newest.lab
    for folder in (target.parent, target):
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise Occupied(f"{folder} is a file or a link: move it away, then the same command again")
    if _same(target, newest.files):
        said = ["as before"]
    elif any(_same(kept, newest.files) for kept in _kept(aside)):
        said = ["an earlier attempt, collected before: the newer one stays"]
    else:
        said = ["new"]
        staged = _staged(target, newest.files)
        if target.exists():
            said = [f"new; the earlier one is kept in {_put_aside(target, aside).relative_to(root)}"]
        staged.rename(target)
    for attempt in older:
        if not any(_same(kept, attempt.files) for kept in (target, *_kept(aside))):
            staged = _staged(target, attempt.files)
            said.append(f"older attempt {attempt.source} kept in {_put_aside(staged, aside).relative_to(root)}")
    if submitted is not None and _same(target, newest.files):
        said += _stamp(target / TIMESTAMP, submitted)
    return "; ".join(said)


def _same(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Return True if the folder holds these files; an additional timestamp does not count."""
    try:
        names = {entry.name for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)} - {TIMESTAMP}
        return names == set(files) and all((folder / name).read_bytes() == data for name, data in files.items())
    except OSError:
        return False


def _kept(aside: Path) -> list[Path]:
    return list(aside.iterdir()) if aside.is_dir() else []


def _staged(target: Path, files: Mapping[str, bytes]) -> Path:
    """Write the files to a new folder beside `target`, whose name begins with a dot, so that nobody grades it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=".collect-", dir=target.parent))
    folder.chmod(0o755)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def _put_aside(folder: Path, aside: Path) -> Path:
    aside.mkdir(parents=True, exist_ok=True)
    number = max((int(path.name) for path in aside.iterdir() if path.name.isdigit()), default=0) + 1
    return folder.rename(aside / str(number))


def _stamp(path: Path, submitted: dt.datetime) -> list[str]:
    text = f"{submitted:%Y-%m-%d %H:%M:%S} UTC"
    if path.is_file():
        there = path.read_text(encoding="utf-8", errors="replace").strip()
        return [] if there == text else [f"{TIMESTAMP} says {there[:40]!r}, the roster {text}: left as it is"]
    path.write_text(text + "\n", encoding="utf-8")
    return [f"handed in {text}"]


class Unmatched:
    """Files that match no student; each is written unchanged, under a sanitized name, to a folder for the archive."""

    def __init__(self, root: Path, archive: str):
        self.folder = root / COLLECTED / "unmatched" / _harmless(archive)
        self.shown = self.folder.relative_to(root)
        self.files: list[Left] = []  # without their bytes
        shutil.rmtree(self.folder, ignore_errors=True)  # the same archive's, from the last time

    def keep(self, file: Left) -> None:
        """Write the file, if its bytes could be read."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.files.append(file._replace(data=None))
        if file.data is not None:
            (self.folder / f"{len(self.files):03} {_harmless(file.path)}").write_bytes(file.data)


def _harmless(name: str) -> str:
    """Return a file's name of letters, digits and a few signs, that no system reads as a path."""
    return re.sub(r"[^\w. @()-]", "_", name.replace("/", " - ")).strip(". ")[-60:] or "_"
