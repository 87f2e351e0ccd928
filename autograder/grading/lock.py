"""One run at a time in a course's folder, and one writer at a time to its gradebook, from whichever folder."""

import contextlib
import fcntl
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from autograder.author.course_config import gradebook_url
from autograder.grading import database

RUN = "autograder/grading.lock"
GRADEBOOK = "autograder/gradebook.lock"  # of a server's database; a file's lock is beside the file


class InUse(RuntimeError):
    """Another run is using this course; the message says which one, and what to do."""


@contextlib.contextmanager
def only_run(root: Path, doing: str) -> Iterator[None]:
    """Hold the course's lock in this process; the kernel releases it when the process ends, however it ends.

    Args:
        doing: the command, for whoever is told that it runs.
    Raises:
        InUse: somebody else holds it.
    """
    with _opened(root / RUN) as descriptor:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 500, 0).decode("utf-8", "replace").strip() or "another process"
            raise InUse(
                f"This course is in use by {holder}. Wait until that has ended, or stop it; then give the same "
                "command again."
            ) from None
        os.ftruncate(descriptor, 0)
        since = time.strftime("%Y-%m-%d %H:%M:%S")
        os.write(descriptor, f"{doing} (process {os.getpid()} on {socket.gethostname()}, since {since})".encode())
        try:
            yield
        finally:
            os.ftruncate(descriptor, 0)


@contextlib.contextmanager
def only_writer(root: Path) -> Iterator[None]:
    """Wait for exclusive write access to the gradebook, and hold it until the context ends.

    A file is locked on this machine; a server's database on all machines that use it.
    """
    url = gradebook_url(root)
    file = database.file_of(url)
    with _opened(file.with_suffix(".lock") if file else root / GRADEBOOK) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with database.exclusive(url):
            yield


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
