"""Plant each fault of the table and see that a test finds it: `python -m tests.planted [--only NAME ...]`.

Works in a copy of the tree in a temporary folder, with an interpreter of its own whose `engine` and `autograder` are
the copy's, and with its own cache of compiled kernels. A fault counts as found if one of its tests fails and passes
again without it.
"""

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from autograder.progress_bar import begin
from engine.compiled import numba_cache
from tests.planted.table import FAULTS, ROOT, Fault

WHOLE_TIER = ("tests",)
FAST = ("-m", "not slow")
LIMIT = 1200  # seconds for one run of tests


def changed_files() -> list[str]:
    """Return the files that differ from the commit that is checked out, new ones included."""
    commands = (("diff", "--name-only", "-z", "HEAD"), ("ls-files", "-z", "--others", "--exclude-standard"))
    return [path for command in commands for path in git(*command).split("\0") if path]


def git(*arguments: str) -> str:
    """Run git in the repository; returns what it prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


class Copy:
    """A copy of the tree as it is now, `folder/tree`, and an interpreter that imports it."""

    def __init__(self, folder: Path, changed: Iterable[str], kernels: Path):
        self.tree, self.bin = folder / "tree", folder / "venv" / "bin"
        git("clone", "--quiet", "--shared", str(ROOT), str(self.tree))
        for path in changed:
            (self.tree / path).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / path).unlink(missing_ok=True)
            if (ROOT / path).is_file():
                shutil.copy2(ROOT / path, self.tree / path, follow_symlinks=False)
        venv.create(folder / "venv", symlinks=True)
        # The packages of this environment without its own .pth files, one of which leads to the tree that is copied.
        (site,) = (folder / "venv").glob("lib/python*/site-packages")
        (site / "planted.pth").write_text(f"{self.tree}\n{sysconfig.get_path('purelib')}\n")
        self.environment = os.environ | {
            "PATH": os.pathsep.join([str(self.bin), str(Path(sys.executable).parent), os.environ["PATH"]]),
            "NUMBA_CACHE_DIR": str(kernels),
        }
        self.environment.pop("PYTHONPATH", None)
        imported = self.python("-c", "import engine, autograder; print(engine.__file__, autograder.__file__)").stdout
        assert imported.count(f"{self.tree}/") == 2, f"the tests would import another tree: {imported}"

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run this copy's interpreter in it."""
        command = [str(self.bin / "python"), *arguments]
        return subprocess.run(
            command, cwd=self.tree, env=self.environment, capture_output=True, text=True, timeout=LIMIT, check=False
        )

    def first_failure(self, *arguments: str) -> str | None:
        """Return the first test that fails, or why none could run; None if all pass."""
        self.python("-m", "compileall", "-q", "engine")  # as `make test` does, for numba's keys
        try:
            done = self.python("-m", "pytest", "-x", "-p", "no:cacheprovider", "--tb=no", "-rfE", *arguments)
        except subprocess.TimeoutExpired:
            return f"one that took more than {LIMIT} s"
        if done.returncode == 0:
            return None
        for line in done.stdout.splitlines():
            if line.startswith(("FAILED ", "ERROR ")):
                return line.partition(" ")[2].partition(" - ")[0]
        return f"no test; pytest said {done.stdout[-1500:]}{done.stderr[-1500:]}"


@contextlib.contextmanager
def planted(fault: Fault, tree: Path) -> Iterator[None]:
    """Have the fault in a tree until the context ends.

    Raises:
        ValueError: its text is not in the file, or more than once.
    """
    path = tree / fault.file
    text, stat = path.read_text(encoding="utf-8"), path.stat()
    if text.count(fault.before) != 1:
        raise ValueError(f"its text is {text.count(fault.before)} times in {fault.file}, and must be once")
    path.write_text(text.replace(fault.before, fault.after), encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # so that no bytecode of the fault passes for it


def look_for(fault: Fault, copy: Copy, everywhere: bool) -> tuple[bool, str]:
    """Run the tests of a fault on a copy that has it; returns whether one found it, and what to print.

    A test that fails without the fault, too, finds nothing and is passed over.
    """
    tests = WHOLE_TIER if everywhere else fault.tests
    arguments, began = [*tests, *(() if fault.slow else FAST)], time.monotonic()
    while True:
        try:
            with planted(fault, copy.tree):
                found = copy.first_failure(*arguments)
        except ValueError as error:
            return False, f"does not apply: {error}"
        seconds = f"in {time.monotonic() - began:.0f} s"
        if found is None:
            return False, f"NOT FOUND {seconds} by {' '.join(tests)}"
        if "::" not in found:
            return False, f"NOT FOUND {seconds}: {found}"
        if copy.first_failure(found) is None:
            return True, f"found {seconds} by {found}"
        arguments.append(f"--deselect={found}")


def chosen(names: Sequence[str]) -> list[Fault]:
    """Return the faults whose names contain one of the texts; all for none.

    Raises:
        SystemExit: a text is in no name.
    """
    if missing := [name for name in names if not any(name in fault.name for fault in FAULTS)]:
        raise SystemExit(f"no fault has {missing[0]!r} in its name; the names are in tests/planted/table.py")
    return [fault for fault in FAULTS if not names or any(name in fault.name for name in names)]


def find_all(faults: Sequence[Fault], jobs: int, everywhere: bool) -> list[bool]:
    """Plant the faults in `jobs` copies and print a line for each; returns whether each was found."""
    free = SimpleQueue[Copy]()

    def find(fault: Fault) -> bool:
        copy = free.get()
        try:
            is_found, line = look_for(fault, copy, everywhere)
        finally:
            free.put(copy)
        print(f"{fault.name}: {line}", flush=True)
        return is_found

    with tempfile.TemporaryDirectory(prefix="planted-") as folder, ThreadPoolExecutor(jobs) as pool:
        kernels, changed = Path(folder) / "numba", changed_files()
        shutil.copytree(numba_cache.directory(), kernels / numba_cache.directory().name)
        for number in range(jobs):
            free.put(Copy(Path(folder) / str(number), changed, kernels))
        try:
            return list(pool.map(find, faults))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: 1 if a fault was not found, or could not be planted."""
    parser = argparse.ArgumentParser(prog="python -m tests.planted", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", metavar="NAME", action="append", default=[], help="part of a fault's name")
    parser.add_argument("--all", action="store_true", help="run every test of the tier on each fault, not its own")
    parser.add_argument("--jobs", type=int, default=1, help="how many copies work at the same time; default: 1")
    options = parser.parse_args(arguments)
    faults = chosen(options.only)
    begin(f"planting {len(faults)} faults, each in a copy of this tree", interrupted="the lines above hold")
    found = find_all(faults, options.jobs, options.all)
    print(f"{sum(found)} of {len(faults)} faults found")
    return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main())
