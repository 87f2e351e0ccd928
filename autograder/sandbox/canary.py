"""Is a student's code really shut in on this machine? Found by trying, never by the presence of a program."""

import functools
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from autograder.sandbox import bubblewrap, isolation, landlock, seccomp
from autograder.sandbox.isolation import TIERS
from autograder.sandbox.walls import SINCE, landlock_abi

OPEN = """\
Without isolation a submission can read and change all that you can: the answers, the gradebook, your files,
the network, other submissions. Limits of time and memory still hold, except for processes that hide."""
SHARED = {  # what the walls of a tier do not keep from a submission
    "bwrap": "the kernel, its caches, how busy the machine is",
    "landlock": "the kernel, its caches, how busy the machine is; names, sizes and times of your files",
}
SECONDS = 30


@dataclass(frozen=True)
class Isolation:
    """The isolation tier that was found, one of TIERS, and what each escape attempt achieved ("" for nothing).

    `abi` is the version of Landlock, where that is the wall and is known.
    """

    tier: str
    facts: dict[str, str] = field(default_factory=dict)
    reason: str = ""
    abi: int = 0

    @property
    def limits(self) -> str:
        """One or two sentences: what the tier leaves open, and what an old Landlock leaves to the filter alone."""
        alone = ", ".join(wall for since, wall in SINCE.items() if 0 < self.abi < since)
        by_filter = f" Landlock is at ABI {self.abi}; the filter of system calls alone refuses {alone}."
        return f"Not walled off: {SHARED[self.tier]}.{by_filter * bool(alone)}" if self.tier in SHARED else ""


class NoIsolation(RuntimeError):
    """A student's code can't be isolated on this machine, and running it without isolation was not accepted."""

    def __init__(self, found: Isolation):
        super().__init__(f"{found.reason}\n\n{how_to_install()}\n{OPEN}\nTo grade all the same: --accept-no-isolation")
        self.found = found


def how_to_install() -> str:
    """Return the command that installs bubblewrap, as `isolation.sh` prints it before anything is installed."""
    script = Path(__file__).with_name("isolation.sh")
    return subprocess.run(["sh", script, "--how"], capture_output=True, text=True, timeout=10, check=False).stdout


@functools.cache
def canary(wanted: str = "") -> Isolation:
    """Return the strongest isolation that works here, or test only `wanted`; cached per process, about 0.2 s per tier.

    A program is shut in and tries what is forbidden; a tier in which it achieves anything is none.
    """
    if wanted == "none":
        return Isolation("none", reason="without isolation, as asked")
    if sys.platform != "linux":
        return Isolation("none", reason=f"bubblewrap and Landlock exist on Linux only, this is {sys.platform}")
    reasons = []
    for tier in [wanted] if wanted else TIERS[:-1]:
        found = _try(tier)
        if found.tier == tier:
            return found
        reasons.append(f"{tier}: {found.reason}")
    return Isolation("none", found.facts, "; ".join(reasons))


def _try(tier: str) -> Isolation:
    try:
        with _listener() as listener, _abstract_listener() as abstract:
            done = SENDERS[tier](_settings(listener.getsockname()[1], abstract.getsockname().decode(), tier))
    except FileNotFoundError as error:
        return Isolation("none", reason=f"{os.path.basename(str(error.filename))} is not installed")
    except (OSError, RuntimeError, subprocess.TimeoutExpired) as error:
        return Isolation("none", reason=str(error))
    if done.returncode:
        said = done.stderr.strip().splitlines()
        return Isolation("none", reason=f"it does not start: {said[-1][:300] if said else 'it did not say why'}")
    return _read(done.stdout, tier)


def _read(printed: str, tier: str) -> Isolation:
    facts = json.loads(printed)
    possible = "; ".join(f"{attempt}: {achieved}" for attempt, achieved in facts.items() if achieved)
    reason = f"from inside it was possible: {possible}" * bool(possible)
    return Isolation("none" if possible else tier, facts, reason, landlock_abi() if tier == "landlock" else 0)


def _settings(port: int, abstract: str, tier: str) -> dict[str, object]:
    scratch = isolation.SCRATCH if tier == "bwrap" else tempfile.mkdtemp(prefix="inside-the-tensor-scratch-")
    return {
        "walls": Path(__file__).with_name("walls.py").read_text(encoding="utf-8"),
        "worker_filter": seccomp.for_worker().hex(),
        "landlock": landlock.walls([], [scratch]) if tier == "landlock" else None,
        "secrets": [str(path) for path in _secrets(isolation.REPOSITORY)],
        "environment": [*isolation.environment(), "PWD"],
        "port": port,
        "abstract": abstract,
        "read_only": [os.path.realpath(sys.base_prefix), *isolation.package_folders()],
        "scratch": scratch,
        "tmp": 1 << 20 if tier == "bwrap" else 0,  # elsewhere the watchdog sees to it
        "parent": os.getpid(),
    }


def _program(settings: dict[str, object]) -> list[str]:
    text = Path(__file__).with_name("escape_attempts.py").read_text(encoding="utf-8")
    return [*isolation.python_command(), "-c", text, json.dumps(settings)]


def _in_bubblewrap(settings: dict[str, object]) -> subprocess.CompletedProcess[str]:
    with bubblewrap.filter_file() as filter_file:
        command = bubblewrap.shut_in(_program(settings), isolation.Limits(tmp=1 << 20), filter_file.fileno())
        return _run(command, {}, filter_file.fileno())


def _in_landlock(settings: dict[str, object]) -> subprocess.CompletedProcess[str]:
    try:
        return _run(_program(settings), isolation.environment())
    finally:
        shutil.rmtree(str(settings["scratch"]), ignore_errors=True)


SENDERS = {"bwrap": _in_bubblewrap, "landlock": _in_landlock}


def _run(command: list[str], environment: dict[str, str], *descriptors: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environment, cwd="/", pass_fds=descriptors, capture_output=True, text=True, timeout=SECONDS,
        check=False,
    )  # fmt: skip


def _secrets(repository: Path) -> list[Path]:
    """Return the paths that must not be readable: answers, gradebook, the contents of the home folder."""
    home = Path.home()
    known = [repository / "engine", repository / "solutions", repository / "autograder", Path("/etc/shadow")]
    try:
        personal = [path for path in home.iterdir() if not Path(sys.base_prefix).is_relative_to(path)]
    except OSError:
        personal = []
    inside = [Path(folder) for folder in isolation.package_folders()]
    return known + [path for path in personal if not any(folder.is_relative_to(path) for folder in inside)]


def _listener() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def _abstract_listener() -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind("\0" + secrets.token_hex(16))
    listener.listen(1)
    return listener
