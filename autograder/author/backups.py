"""Copies of what a person made, kept before anything is written over it: `autograder/backups/<time>/<path>`.

The weave writes over `course/` and the instructor's notebooks, and a change of a lab rewrites rows of the gradebook.
`autograder/woven.json` holds the digest of every file that the weave has written, so a file with another digest is one
that a person, or a pull, changed.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

from autograder.files import write_whole

FOLDER = "autograder/backups"
WOVEN = "autograder/woven.json"


def put(fresh: Path, root: Path, folders: tuple[str, ...]) -> None:
    """Move the files below `fresh` to the same relative paths below `root`; delete those that are no longer made.

    Each file changes at one instant. A file that a person changed is copied first; one that a person added stays.

    Args:
        folders: the folders that were made anew, relative to `root`.
    """
    known = _woven(root)
    made = {str(path.relative_to(fresh)): path for path in sorted(fresh.rglob("*")) if path.is_file()}
    digests = {name: _digest(path) or "" for name, path in made.items()}
    for name, path in made.items():
        target = root / name
        before = _digest(target)
        if before == digests[name]:
            continue
        if before not in (None, known.get(name)):
            kept = keep(root, name).relative_to(root)
            print(f"{name} is not as it was last woven here: kept a copy in {kept}", file=sys.stderr)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, target)
    dropped = {name for name in known.keys() - made.keys() if str(Path(name).parent) in folders}
    for name in dropped:
        if _digest(root / name) == known[name]:
            (root / name).unlink()
    now = {name: digest for name, digest in (known | digests).items() if name not in dropped}
    if now != known:
        _write(root, now)


def keep(root: Path, name: str) -> Path:
    """Copy the file `root/name` to a new backup folder named after the current time; return the copy's path."""
    copy = place(root, name)
    shutil.copy2(root / name, copy)
    return copy


def keep_database(root: Path, path: Path) -> Path:
    """Copy a consistent snapshot of an SQLite database, even while other processes use it; return the copy's path."""
    copy = place(root, path.name)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


def place(root: Path, name: str) -> Path:
    """Return an unused path for a backup, in a folder named after the current time; create the folder."""
    moment = time.strftime("%Y-%m-%dT%H-%M-%S")
    tries = (root / FOLDER / f"{moment}{again}" / name for again in ("", *(f"-{n}" for n in range(2, 1000))))
    copy = next(path for path in tries if not path.exists())
    copy.parent.mkdir(parents=True, exist_ok=True)
    return copy


def _woven(root: Path) -> dict[str, str]:
    try:
        return json.loads((root / WOVEN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # every file that differs counts as changed by a person


def _write(root: Path, digests: dict[str, str]) -> None:
    path = root / WOVEN
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(digests, indent=1, sort_keys=True) + "\n")


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
