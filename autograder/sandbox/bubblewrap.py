"""The tier "bwrap": a command in namespaces of its own, with bubblewrap.

Nothing of the machine is there but what is bound below: no other process, no network, no home.
"""

import functools
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

from autograder.sandbox import seccomp
from autograder.sandbox.isolation import IMAGE, SCRATCH, Limits, environment, hidden_folders, package_folders

NO_NEW_USER_NAMESPACES = (0, 8, 0)  # first bubblewrap with --disable-userns


def shut_in(
    command: list[str], limits: Limits, filter_file: int, image: Path | None = None, folders: tuple[str, ...] = ()
) -> list[str]:
    """Wrap `command` in bubblewrap. Start it with env={}: the environment of the first process stays readable.

    Args:
        command: argv of the program inside.
        limits: only the size of the tmpfs is used here; the zygote sets the others on its workers.
        filter_file: file descriptor of the filter (`filter_file`), inherited by bubblewrap.
        image: folder that appears as IMAGE, read-only.
        folders: further words for bubblewrap, such as ("--ro-bind", "/there", KERNELS).
    """
    argv = [
        shutil.which("bwrap") or "bwrap",
        "--die-with-parent",
        "--as-pid-1",
        "--new-session",
        "--hostname",
        "sandbox",
    ]
    argv += ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-net", "--unshare-cgroup-try"]
    argv += ["--clearenv", "--cap-drop", "ALL"]
    argv += _identity()
    for name, value in environment().items():
        argv += ["--setenv", name, value]
    argv += _system_files()
    argv += ["--perms", "1777", "--size", str(limits.tmp), "--tmpfs", SCRATCH]
    argv += _python_files()
    if image is not None:
        argv += ["--ro-bind", str(image), IMAGE]
    argv += folders
    # Instead of terminals, which no program needs and whose times an exercise could set for the next.
    argv += ["--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"]
    argv += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", SCRATCH, "--seccomp", str(filter_file), "--"]
    return argv + _drop_root() + command


def _identity() -> list[str]:
    if os.geteuid() != 0:
        disable = ["--disable-userns"] if version() >= NO_NEW_USER_NAMESPACES else []
        return ["--unshare-user", *disable, "--uid", "1000", "--gid", "1000"]
    # Real root becomes another user below (_drop_root): limits on processes are not enforced for root.
    return [word for name in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP") for word in ("--cap-add", name)]


def _drop_root() -> list[str]:
    if os.geteuid() != 0:
        return []
    uid = str(_fresh_uid())
    setpriv = shutil.which("setpriv") or "/usr/bin/setpriv"
    return [setpriv, "--reuid", uid, "--regid", uid, "--clear-groups", "--inh-caps=-all", "--bounding-set=-all",
            "--no-new-privs"]  # fmt: skip


_uids = itertools.count()


def _fresh_uid() -> int:
    """Return a user id of its own for each sandbox: limits on processes count per user."""
    with open("/proc/self/uid_map") as lines:
        mapped = max(int(start) + int(count) for start, _, count in map(str.split, lines))
    # Inside a container few ids exist; 61184-65519 are the ones that systemd hands out for a moment.
    first, count = (200_000, 1_000_000) if mapped > 1_200_000 else (61_184, 4_336)
    return first + (os.getpid() * 64 + next(_uids)) % count


def _system_files() -> list[str]:
    argv = ["--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/sbin", "/lib", "/lib64", "/lib32"):
        if os.path.islink(name):
            argv += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            argv += ["--ro-bind", name, name]
    return [*argv, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--proc", "/proc", "--dev", "/dev"]


def _python_files() -> list[str]:
    """Return options that bind the interpreter, hide all that could be installed beside it, and put PACKAGES back."""
    base = os.path.realpath(sys.base_prefix)
    folders = package_folders()
    bound = ["/usr"] if Path(base).is_relative_to("/usr") else ["/usr", base]
    argv = _made_parents([*bound[1:], *folders])
    for folder in bound[1:]:
        argv += ["--ro-bind", folder, folder]
    hidden = [folder for folder in hidden_folders(base) if any(Path(folder).is_relative_to(top) for top in bound)]
    for folder in hidden:
        argv += ["--perms", "0755", "--tmpfs", folder]
    for folder in folders:
        argv += ["--ro-bind", folder, folder]
    for folder in hidden:
        argv += ["--remount-ro", folder]
    return argv


def _made_parents(folders: list[str]) -> list[str]:
    """Return options to make parents: Bubblewrap lets only their owner read them, and the worker is another user."""
    parents = {parent for folder in folders for parent in Path(folder).parents if len(parent.parts) > 1}
    own = [parent for parent in parents if not parent.is_relative_to("/usr")]
    return [word for parent in sorted(own) for word in ("--perms", "0755", "--dir", str(parent))]


@functools.cache
def version() -> tuple[int, ...]:
    """Return the version of the installed bubblewrap as a tuple; (0,) if it is not installed."""
    try:
        printed = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, timeout=10).stdout
    except OSError:
        return (0,)
    return tuple(int(number) for number in re.findall(r"\d+", printed)) or (0,)


def filter_file() -> IO[bytes]:
    """Return an open file with the seccomp filter for every process inside, for bubblewrap's --seccomp."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 (the caller passes it on and closes it)
    file.write(seccomp.for_everything())
    file.seek(0)
    return file
