"""The walls that a process puts around itself, for good: no capabilities, Landlock, a seccomp filter.

Runs inside, before a student's code does, with ctypes alone. None of it asks for privileges; Linux 5.13 has Landlock,
and later versions more of it: ABI 1 has files and folders, ABI 2 moves between folders, the others what SINCE says.

Sources: landlock(7), seccomp(2), capabilities(7); struct landlock_ruleset_attr of <linux/landlock.h>.
"""

import ctypes
import os
import struct
from collections.abc import Iterable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
VERSION, PATH_BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = 1, 2, 4, 8, 16, 32
MAKE_DIR, MAKE_REG, REFER, TRUNCATE, IOCTL_DEV = 1 << 7, 1 << 8, 1 << 13, 1 << 14, 1 << 15
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
TO_READ = EXECUTE | READ_FILE | READ_DIR
TO_WRITE = READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | MAKE_DIR | MAKE_REG | REMOVE_DIR | REMOVE_FILE | REFER
# ABI -> what it adds here; `seccomp.for_worker` refuses each of them, too
SINCE = {3: "truncation", 4: "TCP", 5: "requests to devices", 6: "abstract sockets and signals"}
TCP, SCOPES = 3, 3  # bind and connect; abstract sockets and signals

PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 22, 24, 38
SECCOMP_MODE_FILTER = 2
CAPABILITIES = range(64)
CAPABILITY_VERSION_3 = 0x20080522


def shut_in(listed: Iterable[str], readable: Iterable[str], writable: Iterable[str], abi: int, program: str) -> None:
    """Isolate this process: drop its capabilities, call `restrict_files`, and install a filter given in hexadecimal.

    Raises:
        OSError: the kernel has no Landlock.
    """
    drop_capabilities()
    restrict_files(listed, readable, writable, abi)
    install_filter(bytes.fromhex(program))


def landlock_abi() -> int:
    """Return the Landlock ABI version to use, or 0 without Landlock: the kernel's, or LANDLOCK_ABI if that is lower."""
    of_kernel = _libc().syscall(CREATE_RULESET, None, ctypes.c_size_t(0), VERSION)
    return max(0, min(of_kernel, int(os.environ.get("LANDLOCK_ABI", max(SINCE)))))


def restrict_files(listed: Iterable[str], readable: Iterable[str], writable: Iterable[str], abi: int) -> None:
    """Restrict this process and its children to these paths (and all below them), and forbid TCP.

    Args:
        listed: folders whose names may be listed.
        readable: files and folders that may be read and executed; missing ones are left out.
        writable: folders that may be written to, and files.
        abi: as `landlock_abi` says.
    Raises:
        OSError: the kernel has no Landlock.
    """
    known = (1 << 13) - 1
    known |= sum(right for right, since in ((REFER, 2), (TRUNCATE, 3), (IOCTL_DEV, 5)) if abi >= since)
    attributes = struct.pack("=QQQ", known, TCP if abi >= 4 else 0, SCOPES if abi >= 6 else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    ruleset = _checked(_libc().syscall(CREATE_RULESET, attributes, ctypes.c_size_t(size), 0))
    for paths, rights in ((listed, READ_DIR), (readable, TO_READ), (writable, TO_WRITE)):
        for path in paths:
            _allow(ruleset, path, rights & known)
    forbid_new_privileges()
    _checked(_libc().syscall(RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        rights &= OF_A_FILE
    if rights:
        rule = struct.pack("=Qi", rights, descriptor)
        _checked(_libc().syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0))
    os.close(descriptor)


def install_filter(program: bytes) -> None:
    """Install a filter built by `seccomp.program` on this thread, and on all threads and processes it starts."""
    forbid_new_privileges()
    instructions = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("@HP", len(program) // 8, ctypes.addressof(instructions))
    _checked(_libc().prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, described, 0, 0))


def drop_capabilities() -> None:
    """Drop all capabilities, so that even root has only the file permissions of an ordinary user."""
    for capability in CAPABILITIES:
        _libc().prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails beyond the last, and where there is none to drop
    forbid_new_privileges()
    header = struct.pack("=Ii", CAPABILITY_VERSION_3, 0)
    _checked(_libc().capset(header, struct.pack("=6I", *[0] * 6)))


def forbid_new_privileges() -> None:
    """Prevent programs that this process executes from gaining privileges, such as by setuid."""
    _checked(_libc().prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
