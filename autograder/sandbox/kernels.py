"""numba's kernels for the sandbox, compiled once and kept: a submission waits for none, and none comes from a student.

A run of the zygote with no student's code in it fills a folder of ours, in the sandbox's own surroundings because
numba keeps a kernel under its file's path. Later sandboxes see the folder read-only and begin with a copy. All labs
share it, though files of some are blanked in the image: what runs is the code of the whole files.
"""

import contextlib
import fcntl
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numba

from autograder.sandbox import isolation
from autograder.sandbox.guest import BrokenSandbox, start_zygote
from engine import numba_cache

SECONDS = 900


@functools.cache
def kernels_of(image: Path, isolated: bool) -> Path | None:
    """The folder with the kernels that the engine in `image` needs; None for an image without kernels.

    Raises:
        BrokenSandbox: they can't be compiled.
    """
    if not (image / "engine" / "cpu").is_dir():
        return None
    base = _writable(numba_cache.base() / "sandbox", image.parent)
    folder = base / _key(image, isolated)
    with _locked(folder.with_suffix(".lock")):
        if not folder.is_dir():
            making = tempfile.mkdtemp(dir=base, prefix="making-")
            try:
                _compile(image, isolated, Path(making))
                os.rename(making, folder)
            except BaseException:
                shutil.rmtree(making, ignore_errors=True)
                raise
    return folder


def _writable(wanted: Path, otherwise: Path) -> Path:
    with contextlib.suppress(OSError):
        wanted.mkdir(parents=True, exist_ok=True)
    return wanted if os.access(wanted, os.W_OK) else otherwise


def _key(image: Path, isolated: bool) -> str:
    """Differs whenever a kernel could: its source, what is asked of it and how, numba, Python, where it is kept."""
    files = ("autograder/probes/warm_up.py", "autograder/sandbox/zygote.py", "engine/numba_cache.py")
    ways = {name: (image / name).read_text(encoding="utf-8") for name in files}
    version = f"{numba.__version__} {sys.version} {isolation.IMAGE if isolated else image}"
    return f"kernels-{numba_cache.digest(numba_cache.jitted_sources() | ways, version)}"


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _compile(image: Path, isolated: bool, folder: Path) -> None:
    folder.chmod(0o777)  # the process inside is another user
    limits = isolation.Limits()
    with tempfile.TemporaryDirectory() as outside, tempfile.TemporaryFile() as errors:
        scratch = isolation.SCRATCH if isolated else outside
        no_orders = os.open(os.devnull, os.O_RDONLY)
        try:
            process = start_zygote(
                image, limits, isolated, no_orders, errors.fileno(), scratch, kernels=folder, kernels_only=True
            )
        finally:
            os.close(no_orders)
        try:
            failed = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise BrokenSandbox(f"the kernels are not compiled after {SECONDS} s") from None
        if failed:
            errors.seek(0)
            raise BrokenSandbox(f"the kernels can't be compiled: {errors.read().decode(errors='replace')[-1000:]}")
    for entry in (folder, *folder.rglob("*")):
        entry.chmod(0o755 if entry.is_dir() else 0o644)
