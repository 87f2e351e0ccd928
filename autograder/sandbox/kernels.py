"""numba's kernels for the sandbox, compiled once and kept: a submission waits for none, and none comes from a student.

The trusted side asks what the probes ask, without any student's code, and finds or compiles each kernel in the
reference's own cache; a folder of ours gets a copy of those. A run of the zygote, again without a student's code,
adds the few that numba looks for under another key in the sandbox's surroundings. Later sandboxes see the folder
read-only and begin with a copy. All labs share it, though files of some are blanked in the image: what runs is the
code of the whole files.
"""

import contextlib
import fcntl
import functools
import gc
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numba
from numba.core.dispatcher import Dispatcher

from autograder.sandbox import isolation
from autograder.sandbox.guest import BrokenSandbox, start_zygote
from autograder.sandbox.image import FIRST_WITH_OPERATORS, REPOSITORY, needed_at_once
from engine import numba_cache

SECONDS = 900
NAME = "kernels"  # of the folder in numba's cache, inside
NOT_OURS = ("ENGINE_PARTS", "ENGINE_KERNELS")  # variables that would bring in a student's code, or move the cache


@functools.cache
def kernels_of(image: Path, tier: str) -> Path | None:
    """The folder with the kernels that the engine in `image` needs; None for an image without kernels.

    Raises:
        BrokenSandbox: they can't be compiled.
    """
    if not (image / "engine" / "cpu").is_dir():
        return None
    folder = _folder(image)
    with _locked(folder.with_suffix(".lock")):
        if not folder.is_dir():
            making = tempfile.mkdtemp(dir=folder.parent, prefix="making-")
            try:
                _seed(Path(making))
                _compile(image, tier, Path(making))
                os.rename(making, folder)
            except BaseException:
                shutil.rmtree(making, ignore_errors=True)
                raise
    return folder


def are_missing(lab: int) -> bool:
    """True if the first submission to this lab will wait until the kernels are compiled."""
    return lab >= FIRST_WITH_OPERATORS and not _folder(REPOSITORY).is_dir()


def _folder(image: Path) -> Path:
    return _writable(numba_cache.base() / "sandbox", image.parent) / _key(image)


def _writable(wanted: Path, otherwise: Path) -> Path:
    with contextlib.suppress(OSError):
        wanted.mkdir(parents=True, exist_ok=True)
    return wanted if os.access(wanted, os.W_OK) else otherwise


def _key(image: Path) -> str:
    """Differs whenever a kernel could: its source, what is asked of it and how, numba, Python."""
    files = ("autograder/probes/warm_up.py", "autograder/sandbox/zygote.py", "engine/numba_cache.py")
    ways = {name: (image / name).read_text(encoding="utf-8") for name in files}
    ways |= {"kernels": Path(__file__).read_text(encoding="utf-8")}
    return f"kernels-{numba_cache.digest(numba_cache.jitted_sources() | ways, f'{numba.__version__} {sys.version}')}"


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _seed(folder: Path) -> None:
    """Copy the reference's kernels, in a process of their own: this one may have asked for others, or have parts."""
    program = f"from pathlib import Path; from {__name__} import fill; fill(Path({str(folder)!r}))"
    environment = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    try:
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=REPOSITORY, env=environment, capture_output=True, text=True,
            timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise BrokenSandbox(f"the kernels are not compiled after {SECONDS} s") from None
    if done.returncode:
        raise BrokenSandbox(f"the kernels can't be compiled: {done.stderr[-1000:]}")
    for entry in (folder, *folder.rglob("*")):
        entry.chmod(0o777 if entry.is_dir() else 0o666)  # the process inside is another user


def fill(folder: Path) -> None:
    """Ask what the probes ask, of the reference, and copy the kernels that answered below `folder`."""
    import engine
    from autograder.probes import warm_up
    from engine import layers

    for name in needed_at_once(max(layer.lab for layer in layers.LAYERS)):
        importlib.import_module(name)
    warm_up.run(engine)
    for found in gc.get_objects():
        if issubclass(type(found), Dispatcher) and found.overloads:
            for path in numba_cache.files_of(found):
                target = folder / NAME / path.relative_to(numba_cache.directory())
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


def _compile(image: Path, tier: str, folder: Path) -> None:
    limits = isolation.Limits()
    with tempfile.TemporaryDirectory() as outside, tempfile.TemporaryFile() as errors:
        scratch = isolation.SCRATCH if tier == "bwrap" else outside
        no_orders = os.open(os.devnull, os.O_RDONLY)
        try:
            process = start_zygote(
                image, limits, tier, no_orders, errors.fileno(), scratch, kernels=folder, kernels_only=True
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
