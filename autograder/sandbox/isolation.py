"""How a command is shut in: bubblewrap's arguments, a seccomp filter, limits of the processes inside.

Inside there is: the interpreter and its standard library, the packages of PACKAGES, the engine's image,
and one small tmpfs to write to. Not inside: this repository, the gradebook, any home, the network, other processes.
Kept apart from `canary.py`, which believes none of this and tries.
"""

import ctypes.util
import errno
import functools
import importlib.util
import itertools
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

PACKAGES = ("numpy", "numba", "llvmlite", "msgpack", "yaml")
IMAGE = "/image"  # where the engine's image lies inside
KERNELS = "/kernels"  # where numba's compiled kernels lie inside
SCRATCH = "/sandbox-tmp"  # the one writable folder inside; not /tmp, where an interpreter may lie that we bind
REPOSITORY = Path(__file__).resolve().parents[2]
NO_NEW_USER_NAMESPACES = (0, 8, 0)  # first bubblewrap with --disable-userns
CLONE_NEWUSER = 0x10000000
DENIED_CALLS = """
    ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd bpf perf_event_open userfaultfd
    io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key
    mount umount2 pivot_root chroot unshare setns move_mount open_tree fsopen fsmount fsconfig fspick mount_setattr
    kexec_load kexec_file_load init_module finit_module delete_module memfd_create memfd_secret
    shmget shmat msgget semget mq_open name_to_handle_at open_by_handle_at quotactl acct swapon swapoff reboot
    setpriority ioprio_set sched_setaffinity sched_setattr sched_setparam sched_setscheduler
""".split()  # noqa: SIM905


@dataclass(frozen=True)
class Limits:
    """What one submission may use. Seconds are of the wall clock unless a name says CPU; sizes in bytes."""

    answer_seconds: float = 5.0  # one call
    exercise_seconds: float = 30.0  # all calls of one exercise
    start_seconds: float = 60.0  # until the sandbox answers: ours, not the student's
    order_seconds: float = 5.0  # until the zygote has forked, or has killed and cleaned
    cpu_seconds: int = 30  # of one process
    memory: int = 2 << 30  # all processes together
    address_space: int = 1 << 30  # of one process, beyond what it begins with
    processes: int = 32
    open_files: int = 64
    file: int = 16 << 20
    tmp: int = 32 << 20
    output: int = 1 << 20  # printed by one exercise

    def for_lab(self, lab: str) -> "Limits":
        """These, or what the exercises of a lab such as "05-cpu" need where that is more."""
        return replace(self, **{name: max(getattr(self, name), least) for name, least in NEEDED.get(lab, {}).items()})


# Numba compiles a student's kernel in a second or two, on a busy machine in several; a loop of training in lab 7 loads
# or compiles those of the engine. A CUDA thread that waits at a barrier is a thread of the system, and a block has up
# to 512 of them here.
NEEDED: dict[str, dict[str, float | int]] = {
    "05-cpu": {"answer_seconds": 15.0, "exercise_seconds": 60.0, "cpu_seconds": 60},
    "06-cuda": {"processes": 640},
    "07-profiler": {"answer_seconds": 15.0, "exercise_seconds": 60.0},
}


def python_command() -> list[str]:
    """The interpreter without site packages, environment variables or bytecode that it would write."""
    return [os.path.realpath(sys.executable), "-I", "-S", "-B"]


def package_folders() -> list[str]:
    """Folders of PACKAGES, with the shared libraries that wheels put beside them."""
    folders = []
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise RuntimeError(f"the sandbox needs the package {package}, which is not installed")
        folder = os.path.realpath(spec.submodule_search_locations[0])
        folders += [path for path in (folder, f"{folder}.libs") if os.path.isdir(path)]
    return folders


def bubblewrap_command(
    command: list[str], limits: Limits, seccomp: int, image: Path | None = None, folders: tuple[str, ...] = ()
) -> list[str]:
    """`command`, shut in. Start it with env={}: the environment of the first process stays readable.

    Args:
        command: argv of the program inside.
        limits: only the size of the tmpfs is used here; the zygote sets the others on its workers.
        seccomp: file descriptor of the filter (`seccomp_filter`), inherited by bubblewrap.
        image: folder that appears as IMAGE, read-only.
        folders: further words for bubblewrap, such as ("--ro-bind", "/there", KERNELS).
    """
    argv = [shutil.which("bwrap") or "bwrap", "--die-with-parent", "--new-session", "--hostname", "sandbox"]
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
    argv += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", SCRATCH, "--seccomp", str(seccomp), "--"]
    return argv + _drop_root() + command


def _identity() -> list[str]:
    if os.geteuid() != 0:
        disable = ["--disable-userns"] if _bubblewrap_version() >= NO_NEW_USER_NAMESPACES else []
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
    """A user id of its own for each sandbox: limits on processes count per user."""
    with open("/proc/self/uid_map") as lines:
        mapped = max(int(start) + int(count) for start, _, count in map(str.split, lines))
    # Inside a container few ids exist; 61184-65519 are the ones that systemd hands out for a moment.
    first, count = (200_000, 1_000_000) if mapped > 1_200_000 else (61_184, 4_336)
    return first + (os.getpid() * 64 + next(_uids)) % count


def environment() -> dict[str, str]:
    """The environment variables inside, all of them."""
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    return {"PATH": "/usr/bin:/bin", "HOME": SCRATCH, "TMPDIR": SCRATCH, "LANG": "C.UTF-8",
            "NUMBA_CACHE_DIR": f"{SCRATCH}/numba", "ENGINE_PROGRESS": "0",
            "NUMBA_ENABLE_CUDASIM": "1", "MALLOC_ARENA_MAX": "2"} | one_thread  # fmt: skip


def _system_files() -> list[str]:
    argv = ["--ro-bind", "/usr", "/usr"]
    for name in ("/bin", "/sbin", "/lib", "/lib64", "/lib32"):
        if os.path.islink(name):
            argv += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            argv += ["--ro-bind", name, name]
    return [*argv, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache", "--proc", "/proc", "--dev", "/dev"]


def _python_files() -> list[str]:
    """The interpreter, everything that could be installed beside it hidden, and PACKAGES put back."""
    base = os.path.realpath(sys.base_prefix)
    folders = package_folders()
    bound = ["/usr"] if Path(base).is_relative_to("/usr") else ["/usr", base]
    argv = _made_parents([*bound[1:], *folders])
    for folder in bound[1:]:
        argv += ["--ro-bind", folder, folder]
    hidden = [folder for folder in _hidden_folders(base) if any(Path(folder).is_relative_to(top) for top in bound)]
    for folder in hidden:
        argv += ["--perms", "0755", "--tmpfs", folder]
    for folder in folders:
        argv += ["--ro-bind", folder, folder]
    for folder in hidden:
        argv += ["--remount-ro", folder]
    return argv


def _hidden_folders(base: str) -> list[str]:
    """Folders with other people's packages or with our secrets, should they lie below a folder that is bound."""
    installed = sysconfig.get_paths(vars={"base": base, "platbase": base})
    found = {installed["purelib"], installed["platlib"], str(REPOSITORY), os.path.expanduser("~")}
    for pattern in ("lib/python3*/dist-packages", "lib/python3*/site-packages", "lib64/python3*/site-packages"):
        for top in ("/usr", "/usr/local", base):
            found.update(str(path) for path in Path(top).glob(pattern))
    real = {os.path.realpath(folder) for folder in found if os.path.isdir(folder)}
    return sorted(folder for folder in real if not Path(base).is_relative_to(folder))


def _made_parents(folders: list[str]) -> list[str]:
    """Bubblewrap would make missing parents readable to their owner alone, and the worker is another user."""
    parents = {parent for folder in folders for parent in Path(folder).parents if len(parent.parts) > 1}
    own = [parent for parent in parents if not parent.is_relative_to("/usr")]
    return [word for parent in sorted(own) for word in ("--perms", "0755", "--dir", str(parent))]


@functools.cache
def _bubblewrap_version() -> tuple[int, ...]:
    try:
        printed = subprocess.run(["bwrap", "--version"], capture_output=True, text=True, timeout=10).stdout
    except OSError:
        return (0,)
    return tuple(int(number) for number in re.findall(r"\d+", printed)) or (0,)


def seccomp_filter() -> IO[bytes]:
    """The compiled filter as an open file, for bubblewrap's --seccomp.

    Raises:
        OSError: libseccomp is not installed.
    """
    file = tempfile.TemporaryFile()  # noqa: SIM115 (the caller passes it on and closes it)
    file.write(_seccomp_program())
    file.seek(0)
    return file


@functools.cache
def _seccomp_program() -> bytes:
    if ctypes.util.find_library("seccomp") is None and not _loads("libseccomp.so.2"):
        raise OSError("libseccomp is not installed")
    import pyseccomp

    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    refuse = pyseccomp.ERRNO(errno.EPERM)
    for name in DENIED_CALLS:
        try:
            rules.add_rule(refuse, name)
        except (OSError, ValueError):  # an older libseccomp, or an architecture without this call
            continue
    rules.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER))
    # A filter can't read the flags of clone3, which lie in memory: without it libc falls back to clone.
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    # A worker may lower its own limits, but not those of the zygote, which has the same user id.
    rules.add_rule(refuse, "prlimit64", pyseccomp.Arg(0, pyseccomp.NE, 0))
    rules.add_rule(pyseccomp.ERRNO(errno.EAFNOSUPPORT), "socket", pyseccomp.Arg(0, pyseccomp.NE, socket.AF_UNIX))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
