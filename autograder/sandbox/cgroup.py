"""The kernel's own limit of what all processes of a sandbox hold, where this process may make a control group.

Root may, and whoever was given a part of the tree. Elsewhere the watchdog of `guest_process.py` and the limit of each
process's address space are all there is. Version 2 of the interface is read first, then version 1.
"""

import itertools
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MOUNTED = Path("/sys/fs/cgroup")
NAME = "inside-the-tensor"
# By version: the file of the limit, and the file in which a line "oom_kill 1" says that it was met.
LIMIT, EVENTS = {1: "memory.limit_in_bytes", 2: "memory.max"}, {1: "memory.oom_control", 2: "memory.events"}
TRIES, SECONDS_BETWEEN_TRIES = 50, 0.02
_numbers = itertools.count()


@dataclass(frozen=True)
class Group:
    """A Linux control group (cgroup), of interface `version` 1 or 2."""

    folder: Path
    version: int

    def enter(self, command: list[str]) -> list[str]:
        """Return a command that runs `command` in the group, or outside of it if the kernel refuses."""
        program = 'echo $$ 2>/dev/null >"$0"; exec "$@"'
        return ["/bin/sh", "-c", program, str(self.folder / "cgroup.procs"), *command]

    def has_killed(self) -> bool:
        """Return True if the kernel has killed a process of the group for exceeding the memory limit."""
        try:
            words = (self.folder / EVENTS[self.version]).read_text().split()
        except OSError:
            return False
        return "oom_kill" in words and words[words.index("oom_kill") + 1] != "0"

    def remove(self) -> None:
        """Remove the group after its processes were killed; retry while the last ones are still exiting."""
        for _ in range(TRIES):
            try:
                self.folder.rmdir()
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(SECONDS_BETWEEN_TRIES)


def group_of(limit: int) -> Group | None:
    """Create a group whose processes may use at most `limit` bytes together; return None if that is impossible here."""
    for version, parent in _parents():
        group = Group(parent / f"{NAME}-{os.getpid()}-{next(_numbers)}", version)
        try:
            group.folder.mkdir()
        except OSError:  # also where a process of another container has made one of this name: it is not ours
            continue
        try:
            (group.folder / LIMIT[version]).write_text(str(limit))
        except OSError:
            group.remove()
            continue
        return group
    return None


def _parents() -> Iterator[tuple[int, Path]]:
    """Yield (version, folder) in which a group could be made."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    groups = [line.split(":", 2)[1:] for line in lines]
    # A group of version 2 with processes has no groups of its own with limits: the new one is made next to ours.
    yield from ((2, (MOUNTED / path.lstrip("/")).parent) for names, path in groups if not names and path != "/")
    yield from ((1, MOUNTED / "memory" / path.lstrip("/")) for names, path in groups if "memory" in names.split(","))
