"""Attacks on what a submission may use: time, memory, the folder, the output, the channel of the answers."""

from red_team.attack import Attack
from red_team.cells import permute

HOSTILE = {
    "a loop without end": "while True: pass",
    "a sleep without end": "time.sleep(10**6)",
    "threads that all compute": (
        "for _ in range(40):\n    module('threading').Thread(target=lambda: [0 for _ in iter(int, 1)]).start()\n"
        "while True: pass"
    ),
    "threads that compute without Python's lock": (
        "f = module('numba').njit(nogil=True)(lambda n: sum([i % 7 for i in range(n)]))\nf(1)\n"
        "for _ in range(40):\n    module('threading').Thread(target=f, args=(10**10,)).start()\ntime.sleep(60)"
    ),
    "memory": "kept = []\nwhile True:\n    kept.append(bytearray(1 << 24))",
    "memory that is shared": (
        "kept = []\nwhile True:\n    kept.append(module('mmap').mmap(-1, 1 << 26))\n"
        "    kept[-1].write(b'x' * (1 << 26))"
    ),
    "one large number": "return 10 ** 10 ** 10, ()",
    "files without end": "for n in range(10**9):\n    open(str(n), 'wb').write(b'x' * 65536)",
    "one large file": "file = open('f', 'wb')\nwhile True:\n    file.write(b'x' * (1 << 20))",
    "a sparse file": "open('f', 'wb').truncate(1 << 40)",
    "empty files without end": "for n in range(10**9):\n    open(str(n), 'wb').close()",
    "folders without end": "for n in range(10**9):\n    os.mkdir('d')\n    os.chdir('d')",
    "descriptors without end": "kept = []\nwhile True:\n    kept.append(os.dup(1))",
    "pipes that are full": (
        "kept = []\nwhile True:\n    kept.append(os.pipe())\n    os.set_blocking(kept[-1][1], False)\n"
        "    os.write(kept[-1][1], b'x' * (1 << 20))"
    ),
    "output without end": "while True: os.write(1, b'x' * 65536)",
    "output in single bytes": "while True: os.write(1, b'x')",
    "an answer of 100 MB": "return (1,) * (100 << 20), ()",
    "an answer without end": "while True: os.write(3, b'\\xff' * 65536)",
    "an answer that is nested deeply": "x = ()\nfor _ in range(10**5):\n    x = (x,)\nreturn x",
    "an answer that holds itself": "x = []\nx.append(x)\nreturn x",
    "an error with a text of 100 MB": "raise RuntimeError('x' * (100 << 20))",
    "an error with causes without end": (
        "error = ValueError()\nfor _ in range(10**5):\n    error, cause = ValueError(), error\n"
        "    error.__cause__ = cause\nraise error"
    ),
    "an error whose text is never done": (
        "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E"
    ),
    "a recursion in C": "module('sys').setrecursionlimit(10**9)\nf = lambda: f()\nf()",
    "timers without end": "while True: libc.timer_create(0, None, module('ctypes').byref(module('ctypes').c_void_p()))",
}
ATTACKS = [Attack(about, {"strides.permute": permute(body)}, inspected=False) for about, body in HOSTILE.items()]
