"""Runs inside, alone: tries what must not be possible and prints what was.

    python -I -S -B -c <this text> <settings as JSON>      ->      {"network": "", "write": "wrote to /usr", ...}

"" means that the attempt failed, as it should; anything else says what succeeded.
"""

import ctypes
import json
import os
import socket
import sys

CLONE_NEWUSER = 0x10000000
AF_VSOCK = 40


def read(settings):
    return ", ".join(path for path in settings["secrets"] if os.path.lexists(path))


def environment(settings):
    leaks = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                names = {entry.split(b"=")[0].decode() for entry in file.read().split(b"\0") if entry}
        except OSError:
            continue
        leaks += sorted(names - set(settings["environment"]))
    return ", ".join(leaks)


def processes(settings):
    seen = [name for name in os.listdir("/proc") if name.isdigit()]
    return f"{len(seen)} processes are visible" if len(seen) > 4 or os.getpid() > 16 else ""


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
    for folder in ("/", "/etc", "/usr", "/dev", "/dev/shm", "/tmp", "/proc/sys/kernel", *settings["read_only"]):
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
    path = os.path.join(settings["scratch"], "filled")
    try:
        with open(path, "wb") as file:
            for _ in range(2 + settings["tmp"] // (1 << 16)):
                file.write(b"\1" * (1 << 16))
    except OSError:
        return ""
    return "the scratch folder has no end"


def privileges(settings):
    with open("/proc/self/status") as file:
        status = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
    held = [name for name in ("CapInh", "CapPrm", "CapEff", "CapAmb") if int(status[name], 16)]
    if settings["root_outside"] and os.getuid() == 0:
        held.append("user id 0")
    if status["NoNewPrivs"].strip() != "1":
        held.append("new privileges")
    try:
        os.setuid(0)
        held.append("setuid(0)")
    except OSError:
        pass
    return ", ".join(held)


def system_calls(settings):
    libc = ctypes.CDLL(None, use_errno=True)
    possible = {
        "new user namespace": libc.unshare(CLONE_NEWUSER) == 0,
        "ptrace": libc.ptrace(0, 0, 0, 0) == 0,
        "memfd_create": hasattr(libc, "memfd_create") and libc.memfd_create(b"x", 0) >= 0,
        "limits of others": libc.prlimit(os.getppid(), 7, None, ctypes.create_string_buffer(16)) == 0,
    }
    return ", ".join(name for name, succeeded in possible.items() if succeeded)


ATTEMPTS = (read, environment, processes, network, write, fill, privileges, system_calls)

if __name__ == "__main__":
    facts = {}
    for attempt in ATTEMPTS:
        try:
            facts[attempt.__name__] = attempt(json.loads(sys.argv[1]))
        except Exception as error:
            facts[attempt.__name__] = f"the attempt could not be made: {error!r}"
    print(json.dumps(facts))
