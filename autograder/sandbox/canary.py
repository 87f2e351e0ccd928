"""Is a student's code really shut in on this machine? Found by trying, never by the presence of a program."""

import functools
import json
import os
import secrets
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from autograder.sandbox import isolation

OPEN = """\
Without isolation a submission can read and change all that you can: the answers, the gradebook, your files,
the network, other submissions. Limits of time and memory still hold, except for processes that hide."""


@dataclass(frozen=True)
class Isolation:
    """What was found: `tier` is "bwrap" or "none", `facts` what each attempt achieved ("" is nothing)."""

    tier: str
    facts: dict[str, str] = field(default_factory=dict)
    reason: str = ""


class NoIsolation(RuntimeError):
    """A student's code can't be shut in here, and nobody said that this is accepted."""

    def __init__(self, found: Isolation):
        super().__init__(f"{found.reason}\n\n{how_to_install()}\n{OPEN}\nTo grade all the same: --accept-no-isolation")
        self.found = found


def how_to_install() -> str:
    """The command that installs bubblewrap on this system, as `bubblewrap.sh` says it before anything is installed."""
    script = Path(__file__).with_name("bubblewrap.sh")
    return subprocess.run(["sh", script, "--how"], capture_output=True, text=True, timeout=10, check=False).stdout


@functools.cache
def canary() -> Isolation:
    """Sends a program into the sandbox that tries what is forbidden; once per process, about 0.2 s."""
    if sys.platform != "linux":
        return Isolation("none", reason=f"bubblewrap exists on Linux only, this is {sys.platform}")
    try:
        with isolation.seccomp_filter() as seccomp, _listener() as listener, _abstract_listener() as abstract:
            done = _send(seccomp.fileno(), listener.getsockname()[1], abstract.getsockname().decode())
    except FileNotFoundError as error:
        return Isolation("none", reason=f"{os.path.basename(str(error.filename))} is not installed")
    except (OSError, ImportError, RuntimeError, subprocess.TimeoutExpired) as error:
        return Isolation("none", reason=str(error))
    if done.returncode:
        return Isolation("none", reason=f"bubblewrap failed: {done.stderr.strip()[-300:]}")
    return _read(done.stdout)


def _read(printed: str) -> Isolation:
    facts = json.loads(printed)
    possible = "; ".join(f"{attempt}: {achieved}" for attempt, achieved in facts.items() if achieved)
    return Isolation(
        "none" if possible else "bwrap", facts, f"from inside it was possible: {possible}" * bool(possible)
    )


def _send(seccomp: int, port: int, abstract: str) -> subprocess.CompletedProcess[str]:
    limits = isolation.Limits(tmp=1 << 20)
    settings = {
        "secrets": [str(path) for path in _secrets(isolation.REPOSITORY)],
        "environment": [*isolation.environment(), "PWD"],
        "port": port,
        "abstract": abstract,
        "read_only": [os.path.realpath(sys.base_prefix), *isolation.package_folders()],
        "scratch": isolation.SCRATCH,
        "tmp": limits.tmp,
        "root_outside": os.geteuid() == 0,
    }
    text = Path(__file__).with_name("forbidden.py").read_text(encoding="utf-8")
    inside = [*isolation.python_command(), "-c", text, json.dumps(settings)]
    command = isolation.bubblewrap_command(inside, limits, seccomp)
    return subprocess.run(
        command, env={}, cwd="/", pass_fds=(seccomp,), capture_output=True, text=True, timeout=30, check=False
    )


def _secrets(repository: Path) -> list[Path]:
    """What must not even be there: the answers, the gradebook, and what lies in the home folder."""
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
