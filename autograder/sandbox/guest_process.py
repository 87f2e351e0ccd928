"""The process of one sandbox as seen from outside: started, watched, told to fork and to clean up, ended."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from autograder.sandbox import bubblewrap, cgroup, isolation, landlock, processes, seccomp, temporary
from autograder.sandbox.image import answers_of, packages_of
from autograder.sandbox.isolation import Limits

WATCH_EVERY = 0.05  # seconds


class BrokenSandbox(RuntimeError):
    """The sandbox failed through no fault of the student: the submission is not graded."""


def start_zygote(
    image: Path,
    limits: Limits,
    tier: str,
    control: int,
    errors: int,
    scratch: str,
    kernels: Path | None,
    kernels_only: bool = False,
    group: cgroup.Group | None = None,
) -> subprocess.Popen[bytes]:
    """Start the image's `zygote.py` in a process that is isolated according to `tier`.

    Args:
        control, errors: descriptors of its orders and of its standard error.
        scratch: the folder it may write to, as it sees it.
        kernels: folder of the compiled kernels: it begins with a copy, or fills it if `kernels_only`.
        group: the control group that limits its memory, if there is one.
    """
    in_bubblewrap = tier == "bwrap"
    seen_image = isolation.IMAGE if in_bubblewrap else str(image)
    seen_kernels = isolation.KERNELS if in_bubblewrap else str(kernels)
    cache = seen_kernels if kernels_only else f"{scratch}/numba"
    environment = isolation.environment() | {"HOME": scratch, "TMPDIR": scratch, "NUMBA_CACHE_DIR": cache}
    with contextlib.ExitStack() as stack:
        answers = stack.enter_context(open(answers_of(image), "rb"))
        settings = {
            "control": control,
            "image": seen_image,
            "answers": answers.fileno(),
            "packages": sorted({os.path.dirname(folder) for folder in isolation.package_folders()}),
            "kernels": seen_kernels if kernels else "",
            "kernels_only": kernels_only,
            "scratch": scratch,
            "own_processes": in_bubblewrap,
            "worker_filter": seccomp.for_worker().hex() if sys.platform == "linux" else "",
        }
        settings |= {name: getattr(limits, name) for name in
                     ("cpu_seconds", "address_space", "processes", "open_files", "file")}  # fmt: skip
        if tier == "landlock":
            settings["packages"] = [str(packages_of(image))]
            readable = [str(image), str(packages_of(image)), *([seen_kernels] if kernels and not kernels_only else [])]
            settings["walls"] = landlock.walls(readable, [scratch, *([cache] if kernels_only else [])])
        command = [*isolation.python_command(), f"{seen_image}/autograder/sandbox/zygote.py", json.dumps(settings)]
        descriptors = [control, answers.fileno()]
        if in_bubblewrap:
            filter_file = stack.enter_context(bubblewrap.filter_file())
            descriptors.append(filter_file.fileno())
            bind = ("--bind" if kernels_only else "--ro-bind", str(kernels), isolation.KERNELS) if kernels else ()
            variable = ("--setenv", "NUMBA_CACHE_DIR", cache)
            command = bubblewrap.shut_in(command, limits, filter_file.fileno(), image, (*bind, *variable))
        return subprocess.Popen(
            group.enter(command) if group else command,
            env={} if in_bubblewrap else environment,
            cwd="/",
            pass_fds=descriptors,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )


class Guest:
    """A running zygote process.

    Args:
        image: the engine's image.
        limits: what the submission may use.
        tier: one of `isolation.TIERS`.
        kernels: folder with the compiled kernels, None for an engine without.
    Raises:
        BrokenSandbox: it does not start.
    """

    def __init__(self, image: Path, limits: Limits, tier: str, kernels: Path | None = None):
        self._has_too_much = False
        self._group = cgroup.group_of(limits.memory)
        self._limits = limits
        self._outside = "" if tier == "bwrap" else tempfile.mkdtemp(prefix="inside-the-tensor-scratch-")
        self._lock = threading.Lock()  # around the end of the process, so that its id is not used after it
        self._ended = False
        self._spent = 0.0
        self._stop_watching = threading.Event()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        # A pipe: what is written to a file there can be read again, by the next exercise.
        self._errors, errors = os.pipe()
        os.set_blocking(self._errors, False)
        scratch = self._outside or isolation.SCRATCH
        try:
            self._process = start_zygote(
                image, limits, tier, theirs.fileno(), errors, scratch, kernels, group=self._group
            )
        finally:
            theirs.close()
            os.close(errors)
        threading.Thread(target=self._watch, daemon=True).start()
        if self._reply(limits.start_seconds) != b"R":
            said = self._said()
            self.close()
            raise BrokenSandbox(f"the sandbox does not start: {said or 'it did not say why'}")

    def fork_worker(self) -> tuple[socket.socket, int]:
        """Fork a new worker; return its non-blocking answer socket and the read end of its output pipe.

        Raises:
            BrokenSandbox: the zygote does not obey.
        """
        channel, theirs = socket.socketpair()
        output, printed = os.pipe()
        os.set_blocking(output, False)
        channel.setblocking(False)
        try:
            socket.send_fds(self._control, [b"F"], [theirs.fileno(), printed])
            obeyed = self._reply(self._limits.order_seconds) == b"f"
        except OSError:
            obeyed = False
        theirs.close()
        os.close(printed)
        if not obeyed:
            channel.close()
            os.close(output)
            self.kill()
            raise BrokenSandbox("the sandbox does not start a worker")
        return channel, output

    def signal_of_worker(self) -> int:
        """Return the number of the signal that killed the newest worker, or 0 if none is known."""
        try:
            self._control.sendall(b"S")
        except OSError:
            return 0
        return (self._reply(self._limits.order_seconds) or b"\0")[0]

    def end_exercise(self) -> bool:
        """End the exercise's processes; return True if nothing is left, False if this guest must not be reused."""
        if self.out_of_memory:
            return False
        try:
            self._control.sendall(b"K")
            return self._reply(self._limits.order_seconds) == b"k"
        except OSError:
            return False

    @property
    def out_of_memory(self) -> bool:
        """True if a process inside was killed because all processes together exceeded the memory limit."""
        return self._has_too_much or bool(self._group and self._group.has_killed())

    def is_alive(self) -> bool:
        """Return whether the process is still running."""
        return not self._reap(os.WNOHANG)

    def cpu_seconds(self) -> float:
        """Return the CPU seconds that all processes inside have used so far."""
        with self._lock:
            if not self._ended:
                self._measure()
            return self._spent

    def close(self) -> float:
        """Kill all processes inside, and return the CPU seconds that they used."""
        self._stop_watching.set()
        self.kill()
        self._reap(0)
        self._control.close()
        os.close(self._errors)
        if self._group:
            self._group.remove()
        if self._outside:
            temporary.remove(self._outside)
        return self._spent

    def kill(self) -> None:
        """Kill all processes inside."""
        with self._lock:
            if self._ended:
                return
            self._measure()
            for pid in list(processes.descendants(self._process.pid)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def _measure(self) -> None:
        # Read while it runs: bubblewrap does not hand up the times of the processes inside when it ends.
        self._spent = max(self._spent, processes.cpu_seconds(self._process.pid))

    def _reap(self, options: int) -> bool:
        """Return whether the process has ended."""
        with self._lock:
            if not self._ended:
                pid, status, usage = os.wait4(self._process.pid, options)
                if pid:
                    self._ended = True
                    self._process.returncode = os.waitstatus_to_exitcode(status)
                    self._spent = max(self._spent, usage.ru_utime + usage.ru_stime)
            return self._ended

    def _said(self) -> str:
        """Return the end of what the zygote wrote to its standard error."""
        try:
            return os.read(self._errors, 1 << 16).decode(errors="replace").strip()[-1000:]
        except OSError:
            return ""

    def _reply(self, seconds: float) -> bytes:
        self._control.settimeout(seconds)
        try:
            return self._control.recv(1)
        except OSError:
            return b""

    def _watch(self) -> None:
        while not self._stop_watching.wait(WATCH_EVERY) and not self._ended:
            if processes.memory(self._process.pid) > self._limits.memory:
                self._has_too_much = True
                self.kill()
                return
            if self._outside and processes.size_of(self._outside) > self._limits.tmp:
                self.kill()  # bubblewrap's folder has an end of its own
                return
