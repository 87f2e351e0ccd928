"""Attacks through what all processes share in the kernel: caches, locks, queues, owners, marks of files."""

from red_team.attack import Attack
from red_team.cells import answering_if, leaving

HOME = "os.environ['HOME']"
FILE = "os.open(modules['numpy'].__file__, 0)"  # read by every worker, written by none
CODE = "module('ctypes').c_void_p(module('ctypes').cast(libc.read, module('ctypes').c_void_p).value & -4096)"  # a page
BUFFER = "module('ctypes').create_string_buffer(1024)"
LONG = "module('ctypes').c_long"
FCNTL = "module('fcntl')"

# What is tried -> what it would have gained, and an expression that is true where the kernel does it.
TRIED = {
    # ---- the page cache
    "throws a file out of the page cache": (
        "a mark that another worker finds by the time that it reads",
        f"os.posix_fadvise({FILE}, 0, 0, os.POSIX_FADV_DONTNEED) is None",
    ),
    "reads only what is in the page cache": (
        "which pages of /usr another worker read",
        f"os.preadv({FILE}, [bytearray(1)], 0, os.RWF_NOWAIT) == 1",
    ),
    "asks which pages are in memory": (
        "which pages of /usr another worker read",
        f"libc.mincore({CODE}, {LONG}(4096), {BUFFER}) == 0",
    ),
    "counts pages in the page cache": (
        "how much of a file another worker read",
        f"libc.syscall(451, {FILE}, {BUFFER}, {BUFFER}, 0) == 0",
    ),
    "reads a file ahead": ("a mark in the page cache", f"libc.readahead({FILE}, {LONG}(0), {LONG}(4096)) == 0"),
    "has a mapped file read ahead": ("a mark in the page cache", f"libc.madvise({CODE}, {LONG}(4096), 3) == 0"),
    "has a mapped file thrown out": ("a mark in the page cache", f"libc.madvise({CODE}, {LONG}(4096), 21) == 0"),
    # ---- locks, leases, notices
    "locks a file for reading": (
        "a bit for a student who is judged at once and asks who holds the lock",
        f"{FCNTL}.lockf({FILE}, {FCNTL}.LOCK_SH) is None",
    ),
    "asks who holds a lock": (
        "the bit and the process id of another worker",
        f"{FCNTL}.fcntl({FILE}, {FCNTL}.F_GETLK, bytes(32)) is not None",
    ),
    "locks an open file": ("the same, for all who have it open", f"{FCNTL}.fcntl({FILE}, 37, bytes(32)) is not None"),
    "shares a lock by flock": ("the same", f"{FCNTL}.flock({FILE}, {FCNTL}.LOCK_SH) is None"),
    "takes a lease": (
        "a wait for whoever opens the file to remove it",
        f"{FCNTL}.fcntl(os.open({HOME} + '/leased', os.O_CREAT), {FCNTL}.F_SETLEASE, {FCNTL}.F_RDLCK) == 0",
    ),
    "is notified of a folder": (
        "when another worker reads /usr",
        f"{FCNTL}.fcntl(os.open('/usr', 0), {FCNTL}.F_NOTIFY, {FCNTL}.DN_ACCESS) == 0",
    ),
    "watches a folder": (
        "the names that another worker opens in /usr",
        "libc.inotify_add_watch(libc.inotify_init1(0), b'/usr', 1) >= 0",
    ),
    "wakes whoever waits at a page of libc": (
        "a bit for a student who is judged at once",
        f"libc.syscall({{'x86_64': 202, 'aarch64': 98}}[os.uname().machine], {CODE}, 1, 1, None, None, 0) >= 0",
    ),
    # ---- queues, semaphores
    "makes a queue of System V": ("a channel that stays after the exercise", "libc.msgget(0, 0o600) >= 0"),
    "counts queues of System V": (
        "the numbers of all queues of the machine, which can be read and removed by number",
        f"libc.msgctl(0, 12, {BUFFER}) >= 0",
    ),
    "counts semaphores of System V": ("the same of semaphores", f"libc.semctl(0, 0, 19, {BUFFER}) >= 0"),
    "counts shared memory of System V": ("the same of shared memory", f"libc.shmctl(0, 14, {BUFFER}) >= 0"),
    "removes a queue of POSIX by its name": (
        "the loss of a queue of another program",
        "libc.mq_unlink(b'/none') == 0 or module('ctypes').get_errno() == module('errno').ENOENT",
    ),
    # ---- files outside
    "lists extended attributes": ("labels of files that cannot be read", "os.listxattr('/usr') is not None"),
    "reads the target of a link": ("names outside of what can be listed", f"libc.readlink(b'/bin', {BUFFER}, 99) > 0"),
    "counts free inodes": ("how many files another one makes", "os.statvfs('/usr').f_ffree >= 0"),
    "counts processes": ("when another worker begins", f"libc.sysinfo({BUFFER}) == 0"),
    # ---- signals through an owner
    "makes its parent the owner of a file": (
        "a signal for any process of the account, from a kernel before Linux 6.12",
        f"{FCNTL}.fcntl({FILE}, {FCNTL}.F_SETOWN, os.getppid()) == 0",
    ),
    "makes a group the owner of a file": (
        "the same for a group of processes",
        f"{FCNTL}.fcntl({FILE}, 15, (2).to_bytes(4, 'little') + os.getppid().to_bytes(4, 'little')) is not None",
    ),
    "chooses the signal of a file": ("that this signal ends it", f"{FCNTL}.fcntl({FILE}, 10, 9) == 0"),
    "makes its own /proc readable": ("the residency of its pages", "libc.prctl(4, 1, 0, 0, 0) == 0"),
}
# What one exercise leaves on the folder, how the next finds it, and what it gains.
LEFT = {
    "the flags of the folder's inode": (
        f"{FCNTL}.ioctl(os.open({HOME}, 0), 0x40086602, (0x40).to_bytes(8, 'little'))",
        f"{FCNTL}.ioctl(os.open({HOME}, 0), 0x80086601, bytes(8))[0] & 0x40",
        "a mark that deleting the files does not remove",
    ),
    "the time of the folder's last reading": (
        f"os.listdir({HOME}); time.sleep(1); os._exit(0)",
        f"os.stat({HOME}).st_atime < time.time() - 0.9",
        "as many bits as the clock has",
    ),
    "the time of the terminals' last listing": (
        "time.sleep(1); os.listdir('/dev/pts')",
        "os.stat('/dev/pts').st_atime > os.stat('/dev/pts').st_mtime + 0.9 and os.listdir('/dev/pts')",
        "as many bits as the clock has",
    ),
    "the time of the folder's last change": (
        f"os.mkdir({HOME} + '/m'); os.rmdir({HOME} + '/m'); time.sleep(1); os._exit(0)",
        f"os.stat({HOME}).st_mtime < time.time() - 0.9",
        "as many bits as the clock has",
    ),
}
ATTACKS = [
    Attack(f"{about}, for {gain}", {"strides.permute": answering_if(found)}, inspected=False)
    for about, (gain, found) in TRIED.items()
] + [
    Attack(
        f"leaves {about}, for {gain}",
        {"strides.contiguous_strides": leaving(leave), "strides.permute": answering_if(found)},
        inspected=False,
    )
    for about, (leave, found, gain) in LEFT.items()
]
