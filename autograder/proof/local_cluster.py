"""A scheduler and workers on this machine, each in processes of its own, that can be killed one by one."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psutil

from autograder.author import lab_text

SCHEDULER = "scheduler"


class Cluster:
    """The processes of a local cluster by name: "scheduler", and workers under any other names.

    Args:
        folder: where their logs go, and what workers write.
        scheme: "tcp" or "tls".
        options: of dask, after the address.
        code: the folder that has the packages `engine` and `autograder` of the workers.
    """

    def __init__(self, folder: Path, scheme: str = "tcp", options: Sequence[str] = (), code: Path = lab_text.ROOT):
        self._code = code
        self.address, self._folder, self._options = f"{scheme}://127.0.0.1:{free_port()}", folder, options
        self.processes: dict[str, subprocess.Popen] = {}

    def start(self, name: str) -> "Cluster":
        """Start the scheduler or a worker."""
        if name == SCHEDULER:
            command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", self.address]
            command += ["--protocol", self.address.split(":")[0]]
        else:
            command = [sys.executable, "-m", "autograder.department.worker", self.address, "--nworkers", "1"]
            command += ["--nthreads", "1", "--local-directory", str(self._folder)]
        with (self._folder / f"{name}.log").open("w") as log:
            self.processes[name] = subprocess.Popen(
                [*command, "--no-dashboard", *self._options], stdout=log, stderr=log, start_new_session=True,
                cwd=self._folder, env=os.environ | {"PYTHONPATH": str(self._code)},
            )  # fmt: skip
        return self

    def kill(self, name: str) -> None:
        """Kill a process and all of its descendants immediately."""
        process = self.processes.pop(name)
        for each in everything_of(process.pid):
            with contextlib.suppress(psutil.Error):
                each.kill()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        """Kill all processes of the cluster."""
        for name in [*self.processes]:
            self.kill(name)


def everything_of(pid: int) -> list[psutil.Process]:
    """Return a process and all of its descendants; an empty list if the process has ended."""
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def free_port() -> int:
    """Return a free TCP port."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
