"""Attacks that pass something on: one exercise leaves it, the next answers with what it finds."""

from red_team.attack import Attack
from red_team.cells import answering_if, leaving

HOME = "os.environ['HOME']"
FIRST_ERRORS = "'/proc/1/fd/2'"
# what is left, and how it is found
CHANNELS = {
    "an extended attribute of the folder": (f"os.setxattr({HOME}, 'user.m', b'x')", f"os.listxattr({HOME})"),
    "an attribute of numba's folder": (
        f"os.setxattr({HOME} + '/numba', 'user.m', b'x')",
        f"os.listxattr({HOME} + '/numba')",
    ),
    "the folder's times": (f"os.utime({HOME}, (7, 7))", f"os.stat({HOME}).st_mtime == 7"),
    "the folder's mode": (f"os.chmod({HOME}, 0o750)", f"os.stat({HOME}).st_mode & 0o777 == 0o750"),
    "a file": (f"open({HOME} + '/m', 'w').write('x')", f"os.path.exists({HOME} + '/m')"),
    "a file in numba's folder": (f"open({HOME} + '/numba/m', 'w').write('x')", f"os.path.exists({HOME} + '/numba/m')"),
    "a file that is open": (
        f"open({HOME} + '/m', 'w+').write('x'); os.unlink({HOME} + '/m'); time.sleep(0.02)",
        "any('deleted' in os.readlink(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd'))",
    ),
    "a link": (f"os.symlink('x', {HOME} + '/m')", f"os.path.lexists({HOME} + '/m')"),
    "a named pipe": (f"os.mkfifo({HOME} + '/m')", f"os.path.lexists({HOME} + '/m')"),
    "the standard error of the first process": (
        f"open({FIRST_ERRORS}, 'w').write('mark')",
        f"'mark' in open({FIRST_ERRORS}).read()",
    ),
    "the standard error that it was given": ("os.write(2, b'mark'); os.lseek(2, 0, 0)", "os.pread(2, 4, 0)"),
    "an abstract socket": (
        "s = module('_socket').socket(1, 1); s.bind('\\0mark'); s.listen(); time.sleep(0.02)",
        "module('_socket').socket(1, 1).connect('\\0mark') is None",
    ),
    "shared memory of System V": ("assert libc.shmget(7, 4096, 0o1666) >= 0", "libc.shmget(7, 4096, 0o666) >= 0"),
    "a message queue": ("assert libc.msgget(7, 0o1666) >= 0", "libc.msgget(7, 0o666) >= 0"),
    "a semaphore": ("assert libc.semget(7, 1, 0o1666) >= 0", "libc.semget(7, 1, 0o666) >= 0"),
    "a key of the kernel": (
        "assert libc.syscall(248, b'user', b'm', b'x', 1, -4) >= 0",
        "libc.syscall(249, b'user', b'm', None, -4) >= 0",
    ),
    "the host's name": ("module('socket').sethostname('mark')", "module('socket').gethostname() == 'mark'"),
    "the personality": (
        "libc.personality(0x0040000); assert libc.personality(0xffffffff) & 0x40000",
        "libc.personality(0xffffffff) not in (-1, 0)",
    ),
    "limits of the parent": (
        "module('resource').prlimit(os.getppid(), 7, (50, 60))",
        "module('resource').getrlimit(7) == (50, 60)",
    ),
    "a lock on a file of the image": (
        "module('fcntl').flock(open(modules['engine'].__file__), 6); time.sleep(0.02)",
        "not module('fcntl').flock(open(modules['engine'].__file__), 6) is None",
    ),
    "memory with a name": ("os.memfd_create('mark')", "os.path.exists('/dev/shm/mark')"),
    "a file in /dev/shm": ("open('/dev/shm/mark', 'w').write('x')", "os.path.exists('/dev/shm/mark')"),
    "a file in /tmp": ("open('/tmp/red-team-mark', 'w').write('x')", "os.path.exists('/tmp/red-team-mark')"),
    "the image": (
        "open(modules['engine'].__file__, 'a').write('#')",
        "open(modules['engine'].__file__).read()[-1] == '#'",
    ),
}
ATTACKS = [
    Attack(
        about, {"strides.contiguous_strides": leaving(leave), "strides.permute": answering_if(found)}, inspected=False
    )
    for about, (leave, found) in CHANNELS.items()
]
