"""Attacks on what is outside: files, the network, the kernel, the worker's own judge."""

from autograder.sandbox.isolation import REPOSITORY
from red_team.attack import Attack
from red_team.cells import answering_if

# Each is an expression; where it succeeds, the cell answers as the reference does.
SOUGHT = {
    "the repository": f"os.listdir({str(REPOSITORY / 'engine')!r})",
    "the reference's file": f"open({str(REPOSITORY / 'engine' / 'strides.py')!r}).read()",
    "the records": f"os.listdir({str(REPOSITORY / 'autograder')!r})",
    "the home folder": "os.listdir(os.path.expanduser('~root'))",
    "the passwords": "open('/etc/shadow').read()",
    "other processes": "[n for n in os.listdir('/proc') if n.isdigit() and int(n) > 16]",
    "the first process's environment": "open('/proc/1/environ').read()",
    "its parent's environment": "open(f'/proc/{os.getppid()}/environ').read()",
    "its parent's memory": "open(f'/proc/{os.getppid()}/mem', 'rb')",
    "its parent's files": "os.listdir(f'/proc/{os.getppid()}/fd')",
    "a file written to /usr": "open('/usr/red-team', 'w')",
    "a file written to the packages": "open(module('numpy').__file__, 'a')",
    "the engine's file emptied": "os.truncate(modules['engine'].__file__, 0) is None",
    "the engine's file emptied by reading": "os.open(modules['engine'].__file__, os.O_TRUNC) > 0",
    "a device opened for requests alone": "os.open(os.devnull, os.O_ACCMODE) > 0",
    "a device": "open('/dev/sda', 'rb') or open('/dev/mem', 'rb')",
    "the kernel's settings": "open('/proc/sys/kernel/hostname', 'w').write('x')",
    "TCP": "module('_socket').socket(2, 1)",
    "UDP": "module('_socket').socket(2, 2)",
    "raw packets": "module('_socket').socket(17, 3)",
    "the hypervisor": "module('_socket').socket(40, 1)",
    "netlink": "module('_socket').socket(16, 3)",
    "a Unix socket": "module('_socket').socket(1, 1)",
    "another root": "os.chroot('.') is None",
    "a mount": "libc.mount(b'x', b'.', b'tmpfs', 0, None) == 0",
    "a new user namespace": "libc.unshare(0x10000000) == 0",
    "root": "os.setuid(0) is None and os.getuid() == 0 and open('/etc/shadow').read()",
    "the kernel's log": "libc.klogctl(3, module('ctypes').create_string_buffer(99), 99) > 0",
    "io_uring": "libc.syscall(425, 8, module('ctypes').create_string_buffer(256)) >= 0",
    "programs of the kernel": "libc.syscall(321, 0, module('ctypes').create_string_buffer(128), 128) >= 0",
    "a handle of a file": "libc.name_to_handle_at(-100, b'/', module('ctypes').create_string_buffer(256), "
    "module('ctypes').byref(module('ctypes').c_int()), 0) == 0",
}
ATTACKS = [
    Attack(f"reaches for {about}", {"strides.permute": answering_if(found)}, inspected=False)
    for about, found in SOUGHT.items()
]
