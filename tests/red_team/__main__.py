"""All attacks and the whole cohort, as every user and in every tier there is: `make red-team`.

    PYTHONPATH=tests python -m red_team [--attacks | --no-cohort] [--tier landlock | --tier strongest] [--user nobody]

The attacks run in Landlock as older kernels have it, too. With LANDLOCK_ABI=3 everything runs as on such a kernel.
Run as root it becomes an ordinary user as well, in a copy of the repository with a copy of its compiled kernels; run as
an ordinary user it says that it could not become root.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.sandbox import canary
from autograder.sandbox.isolation import REPOSITORY, TIERS
from autograder.sandbox.walls import landlock_abi
from engine.compiled import numba_cache

NOBODY = 65534
STRONGEST = "strongest"
OLDER = (1, 3, 5)  # Landlock's ABI in kernels before this one
KERNELS = ".cache/inside-the-tensor/numba"  # below a home: `numba_cache.base()`
RUN_TESTS = ["-m", "pytest", "--numprocesses", "auto", "--dist", "worksteal", "-p", "no:cacheprovider"]
RUN_ATTACKS = [*RUN_TESTS, "tests/red_team"]
RUN_MEMORY = [*RUN_TESTS, "tests/autograder/test_sandbox_memory.py"]
COHORT = ["-m", "autograder.grading", "--cohort", "--force", "--expect-deserved", "--seed", "11"]


@contextmanager
def user(name: str) -> Iterator[tuple[list[str], Path, dict[str, str]]]:
    """Words before a command that make it one of this user's, the folder to run it in, and the environment."""
    if name == "root" or os.geteuid() != 0:
        yield [], REPOSITORY, dict(os.environ)
        return
    with tempfile.TemporaryDirectory(prefix="inside-the-tensor-red-team-") as made:
        os.chmod(made, 0o755)
        copy, home = Path(made) / "repository", Path(made) / "home"
        listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
        for path in filter(os.path.isfile, listed.splitlines()):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / path, copy / path)
        home.mkdir()
        if numba_cache.base().is_dir():
            shutil.copytree(numba_cache.base(), home / KERNELS, ignore=shutil.ignore_patterns("replaced-*", "making-*"))
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", copy, home], check=True)
        yield ordinary(os.path.realpath(made)), copy, {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def ordinary(made: str, user: int = NOBODY) -> list[str]:
    """Words that start a command as an ordinary user.

    The user may read the interpreter and its environment wherever they are, in a home of root's for one, and write
    below `made`.
    """
    seen = {os.path.realpath(sys.base_prefix): "--ro-bind", os.path.realpath(sys.prefix): "--ro-bind", made: "--bind"}
    closed = {folder for path in seen for folder in Path(path).parents if not folder.stat().st_mode & 0o001}
    tops = {folder for folder in closed if closed.isdisjoint(folder.parents)}
    words = ["bwrap", "--dev-bind", "/", "/"]
    for top in sorted(map(str, tops)):
        words += ["--perms", "0755", "--tmpfs", top]
    for path, bind in sorted(seen.items()):
        between = [folder for folder in Path(path).parents if not tops.isdisjoint(folder.parents)]
        words += [word for folder in reversed(between) for word in ("--perms", "0755", "--dir", str(folder))]
        if not tops.isdisjoint(Path(path).parents):
            words += [bind, path, path]
    identity = ["--reuid", str(user), "--regid", str(user), "--clear-groups", "--inh-caps=-all"]
    return [*words, "--", "setpriv", *identity, "--bounding-set=-all"]


def walls(tiers: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield each tier with Landlock's newest ABI, and "landlock" before that with the older ones."""
    newest = landlock_abi()
    for tier in tiers:
        older = [abi for abi in OLDER if abi < newest] if tier == "landlock" else []
        yield from ((canary().tier if tier == STRONGEST else tier, abi) for abi in (*older, newest))


def commands(options: argparse.Namespace, tier: str, abi: int) -> dict[str, list[str]]:
    """Return the commands to run behind these walls, by what they are."""
    chosen = {"attacks": RUN_ATTACKS}
    if abi == landlock_abi() and not options.attacks:
        chosen["memory"] = RUN_MEMORY
        if not options.no_cohort:
            chosen["cohort"] = [*COHORT, "--isolation", tier, *(["--lab", options.lab] if options.lab else [])]
    return chosen


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m red_team", description=__doc__.split("\n")[0])
    parser.add_argument("--attacks", action="store_true", help="the attacks alone")
    parser.add_argument("--no-cohort", action="store_true", help="the attacks, and the search of workers' memory")
    parser.add_argument("--lab", help="of the cohort's labs, this one")
    parser.add_argument("--tier", choices=(*TIERS[:-1], STRONGEST), action="append", help="default: all")
    parser.add_argument("--user", choices=("root", "nobody"), action="append", help="default: both")
    options = parser.parse_args()
    outcomes, failed = [], False
    for name in options.user or ("root", "nobody"):
        if name == "root" and os.geteuid() != 0:
            outcomes.append("not run: root (this is an ordinary user)")
            continue
        for tier, abi in walls(options.tier or TIERS[:-1]):
            if canary(tier).tier == "none":
                outcomes.append(f"not run: {name}, {tier} ({canary(tier).reason})")
                continue
            for what, command in commands(options, tier, abi).items():
                begun = time.monotonic()
                with user(name) as (before, folder, environment):
                    environment |= {"RED_TEAM_TIER": tier, "LANDLOCK_ABI": str(abi), "PYTHONDONTWRITEBYTECODE": "1"}
                    code = subprocess.run([*before, sys.executable, *command], cwd=folder, env=environment).returncode
                failed |= code != 0
                seconds = time.monotonic() - begun
                shown = f"{tier} of ABI {abi}" if tier == "landlock" else tier
                outcomes.append(f"{'FAILED' if code else 'ok'}: {name}, {shown}, {what}, {seconds:.0f} s")
    print("\n".join(outcomes))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
