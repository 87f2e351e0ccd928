"""Seccomp filters as BPF programs: which system calls the kernel refuses to a process, whatever it runs.

`for_everything` holds for all processes in a sandbox. `for_worker` holds besides for the process that runs a student's
code, from its first instruction on: it is one process and stays one, and it changes nothing about a file but its
contents. System calls newer than this table do not exist in a sandbox, so libc falls back to what it knows.

Sources: Linux, Documentation/userspace-api/seccomp_filter.rst; numbers from arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h.
"""

import errno
import functools
import os
import socket
import struct
from collections.abc import Iterable
from typing import NamedTuple

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # machine -> AUDIT_ARCH_*
NEWEST = 450  # of the table; on both architectures
CLONE_THREAD, CLONE_NEWUSER = 0x10000, 0x10000000

# name:number on x86_64:number on aarch64
REFUSED = """
    ptrace:101:117 process_vm_readv:310:270 process_vm_writev:311:271 kcmp:312:272 pidfd_getfd:438:438
    process_madvise:440:440 process_mrelease:448:448 bpf:321:280 perf_event_open:298:241 userfaultfd:323:282
    io_uring_setup:425:425 io_uring_enter:426:426 io_uring_register:427:427 keyctl:250:219 add_key:248:217
    request_key:249:218 mount:165:40 umount2:166:39 pivot_root:155:41 chroot:161:51 unshare:272:97 setns:308:268
    move_mount:429:429 open_tree:428:428 fsopen:430:430 fsmount:432:432 fsconfig:431:431 fspick:433:433
    mount_setattr:442:442 kexec_load:246:104 kexec_file_load:320:294 init_module:175:105 finit_module:313:273
    delete_module:176:106 memfd_create:319:279 memfd_secret:447:447 shmget:29:194 shmat:30:196 shmctl:31:195
    msgget:68:186 semget:64:190 mq_open:240:180 name_to_handle_at:303:264 open_by_handle_at:304:265 quotactl:179:60
    quotactl_fd:443:443 acct:163:89 swapon:167:224 swapoff:168:225 reboot:169:142 setpriority:141:140
    ioprio_set:251:30 sched_setaffinity:203:122 sched_setattr:314:274 sched_setparam:142:118
    sched_setscheduler:144:119 syslog:103:116 sethostname:170:161 setdomainname:171:162 clock_settime:227:112
    settimeofday:164:170 adjtimex:159:171 clock_adjtime:305:266 vhangup:153:58 iopl:172:- ioperm:173:-
    modify_ldt:154:- uselib:134:- lookup_dcookie:212:18 nfsservctl:180:42 personality:135:92 fanotify_init:300:262
    inotify_init:253:- inotify_init1:294:26
"""
REFUSED_TO_WORKERS = """
    fork:57:- vfork:58:- execve:59:221 execveat:322:281 kill:62:129 tkill:200:130 tgkill:234:131
    rt_sigqueueinfo:129:138 rt_tgsigqueueinfo:297:240 pidfd_open:434:434 pidfd_send_signal:424:424 socketpair:53:199
    connect:42:203 bind:49:200 listen:50:201 accept:43:202 accept4:288:242 sendmsg:46:211 sendmmsg:307:269
    recvmsg:47:212 recvmmsg:299:243 chmod:90:- fchmod:91:52 fchmodat:268:53 chown:92:- fchown:93:55 lchown:94:-
    fchownat:260:54 utime:132:- utimes:235:- futimesat:261:- utimensat:280:88 setxattr:188:5 lsetxattr:189:6
    fsetxattr:190:7 removexattr:197:14 lremovexattr:198:15 fremovexattr:199:16 truncate:76:45 mknod:133:-
    mknodat:259:33 link:86:- linkat:265:37 symlink:88:- symlinkat:266:36
"""
# Another process's memory, a process that can be told apart from its threads, metadata that outlives an exercise.

# BPF instructions, struct sock_filter of <linux/filter.h>
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
ALLOW, KILL_PROCESS, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


class Rule(NamedTuple):
    """A system call that is refused with `error`, either always or if its argument 0 satisfies `test` with `value`."""

    call: str  # as in the tables: "name:number:number"
    error: int = errno.EPERM
    test: str = ""  # "" always, "!=" differs, "&" has one of the bits, "!&" has none of them
    value: int = 0


BASE_RULES = (
    *(Rule(call) for call in REFUSED.split()),
    Rule("clone:56:220", test="&", value=CLONE_NEWUSER),
    # A filter cannot read the flags of clone3, which are in memory: without it libc falls back to clone.
    Rule("clone3:435:435", errno.ENOSYS),
    # A process may lower its own limits, but not another process's of the same user.
    Rule("prlimit64:302:261", test="!=", value=0),
    Rule("socket:41:198", errno.EAFNOSUPPORT, "!=", socket.AF_UNIX),
)
WORKER_RULES = (
    *(Rule(call) for call in REFUSED_TO_WORKERS.split()),
    Rule("clone:56:220", test="!&", value=CLONE_THREAD),
    Rule("socket:41:198", errno.EAFNOSUPPORT),
)


@functools.cache
def for_everything() -> bytes:
    """Return the seccomp filter for every process in the sandbox."""
    return program(BASE_RULES, os.uname().machine)


@functools.cache
def for_worker() -> bytes:
    """Return the additional seccomp filter for the process that runs a student's code."""
    return program(WORKER_RULES, os.uname().machine)


def program(rules: Iterable[Rule], machine: str) -> bytes:
    """Return the BPF instructions (an array of struct sock_filter) that refuse the rules' calls and allow all others.

    Raises:
        OSError: there is no table for this machine.
    """
    if machine not in ARCHITECTURES:
        raise OSError(f"no seccomp filter is known for the machine {machine}, only for {', '.join(ARCHITECTURES)}")
    column = 1 + list(ARCHITECTURES).index(machine)
    code = [_step(LOAD, ARCHITECTURE), _step(EQUAL, ARCHITECTURES[machine], 1, 0), _step(RETURN, KILL_PROCESS)]
    code += [_step(LOAD, NUMBER), _step(AT_LEAST, NEWEST + 1, 0, 1), _step(RETURN, ERRNO | errno.ENOSYS)]
    for rule in rules:
        number = rule.call.split(":")[column]
        if number != "-":
            code += _refusal(int(number), rule)
    return b"".join([*code, _step(RETURN, ALLOW)])


def _refusal(number: int, rule: Rule) -> list[bytes]:
    refuse = _step(RETURN, ERRNO | rule.error)
    if not rule.test:
        return [_step(EQUAL, number, 0, 1), refuse]
    # A call with a test has no other rule: the accumulator need not hold its number again.
    if_true, if_false = (1, 0) if rule.test.startswith("!") else (0, 1)
    jump = EQUAL if rule.test == "!=" else ANY_BIT
    return [
        _step(EQUAL, number, 0, 4), _step(LOAD, FIRST_ARGUMENT), _step(jump, rule.value, if_true, if_false),
        refuse, _step(RETURN, ALLOW),
    ]  # fmt: skip


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
