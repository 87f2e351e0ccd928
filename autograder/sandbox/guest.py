"""The process of one sandbox as seen from outside: started, watched, told to fork and to clean up, ended."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

from autograder import temporary
from autograder.sandbox import isolation, processes
from autograder.sandbox.image import answers_of
from autograder.sandbox.isolation import Limits

WATCH_EVERY = 0.05  # seconds


class BrokenSandbox(RuntimeError):
    """The sandbox failed without a student's doing: not graded, our fault."""


def start_zygote(
    image: Path,
    limits: Limits,
    isolated: bool,
    control: int,
    errors: int,
    scratch: str,
    kernels: Path | None,
    kernels_only: bool = False,
) -> subprocess.Popen[bytes]:
    """The process `zygote.py` of the image, shut in if `isolated`.

    Args:
        control, errors: descriptors of its orders and of its standard error.
        scratch: the folder it may write to, as it sees it.
        kernels: folder of the compiled kernels: it begins with a copy, or fills it if `kernels_only`.
    """
    seen_image = isolation.IMAGE if isolated else str(image)
    seen_kernels = isolation.KERNELS if isolated else str(kernels)
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
            "own_processes": isolated,
        }
        settings |= {name: getattr(limits, name) for name in
                     ("cpu_seconds", "address_space", "processes", "open_files", "file")}  # fmt: skip
        command = [*isolation.python_command(), f"{seen_image}/autograder/sandbox/zygote.py", json.dumps(settings)]
        descriptors = [control, answers.fileno()]
        if isolated:
            seccomp = stack.enter_context(isolation.seccomp_filter())
            descriptors.append(seccomp.fileno())
            bind = ("--bind" if kernels_only else "--ro-bind", str(kernels), isolation.KERNELS) if kernels else ()
            variable = ("--setenv", "NUMBA_CACHE_DIR", cache)
            command = isolation.bubblewrap_command(command, limits, seccomp.fileno(), image, (*bind, *variable))
        return subprocess.Popen(
            command,
            env={} if isolated else environment,
            cwd="/",
            pass_fds=descriptors,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )


class Guest:
    """A running zygote.

    Args:
        image: the engine's image.
        limits: what the submission may use.
        isolated: in bubblewrap; else as a plain process.
        kernels: folder with the compiled kernels, None for an engine without.
    Raises:
        BrokenSandbox: it does not start.
    """

    def __init__(self, image: Path, limits: Limits, isolated: bool, kernels: Path | None = None):
        self.out_of_memory = False
        self._isolated = isolated
        self._limits = limits
        self._scratch = isolation.SCRATCH if isolated else str(temporary.make("scratch"))
        self._lock = threading.Lock()  # around the end of the process, so that its id is not used after it
        self._ended = False
        self._spent = 0.0
        self._stop_watching = threading.Event()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs, tempfile.TemporaryFile() as errors:
            scratch = self._scratch
            self._process = start_zygote(
                image, limits, isolated, theirs.fileno(), errors.fileno(), scratch=scratch, kernels=kernels
            )
            threading.Thread(target=self._watch, daemon=True).start()
            theirs.close()
            if self._reply(limits.start_seconds) != b"R":
                self.close()
                errors.seek(0)
                said = errors.read().decode(errors="replace").strip()[-1000:]
                raise BrokenSandbox(f"the sandbox does not start: {said or 'it did not say why'}")

    def fork_worker(self) -> tuple[socket.socket, int]:
        """A fresh worker: its answer channel (non-blocking), and the reading end of what it prints.

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

    def end_exercise(self) -> bool:
        """Whether nothing of the exercise is left inside; if not, this guest must not be used again."""
        try:
            self._control.sendall(b"K")
            return self._reply(self._limits.order_seconds) == b"k"
        except OSError:
            return False

    def is_alive(self) -> bool:
        """Whether the process runs."""
        return not self._reap(os.WNOHANG)

    def cpu_seconds(self) -> float:
        """CPU seconds of everything inside, so far."""
        with self._lock:
            if not self._ended:
                self._measure()
            return self._spent

    def close(self) -> float:
        """Ends everything inside and says how many CPU seconds it has cost."""
        self._stop_watching.set()
        self.kill()
        self._reap(0)
        self._control.close()
        if not self._isolated:
            shutil.rmtree(self._scratch, ignore_errors=True)
        return self._spent

    def kill(self) -> None:
        """Kills everything inside: with bubblewrap's first process its whole namespace ends."""
        with self._lock:
            if self._ended:
                return
            self._measure()
            doomed = [self._process.pid] if self._isolated else list(processes.descendants(self._process.pid))
            for pid in doomed:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def _measure(self) -> None:
        # Read while it runs: bubblewrap does not hand up the times of the processes inside when it ends.
        self._spent = max(self._spent, processes.cpu_seconds(self._process.pid))

    def _reap(self, options: int) -> bool:
        """Whether the process has ended."""
        with self._lock:
            if not self._ended:
                pid, status, usage = os.wait4(self._process.pid, options)
                if pid:
                    self._ended = True
                    self._process.returncode = os.waitstatus_to_exitcode(status)
                    self._spent = max(self._spent, usage.ru_utime + usage.ru_stime)
            return self._ended

    def _reply(self, seconds: float) -> bytes:
        self._control.settimeout(seconds)
        try:
            return self._control.recv(1)
        except OSError:
            return b""

    def _watch(self) -> None:
        while not self._stop_watching.wait(WATCH_EVERY) and not self._ended:
            if processes.memory(self._process.pid) > self._limits.memory:
                self.out_of_memory = True
                self.kill()
                return
