"""Folders in the system's temporary directory that no killed process leaves behind for good.

Each is locked by the process that made it (`flock` on the folder, which ends with the process however it ends), so the
next one can tell what is left over from what is in use, whatever container or account the other runs in.
"""

import contextlib
import fcntl
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import current_process
from multiprocessing.util import Finalize
from pathlib import Path

PREFIX = "inside-the-tensor"
NAME = re.compile(PREFIX + r"-[a-z]+-\d+-\w+")
LONGEST_PLACE_OF_SOCKETS = 40  # characters: a socket's path has 104 or 108 at most
SECONDS_TO_LOCK = 60  # a folder younger than that may not be locked yet


def make(kind: str, where: str | None = None) -> Path:
    """Create a folder `inside-the-tensor-<kind>-<process>-...` that stays locked while this process or a fork lives."""
    folder = tempfile.mkdtemp(prefix=f"{PREFIX}-{kind}-{os.getpid()}-", dir=where)
    fcntl.flock(os.open(folder, os.O_RDONLY | os.O_DIRECTORY), fcntl.LOCK_SH)  # never closed: the process holds it
    return Path(folder)


@contextlib.contextmanager
def for_this_run() -> Iterator[Path]:
    """Put all temporary files of this process and its children into one folder, which is deleted at the end."""
    sweep()
    _place_sockets()
    before = tempfile.tempdir, os.environ.get("TMPDIR")
    folder = make("run")
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = before[0]
        os.environ.pop("TMPDIR")
        if before[1] is not None:
            os.environ["TMPDIR"] = before[1]
        remove(folder)


def remove(folder: str | Path) -> None:
    """Delete a folder tree iteratively: shutil.rmtree recurses, and folders may be nested thousands deep."""
    subprocess.run(["rm", "-rf", "--", folder], stderr=subprocess.DEVNULL, check=False)


def _place_sockets() -> None:
    """Let multiprocessing keep its sockets, which outlast a run, in a folder that a later run can tell is left over."""
    settings = current_process()._config  # type: ignore[attr-defined]
    if settings.get("tempdir") is None:
        too_long = len(tempfile.gettempdir()) > LONGEST_PLACE_OF_SOCKETS and os.path.isdir("/tmp")
        settings["tempdir"] = str(make("pool", "/tmp" if too_long else None))
        Finalize(None, remove, (settings["tempdir"],), exitpriority=-100)


def sweep() -> list[str]:
    """Delete this account's temporary folders whose process is gone; return their names."""
    removed = []
    with os.scandir(tempfile.gettempdir()) as entries:
        old = [entry.path for entry in entries if NAME.fullmatch(entry.name) and _may_be_left(entry)]
    for path in old:
        with contextlib.suppress(OSError), _locked_alone(path):
            remove(path)
            removed.append(os.path.basename(path))
    return removed


def _may_be_left(entry: os.DirEntry) -> bool:
    status = entry.stat(follow_symlinks=False)
    is_own = entry.is_dir(follow_symlinks=False) and status.st_uid == os.geteuid()
    return is_own and time.time() - status.st_mtime > SECONDS_TO_LOCK


@contextlib.contextmanager
def _locked_alone(path: str) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
