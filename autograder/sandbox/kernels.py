"""numba's kernels for the sandbox, compiled once and kept: a submission waits for none, and none comes from a student.

The trusted side asks what the probes ask, without any student's code, and finds or compiles each kernel in the
reference's own cache; a folder of ours gets a copy of those. A run of the zygote, again without a student's code,
adds the few that numba looks for under another key in the sandbox's surroundings, and writes down whose code is in
which kernel. Later sandboxes see those read-only in which there is no exercise of their lab (`shared`) and begin with
a copy; of the others a worker gets those without its own exercise (`for_worker`). All labs share the folder, though
files of some are blanked in the image: what runs is the code of the whole files.
"""

import contextlib
import fcntl
import functools
import gc
import importlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from multiprocessing.util import Finalize
from pathlib import Path

import numba
from numba.core.dispatcher import Dispatcher

from autograder.sandbox import isolation
from autograder.sandbox.guest_process import BrokenSandbox, start_zygote
from autograder.sandbox.image import REPOSITORY, has_whole_engine, needed_at_once
from autograder.sandbox.warm_up import CONTENTS, PROGRAMS
from engine.compiled import numba_cache

SECONDS = 900
NAME = "kernels"  # of the folder in numba's cache, inside
NOT_OURS = ("ENGINE_KERNELS",)  # variables that would move the cache


@functools.cache
def kernels_of(image: Path, tier: str) -> Path | None:
    """Return the folder with the compiled kernels for the engine in `image`; None for an image without kernels.

    Raises:
        BrokenSandbox: they can't be compiled.
    """
    if not (image / "engine" / "cpu").is_dir():
        return None
    folder = _folder(image)
    with _locked(folder.with_suffix(".lock")):
        if not folder.is_dir():
            _sweep(folder.parent)
            making = tempfile.mkdtemp(dir=folder.parent, prefix="making-")
            try:
                _seed(Path(making))
                _compile(image, tier, Path(making))
                os.rename(making, folder)
            except BaseException:
                shutil.rmtree(making, ignore_errors=True)
                raise
    return folder


def _sweep(folder: Path) -> None:
    """Remove what compilations that were killed have left; none that runs is this old."""
    for left in folder.glob("making-*"):
        with contextlib.suppress(OSError):  # another process removes it
            if time.time() - left.stat().st_mtime > 2 * SECONDS:
                shutil.rmtree(left, ignore_errors=True)


def are_missing(lab: str) -> bool:
    """Return True if the first submission to this lab would have to wait for the kernels to compile."""
    return has_whole_engine(lab) and not _folder(REPOSITORY).is_dir()


def _folder(image: Path) -> Path:
    return _writable(numba_cache.base() / "sandbox", image.parent) / _key(image)


def _writable(wanted: Path, otherwise: Path) -> Path:
    with contextlib.suppress(OSError):
        wanted.mkdir(parents=True, exist_ok=True)
    return wanted if os.access(wanted, os.W_OK) else otherwise


def _key(image: Path) -> str:
    """Return a key that differs whenever a kernel could: its source, the calls made of it, numba, Python."""
    files = ("autograder/sandbox/warm_up.py", "autograder/sandbox/zygote.py", "engine/compiled/numba_cache.py")
    programs = sorted((image / "autograder" / "labs").glob(PROGRAMS))
    ways = {name: (image / name).read_text(encoding="utf-8") for name in files}
    ways |= {path.parts[-3]: path.read_text(encoding="utf-8") for path in programs}
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
    environment["ENGINE_NATIVE"] = "0"  # as inside
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
    """Compile the kernels by calling the reference's operators as the probes do, and copy them below `folder`."""
    import engine
    from autograder.sandbox import warm_up

    for name in needed_at_once():
        importlib.import_module(name)
    warm_up.run(engine)
    for found in gc.get_objects():
        if issubclass(type(found), Dispatcher) and found.overloads:
            for path in filter(None, (numba_cache.index_of(found), *numba_cache.kernels_of(found))):
                _copy(path, folder / NAME / path.relative_to(numba_cache.directory()))


def shared(folder: Path, exercises: Iterable[str]) -> Path:
    """Return the folder of the kernels that every worker of a lab may have, since they contain no exercise's code."""
    return _shared(folder, frozenset(exercises))


@functools.cache
def _shared(folder: Path, exercises: frozenset[str]) -> Path:
    contents = _contents(folder)
    if exercises.isdisjoint(itertools.chain(*contents.values())):
        return folder
    made = tempfile.mkdtemp(prefix="inside-the-tensor-kernels-")
    Finalize(None, shutil.rmtree, (made,), {"ignore_errors": True}, exitpriority=0)
    kernels = (path for path, names in contents.items() if exercises.isdisjoint(names))
    for path in (*kernels, *_indices(folder)):
        _copy(folder / path, Path(made, path))
    for entry in (Path(made), *Path(made).rglob("*")):
        entry.chmod(0o755 if entry.is_dir() else 0o644)
    return Path(made)


def for_worker(folder: Path, exercises: Iterable[str], exercise: str) -> dict[str, bytes]:
    """Return the kernel files that contain the code of the lab's other exercises, but not of this one."""
    withheld = {path: names for path, names in _contents(folder).items() if not names.isdisjoint(exercises)}
    given = [path for path, names in withheld.items() if exercise not in names]
    return {path: _bytes(folder / path) for path in (*given, *(_indices(folder) if withheld else ()))}


# A complete folder never changes, so each process reads it once for all submissions.


@functools.cache
def _bytes(path: Path) -> bytes:
    return path.read_bytes()


@functools.cache
def _contents(folder: Path) -> dict[str, frozenset[str]]:
    """Return the functions whose code is in each kernel, by file below the folder; what is not named nobody has."""
    contents = json.loads((folder / CONTENTS).read_text(encoding="utf-8"))
    return {path: frozenset(names) for path, names in contents.items()}


@functools.cache
def _indices(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.nbi"))]


def _copy(path: Path, target: Path) -> None:
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
