"""Seccomp filters as BPF programs: which system calls the kernel refuses to a process, whatever it runs.

`for_everything` holds for all processes in a sandbox and refuses a list. `for_worker` holds besides for the process
that runs a student's code, and allows a list: what Python, NumPy and numba were seen to call there in every lab, what
other versions of libc call instead, and some that tell or change nothing outside, such as `getpid` and `nanosleep`.
System calls newer than this table do not exist in a sandbox, so libc falls back to what it knows.

A filter reads the numbers in a call's registers and nothing that they point to: paths are for Landlock and namespaces.

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
NEWEST = 450  # of the tables; on both architectures
CLONE_NEWUSER = 0x10000000
# CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID: how libc starts a thread
A_THREAD = 0x3D0F00
EVERY_BIT = 0xFFFFFFFF

# name:number on x86_64:number on aarch64
REFUSED = """
    ptrace:101:117 process_vm_readv:310:270 process_vm_writev:311:271 kcmp:312:272 pidfd_getfd:438:438
    process_madvise:440:440 process_mrelease:448:448 bpf:321:280 perf_event_open:298:241 userfaultfd:323:282
    io_uring_setup:425:425 io_uring_enter:426:426 io_uring_register:427:427 keyctl:250:219 add_key:248:217
    request_key:249:218 mount:165:40 umount2:166:39 pivot_root:155:41 chroot:161:51 unshare:272:97 setns:308:268
    move_mount:429:429 open_tree:428:428 fsopen:430:430 fsmount:432:432 fsconfig:431:431 fspick:433:433
    mount_setattr:442:442 kexec_load:246:104 kexec_file_load:320:294 init_module:175:105 finit_module:313:273
    delete_module:176:106 memfd_create:319:279 memfd_secret:447:447 name_to_handle_at:303:264
    open_by_handle_at:304:265 quotactl:179:60 quotactl_fd:443:443 acct:163:89 swapon:167:224 swapoff:168:225
    reboot:169:142 setpriority:141:140 ioprio_set:251:30 sched_setaffinity:203:122 sched_setattr:314:274
    sched_setparam:142:118 sched_setscheduler:144:119 syslog:103:116 sethostname:170:161 setdomainname:171:162
    clock_settime:227:112 settimeofday:164:170 adjtimex:159:171 clock_adjtime:305:266 vhangup:153:58 iopl:172:-
    ioperm:173:- modify_ldt:154:- uselib:134:- lookup_dcookie:212:18 nfsservctl:180:42 personality:135:92

    fadvise64:221:223 mincore:27:232 readahead:187:213 pwritev2:328:287 sync:162:81 syncfs:306:267
    sync_file_range:277:84 splice:275:76 tee:276:77 vmsplice:278:75 move_pages:279:239 migrate_pages:256:238
    flock:73:32 fanotify_init:300:262 fanotify_mark:301:263 inotify_init:253:- inotify_init1:294:26
    inotify_add_watch:254:27 inotify_rm_watch:255:28 io_setup:206:0 io_submit:209:2
    shmget:29:194 shmat:30:196 shmctl:31:195 shmdt:67:197 msgget:68:186 msgsnd:69:189 msgrcv:70:188 msgctl:71:187
    semget:64:190 semop:65:193 semctl:66:191 semtimedop:220:192 mq_open:240:180 mq_unlink:241:181
    mq_timedsend:242:182 mq_timedreceive:243:183 mq_notify:244:184 mq_getsetattr:245:185
"""
# The first part is for escapes; the second tells what another process has read, or talks to it.

# These fail as on a file system without them, which is what `shutil.copytree` goes on after.
ATTRIBUTES = """
    setxattr:188:5 lsetxattr:189:6 fsetxattr:190:7 getxattr:191:8 lgetxattr:192:9 fgetxattr:193:10 listxattr:194:11
    llistxattr:195:12 flistxattr:196:13 removexattr:197:14 lremovexattr:198:15 fremovexattr:199:16
"""

# What a worker may call with any arguments, the most frequent first.
NEEDED = """
    newfstatat:262:79 munmap:11:215 write:1:64 rt_sigprocmask:14:135 read:0:63 brk:12:214 lseek:8:62 gettid:186:178
    close:3:57 mmap:9:222 rt_sigaction:13:134 rseq:334:293 set_robust_list:273:99 exit:60:93 mkdir:83:- mkdirat:258:34
    getcwd:79:17 mprotect:10:226 getdents64:217:61 exit_group:231:94 mremap:25:216 getrandom:318:278 rename:82:-
    renameat:264:38 renameat2:316:276 unlink:87:- unlinkat:263:35 rmdir:84:- chdir:80:49 stat:4:- fstat:5:80 lstat:6:-
    statx:332:291 access:21:- faccessat:269:48 faccessat2:439:439 pread64:17:67 writev:20:66 clock_nanosleep:230:115
    nanosleep:35:101 select:23:- pselect6:270:72 clock_gettime:228:113 clock_getres:229:114 gettimeofday:96:169
    time:201:- sched_yield:24:124 sched_getaffinity:204:123 getpid:39:172 getppid:110:173 getuid:102:174 geteuid:107:175
    getgid:104:176 getegid:108:177 uname:63:160 sigaltstack:131:132 rt_sigreturn:15:139 restart_syscall:219:128
"""

# BPF instructions, struct sock_filter of <linux/filter.h>
LOAD, AND, EQUAL, AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
ALLOW, KILL_PROCESS, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


class Rule(NamedTuple):
    """A system call that is refused with `error` unless the bits `mask` of its argument are one of `values`.

    The kernel reads no more than the lower 32 bits of any argument that is named in this file.
    """

    call: str  # as in the tables: "name:number:number"
    error: int = errno.EPERM
    argument: int = 0
    values: tuple[int, ...] = ()  # none: it is refused always
    mask: int = EVERY_BIT


# For every process in the sandbox, and each error is one after which libc and Python go on without the call.
COMMON_RULES = (
    # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC: no lock, no lease, no notice, no owner or signal
    Rule("fcntl:72:25", argument=1, values=(0, 1, 2, 3, 4, 1030)),
    # TCGETS, FIOCLEX, FIONCLEX, FIONBIO, TIOCGWINSZ: no flags of an inode, no owner
    Rule("ioctl:16:29", errno.ENOTTY, 1, (0x5401, 0x5451, 0x5450, 0x5421, 0x5413)),
    # MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE: of one's own memory, never of files
    Rule("madvise:28:233", errno.EINVAL, 2, (4, 8, 14, 15)),
    # A process may lower its own limits, but not another process's of the same user.
    Rule("prlimit64:302:261", values=(0,)),
    # A filter cannot read the flags of clone3, which are in memory: without it libc falls back to clone.
    Rule("clone3:435:435", errno.ENOSYS),
)
BASE_RULES = (
    *(Rule(call) for call in REFUSED.split()),
    *(Rule(call, errno.ENOTSUP) for call in ATTRIBUTES.split()),
    *COMMON_RULES,
    Rule("clone:56:220", values=(0,), mask=CLONE_NEWUSER),
    # os.preadv, with which the first process reads the answers, is this with no flags: RWF_NOWAIT tells what is cached.
    Rule("preadv2:327:286", argument=5, values=(0,)),
    Rule("socket:41:198", errno.EAFNOSUPPORT, values=(socket.AF_UNIX,)),
)
WORKER_RULES = (
    # FUTEX_WAIT, FUTEX_WAKE and FUTEX_WAIT_BITSET within the process. Of those that reach another process, through a
    # page of a file that both have mapped, only waiting, which pthread_join needs. The end of a thread can wake it.
    Rule("futex:202:98", argument=1, values=(129, 137, 393, 128, 0, 9, 265)),
    *COMMON_RULES,
    Rule("clone:56:220", values=(A_THREAD,)),
    Rule("prctl:157:167", errno.EINVAL, values=(15,)),  # PR_SET_NAME, of a thread
    # O_TRUNC only with writing: Landlock before ABI 3 judges the access mode alone. Mode 3 neither reads nor writes, so
    # Landlock allows it for every file, and it opens devices and, with O_TRUNC, empties files.
    Rule("openat:257:56", argument=2, values=(0, 1, 2, 0o1001, 0o1002), mask=0o1003),
)


@functools.cache
def for_everything() -> bytes:
    """Return the seccomp filter for every process in the sandbox."""
    return program(BASE_RULES, None, os.uname().machine)


@functools.cache
def for_worker() -> bytes:
    """Return the additional seccomp filter for the process that runs a student's code."""
    return program(WORKER_RULES, NEEDED.split(), os.uname().machine)


def program(rules: Iterable[Rule], needed: Iterable[str] | None, machine: str) -> bytes:
    """Return the BPF instructions (an array of struct sock_filter) that apply the rules.

    Args:
        rules: which calls are refused, always or for some arguments.
        needed: the other calls that are allowed, in the form of the tables; None allows all others.
        machine: one of ARCHITECTURES.
    Raises:
        OSError: there is no table for this machine.
    """
    if machine not in ARCHITECTURES:
        raise OSError(f"no seccomp filter is known for the machine {machine}, only for {', '.join(ARCHITECTURES)}")
    column = 1 + list(ARCHITECTURES).index(machine)
    code = [_step(LOAD, ARCHITECTURE), _step(EQUAL, ARCHITECTURES[machine], 1, 0), _step(RETURN, KILL_PROCESS)]
    code += [_step(LOAD, NUMBER), _step(AT_LEAST, NEWEST + 1, 0, 1), _step(RETURN, ERRNO | errno.ENOSYS)]
    code += [step for rule in rules for step in _only_for(rule.call, column, _refusal(rule))]
    code += [step for call in needed or () for step in _only_for(call, column, [_step(RETURN, ALLOW)])]
    return b"".join([*code, _step(RETURN, ALLOW if needed is None else ERRNO | errno.EPERM)])


def _only_for(call: str, column: int, steps: list[bytes]) -> list[bytes]:
    """Return `steps` behind a test of the call's number, or nothing where the architecture has no such call."""
    number = call.split(":")[column]
    return [] if number == "-" else [_step(EQUAL, int(number), 0, len(steps)), *steps]


def _refusal(rule: Rule) -> list[bytes]:
    refuse = _step(RETURN, ERRNO | rule.error)
    if not rule.values:
        return [refuse]
    load = [_step(LOAD, ARGUMENTS + 8 * rule.argument)] + [_step(AND, rule.mask)] * (rule.mask != EVERY_BIT)
    tests = [_step(EQUAL, value, len(rule.values) - at, 0) for at, value in enumerate(rule.values)]
    return [*load, *tests, refuse, _step(RETURN, ALLOW)]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
