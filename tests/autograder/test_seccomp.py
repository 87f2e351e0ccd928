"""The seccomp filters: this kernel refuses all that is in no table, and each number of the tables is the right one."""

import ctypes
import ctypes.util
import errno
import json
import os
import struct
import subprocess
import sys

import pytest

from autograder.sandbox import seccomp, walls

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="not run: seccomp (this is not Linux)")
RULES = (*seccomp.BASE_RULES, *seccomp.WORKER_RULES)
NUMBERS = {machine: 1 + at for at, machine in enumerate(seccomp.ARCHITECTURES)}
ON_THIS = NUMBERS.get(os.uname().machine, 0)
BEYOND = range(seccomp.NEWEST + 1, 512)  # calls of newer kernels, such as cachestat
PROBES = {335, 336}  # on x86_64, of the kernel's own probes: no filter sees them, and they end whoever makes them
# Installs the filters and makes each call with arguments that no call accepts; prints name -> errno.
PROGRAM = f"""
import ctypes, json, sys, types
walls = types.ModuleType("walls")
exec(open({walls.__file__!r}).read(), vars(walls))
for program in {[seccomp.for_everything().hex(), seccomp.for_worker().hex()]!r}:
    walls.install_filter(bytes.fromhex(program))
libc = ctypes.CDLL(None, use_errno=True)
found = {{}}
for number in json.loads(sys.argv[1]):
    ctypes.set_errno(0)
    found[number] = ctypes.get_errno() if libc.syscall(number, -1, -1, -1, -1, -1, -1) == -1 else 0
print(json.dumps(found))
"""
# No worker may call these, whatever the arguments and whatever the tables say.
NEVER = """
    fork vfork execve execveat kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal ptrace
    process_vm_readv process_vm_writev kcmp process_madvise bpf perf_event_open userfaultfd io_uring_setup keyctl mount
    unshare setns chroot socket socketpair connect bind listen accept sendmsg recvmsg sendto recvfrom memfd_create
    chmod fchmod fchmodat chown fchown fchownat utime utimes utimensat truncate mknod mknodat link linkat symlink
    symlinkat readlink readlinkat setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr
    flistxattr removexattr fadvise64 preadv2 pwritev2 mincore readahead sync syncfs sync_file_range splice tee vmsplice
    move_pages flock inotify_init inotify_init1 inotify_add_watch fanotify_init fanotify_mark io_setup io_submit
    shmget shmat shmctl msgget msgsnd msgrcv msgctl semget semop semctl semtimedop mq_open mq_unlink mq_timedsend
    mq_timedreceive mq_notify mq_getsetattr statfs fstatfs sysinfo set_tid_address setpriority sched_setaffinity
    setsid setpgid setuid setgid capset personality seccomp landlock_restrict_self open creat openat2 ftruncate
"""
# call, argument, values that a worker needs, values that are refused to it
ARGUMENTS = [
    # F_GETLK, F_SETLK, F_SETLKW, F_SETOWN, F_GETOWN, F_SETSIG, F_SETOWN_EX, F_OFD_*, F_SETLEASE, F_NOTIFY, F_ADD_SEALS
    ("fcntl", 1, (0, 1, 2, 3, 4, 1030), (5, 6, 7, 8, 9, 10, 15, 36, 37, 38, 1024, 1025, 1026, 1033)),
    # TIOCSTI, FIOASYNC, FIOSETOWN, FS_IOC_SETFLAGS, FS_IOC_GETFLAGS, FS_IOC_FSSETXATTR, FICLONE
    ("ioctl", 1, (0x5401, 0x5413, 0x5421, 0x5450, 0x5451),
     (0x5412, 0x5452, 0x8901, 0x40086602, 0x80086601, 0x401C5820, 0x40049409)),
    # MADV_WILLNEED, MADV_COLD, MADV_PAGEOUT, MADV_POPULATE_READ
    ("madvise", 2, (4, 8, 14, 15), (3, 20, 21, 22)),
    ("clone", 0, (0x3D0F00,), (0, 17, 0x11200, 0x10000, 0x3D0F00 | 0x10000000, 0x3D0F00 | 0x1000)),
    ("prctl", 0, (15,), (1, 4, 8, 22, 24, 38)),  # PR_SET_NAME; PR_SET_DUMPABLE and others
    ("prlimit64", 0, (0,), (1, 2, 0xFFFFFFFF)),
    # O_RDONLY, O_WRONLY, O_RDWR, O_CLOEXEC, "w"; O_TRUNC alone, and the mode that neither reads nor writes
    ("openat", 2, (0, 1, 2, 0o2000000, 0o2001101, 0o2001102), (0o1000, 0o2001000, 3, 0o1003, 0o2000003)),
    ("futex", 1, (128, 129, 137, 393, 0, 9, 265), (1, 3, 4, 5, 6, 7, 10, 11, 12)),  # FUTEX_WAKE and more, not private
]  # fmt: skip

# the same for every process inside, with one value of each kind
OF_ALL = [
    ("clone", 0, 17, 0x10000011),  # SIGCHLD; CLONE_NEWUSER
    ("preadv2", 5, 0, 8),  # RWF_NOWAIT
    ("socket", 0, 1, 2),  # AF_UNIX, AF_INET
    ("fcntl", 1, 1030, 8),
    ("ioctl", 1, 0x5401, 0x40086602),
    ("madvise", 2, 4, 3),
    ("prlimit64", 0, 0, 1),
]


def refused_always():
    """Name -> number on this machine of the calls that are refused whatever their arguments are."""
    fields = [rule.call.split(":") for rule in RULES if not rule.values]
    return {one[0]: int(one[ON_THIS]) for one in fields if one[ON_THIS] != "-"}


def numbers_in(calls, machine):
    """The numbers on a machine of calls in the form of the tables."""
    found = (call.split(":")[NUMBERS[machine]] for call in calls)
    return {int(number) for number in found if number != "-"}


def resolve(machine, name):
    """The number of a system call according to libseccomp; negative where the machine has no such call."""
    library = ctypes.util.find_library("seccomp")
    if library is None:
        pytest.skip("not run: libseccomp (it knows the numbers of every architecture)")
    of_library = ctypes.CDLL(library).seccomp_syscall_resolve_name_arch
    of_library.argtypes = [ctypes.c_uint32, ctypes.c_char_p]
    return of_library(seccomp.ARCHITECTURES[machine], name.encode())


def action(program, machine, number, argument=0, value=0):
    """Return a filter's answer to a call, computed from its instructions."""
    data = {0: number, 4: seccomp.ARCHITECTURES[machine], 16 + 8 * argument: value}
    steps, at, accumulator = list(struct.iter_unpack("=HBBI", program)), 0, 0
    while True:
        code, if_true, if_false, k = steps[at]
        at += 1
        if code == seccomp.RETURN:
            return k
        if code == seccomp.LOAD:
            accumulator = data.get(k, 0)
        elif code == seccomp.AND:
            accumulator &= k
        else:
            at += if_true if (accumulator == k if code == seccomp.EQUAL else accumulator >= k) else if_false


def for_worker(machine):
    return seccomp.program(seccomp.WORKER_RULES, seccomp.NEEDED.split(), machine)


@pytest.mark.skipif(not ON_THIS, reason="not run: seccomp (no table for this machine)")
def test_this_kernel_refuses_a_worker_all_that_is_not_in_the_table():
    machine = os.uname().machine
    allowed = numbers_in(seccomp.NEEDED.split(), machine)
    tested = numbers_in((rule.call for rule in seccomp.WORKER_RULES if rule.values), machine)
    others = sorted(set(range(seccomp.NEWEST + 1)) - allowed - tested - PROBES)
    getpid = 39 if ON_THIS == 1 else 172
    asked = [*others, *BEYOND, getpid]
    command = [sys.executable, "-c", PROGRAM, json.dumps(asked)]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert found.pop(str(getpid)) == 0
    assert {found.pop(str(number)) for number in BEYOND} == {errno.ENOSYS}
    assert found.pop(str(refused_always()["clone3"])) == errno.ENOSYS
    assert len(found) > 300
    assert {number for number, error in found.items() if error != errno.EPERM} == set()


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
def test_what_no_worker_may_call_is_refused_on_every_machine(machine):
    program = for_worker(machine)
    numbers = {name: resolve(machine, name) for name in NEVER.split()}
    assert sum(number >= 0 for number in numbers.values()) > 80
    allowed = [
        name for name, number in numbers.items() if number >= 0 and action(program, machine, number) == seccomp.ALLOW
    ]
    assert allowed == []


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
@pytest.mark.parametrize(("call", "argument", "needed", "refused"), ARGUMENTS)
def test_a_worker_calls_these_only_as_python_does(machine, call, argument, needed, refused):
    program, number = for_worker(machine), resolve(machine, call)
    found = {value: action(program, machine, number, argument, value) for value in (*needed, *refused)}
    assert {value for value in needed if found[value] != seccomp.ALLOW} == set()
    assert {value for value in refused if found[value] & 0xFFFF0000 != seccomp.ERRNO} == set()


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
def test_every_process_inside_is_refused_the_calls_of_the_first_table(machine):
    program = seccomp.program(seccomp.BASE_RULES, None, machine)
    refused = numbers_in([*seccomp.REFUSED.split(), *seccomp.ATTRIBUTES.split()], machine)
    assert {number for number in refused if action(program, machine, number) == seccomp.ALLOW} == set()
    for call, argument, needed, unneeded in OF_ALL:
        number = resolve(machine, call)
        assert action(program, machine, number, argument, needed) == seccomp.ALLOW
        assert action(program, machine, number, argument, unneeded) & 0xFFFF0000 == seccomp.ERRNO


def test_a_call_of_another_architecture_ends_the_process():
    program = for_worker("x86_64")
    assert action(program, "x86_64", 0) == seccomp.ALLOW
    assert action(program, "aarch64", 0) == seccomp.KILL_PROCESS


def test_numbers_are_those_of_libseccomp():
    wrong = []
    for call in [*(rule.call for rule in RULES), *seccomp.NEEDED.split()]:
        name, *numbers = call.split(":")
        for machine, number in zip(seccomp.ARCHITECTURES, numbers, strict=True):
            known = resolve(machine, name)
            if known != int(number) if number != "-" else known >= 0:
                wrong.append((name, machine, number, known))
    assert wrong == []


def test_a_machine_without_a_table_is_named():
    with pytest.raises(OSError, match="riscv64"):
        seccomp.program(seccomp.BASE_RULES, None, "riscv64")
