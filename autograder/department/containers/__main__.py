"""The command that the container starts: `python -m autograder.department.containers gradescope config.yaml`.

This process opens nothing that a student wrote. It has the submission judged in another process, waits until that has
ended, and then writes results.json, over whatever is there. Where no walls hold and that was accepted, the other
process is an unprivileged user's, if this one is root's: that user can't write into the folder of the results.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from autograder.department.containers import (
    GRADED,
    NO_WALLS,
    NOT_GRADED,
    REFUSED,
    WITHOUT_WALLS,
    Graded,
    Part,
    config,
)
from autograder.department.containers import gradescope as to_gradescope
from autograder.department.containers import prairielearn as to_prairielearn
from autograder.department.containers.config import GRADESCOPE, PRAIRIELEARN, Config, ConfigError
from autograder.files import write_whole

SECONDS = 540  # both systems end a container after 600, and Gradescope gives 0 then
KEPT = ("PATH", "LANG", "HOME", "TMPDIR", "NUMBA_CACHE_DIR")  # of the environment, which may hold the system's secrets
NOBODY = 65534


class System(NamedTuple):
    """The folders that a platform uses in the container, and the function that converts a result to its format."""

    submission: Path
    results: Path
    translate: Callable[[Graded, Config | None], dict[str, Any]]


SYSTEMS = {
    GRADESCOPE: System(Path("/autograder/submission"), Path("/autograder/results/results.json"), to_gradescope.results),
    PRAIRIELEARN: System(Path("/grade/student"), Path("/grade/results/results.json"), to_prairielearn.results),
}


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0 if the submission has a score, or is refused because of its content."""
    parser = argparse.ArgumentParser(
        prog="python -m autograder.department.containers", description="Grade a container."
    )
    parser.add_argument("system", choices=[*SYSTEMS])
    parser.add_argument("config", type=Path, help="config.yaml; the released lab is beside it, in course/")
    options = parser.parse_args(arguments)
    system, given = SYSTEMS[options.system], None
    try:
        given = config.read(options.config, options.system)
        graded = _graded(options.system, options.config, given)
    except ConfigError as error:
        graded = Graded(NOT_GRADED, str(error))
    except Exception as error:
        traceback.print_exc()
        graded = Graded(NOT_GRADED, f"{type(error).__name__}: {error}")
    if graded.reason:
        print(f"{graded.status}: {graded.reason}", flush=True)
    write(system.results, system.translate(graded, given))
    return 0 if graded.status in (GRADED, REFUSED) else 1


def write(path: Path, results: dict[str, Any]) -> None:
    """Write results.json atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(results, indent=1, ensure_ascii=False) + "\n")


def _graded(system: str, path: Path, given: Config) -> Graded:
    """Have the submission judged, behind walls if there are any."""
    begun = time.monotonic()
    graded = _in_another_process(system, path, begun)
    if graded.status == NO_WALLS and given.accept_no_isolation:
        print(f"GRADING WITHOUT ISOLATION, as {path.name} says: {graded.reason}", flush=True)
        graded = _in_another_process(system, path, begun, WITHOUT_WALLS)
    return graded


def _in_another_process(system: str, path: Path, begun: float, *more: str) -> Graded:
    """Run `graded.py` in a process, and return its verdicts.

    Raises:
        RuntimeError: it ended without.
        subprocess.TimeoutExpired: it took too long.
    """
    command = [sys.executable, *_flags(), "-m", "autograder.department.containers.graded", system, str(path)]
    user: dict[str, Any] = {}
    if more and os.geteuid() == 0:
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    done = subprocess.run(
        [*command, str(SYSTEMS[system].submission), *more], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        env={name: os.environ[name] for name in KEPT if name in os.environ}, cwd="/", check=False,
        timeout=SECONDS - (time.monotonic() - begun), **user,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"the process that judges ended with status {done.returncode}: its output is above")
    fields = json.loads(done.stdout)
    return Graded(**fields | {"parts": tuple(Part(*part) for part in fields["parts"])})


def _flags() -> list[str]:
    return ["-I"] if sys.flags.isolated else []


if __name__ == "__main__":
    sys.exit(main())
