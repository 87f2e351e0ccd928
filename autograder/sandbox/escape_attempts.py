"""Runs inside, alone, behind the walls of a worker: tries what must not be possible and prints what was.

    python -I -S -B -c <this text> <settings as JSON>      ->      {"network": "", "write": "wrote to /usr", ...}

"" means that the attempt failed, as it should; anything else says what succeeded.
"""

import ctypes
import json
import os
import socket
import sys
import types

CLONE_NEWUSER = 0x10000000
AF_VSOCK = 40
PR_GET_NO_NEW_PRIVS = 39
POSIX_FADV_DONTNEED, LOCK_SH, F_SETOWN = 4, 1, 8
CAPABILITY_VERSION_3 = 0x20080522


def read(settings):
    return ", ".join(path for path in settings["secrets"] if _opens(path))


def _opens(path):
    try:
        if os.path.isdir(path):
            return os.listdir(path) or True
        with open(path, "rb") as file:
            file.read(1)
            return True
    except OSError:
        return False


def environment(settings):
    leaks = []
    for process in _processes():
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                names = {entry.split(b"=")[0].decode() for entry in file.read().split(b"\0") if entry}
        except OSError:
            continue
        leaks += sorted(names - set(settings["environment"]))
    return ", ".join(leaks)


def processes(settings):
    seen = _processes()
    return f"{len(seen)} processes are visible" if len(seen) > 4 or (seen and os.getpid() > 16) else ""


def _processes():
    try:
        return [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def network(settings):
    reached = []
    for family, address in (
        (socket.AF_INET, ("127.0.0.1", settings["port"])),
        (AF_VSOCK, (2, 22)),
        (socket.AF_UNIX, settings["abstract"]),
    ):
        try:
            with socket.socket(family, socket.SOCK_STREAM) as connection:
                connection.settimeout(2)
                connection.connect(address)
                reached.append(str(address))
        except OSError as error:
            if family == AF_VSOCK and error.errno not in (97, 22, 1):  # a socket could be made
                reached.append("vsock")
    return ", ".join(reached)


def write(settings):
    written = []
    folders = ("/", "/etc", "/usr", "/dev", "/dev/shm", "/tmp", "/proc/sys/kernel", *settings["read_only"])
    for folder in (*folders, *filter(os.path.isdir, settings["secrets"])):
        path = os.path.join(folder, "written-from-inside")
        try:
            with open(path, "w") as file:
                file.write("x")
            os.unlink(path)
            written.append(folder)
        except OSError:
            continue
    return ", ".join(written)


def fill(settings):
    if not settings["tmp"]:
        return ""
    path = os.path.join(settings["scratch"], "filled")
    try:
        with open(path, "wb") as file:
            for _ in range(2 + settings["tmp"] // (1 << 16)):
                file.write(b"\1" * (1 << 16))
    except OSError:
        return ""
    return "the scratch folder has no end"


def leave_marks(settings):
    """Try to change metadata of the writable folder in ways that would outlive the exercise."""
    marks = {
        "extended attributes": lambda: os.setxattr(settings["scratch"], "user.mark", b"x"),
        "times": lambda: os.utime(settings["scratch"], (1, 1)),
        "modes": lambda: os.chmod(settings["scratch"], 0o711),
    }
    return ", ".join(name for name, leave in marks.items() if _succeeds(leave))


def privileges(settings):
    libc = ctypes.CDLL(None, use_errno=True)
    held = []
    header, sets = ctypes.create_string_buffer(8), ctypes.create_string_buffer(24)
    header[:4] = CAPABILITY_VERSION_3.to_bytes(4, sys.byteorder)
    if libc.capget(header, sets) or any(sets.raw):
        held.append("capabilities")
    if libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1:
        held.append("new privileges")
    if os.getuid() != 0 and _succeeds(lambda: os.setuid(0)):
        held.append("setuid(0)")
    return ", ".join(held)


def system_calls(settings):
    libc = ctypes.CDLL(None, use_errno=True)
    file = os.open(os.__file__, os.O_RDONLY)
    possible = {
        "new user namespace": libc.unshare(CLONE_NEWUSER) == 0,
        "memfd_create": hasattr(libc, "memfd_create") and libc.memfd_create(b"x", 0) >= 0,
        "limits of others": libc.prlimit(os.getppid() or os.getpid(), 7, None, ctypes.create_string_buffer(16)) == 0,
        "the page cache": libc.posix_fadvise(file, ctypes.c_long(0), ctypes.c_long(1), POSIX_FADV_DONTNEED) == 0,
        "locks": libc.flock(file, LOCK_SH) == 0,
        "signals by an owner": libc.fcntl(file, F_SETOWN, os.getpid()) == 0,
        "signals to others": libc.kill(settings["parent"], 0) == 0 or libc.kill(os.getppid(), 0) == 0,
        "emptying what may be read": _succeeds(lambda: os.open(os.devnull, os.O_TRUNC)),
        "opening in no mode": _succeeds(lambda: os.open(os.devnull, os.O_ACCMODE)),
        "another program": _succeeds(lambda: os.execv("/bin/true", ["true"])),
        "another process": _succeeds(_fork),
        "ptrace": libc.ptrace(0, 0, 0, 0) == 0,  # last: a process that is traced stops at its next signal
    }
    return ", ".join(name for name, succeeded in possible.items() if succeeded)


def _fork():
    process = os.fork()
    if process == 0:
        os._exit(0)
    os.waitpid(process, 0)


def _succeeds(attempt):
    try:
        attempt()
    except OSError:
        return False
    return True


ATTEMPTS = (read, environment, processes, network, write, fill, leave_marks, system_calls)


def main(settings):
    walls = types.ModuleType("walls")
    exec(settings["walls"], vars(walls))
    if settings["landlock"]:
        walls.shut_in(**settings["landlock"])
    facts = {"privileges": privileges(settings)}  # a worker has no more, and may not ask
    walls.install_filter(bytes.fromhex(settings["worker_filter"]))
    for attempt in ATTEMPTS:
        try:
            facts[attempt.__name__] = attempt(settings)
        except Exception as error:
            facts[attempt.__name__] = f"the attempt could not be made: {error!r}"
    print(json.dumps(facts))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
