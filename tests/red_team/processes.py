"""Attacks on processes: to outlive the exercise, to be many, to end or stop another, to run another program."""

from red_team.attack import Attack
from red_team.cells import permute

HOSTILE = {
    "a child that outlives its exercise": "if os.fork() == 0:\n    modules['time'].sleep(2)\n    os._exit(0)",
    "a grandchild in a session of its own": "if os.fork() == 0:\n    os.setsid()\n    os.fork()\n    time.sleep(5)",
    "a bomb of processes": "while True:\n    os.fork()",
    "a bomb of threads": "while True:\n    module('threading').Thread(target=time.sleep, args=(60,)).start()",
    "vfork through libc": "assert libc.vfork() < 0",
    "a process by clone, with no thread flag": "assert libc.syscall(56, 17, 0, 0, 0, 0) < 0",
    "a process by clone3": "assert libc.syscall(435, b'\\0' * 88, 88) < 0",
    "another program by exec": "os.execv('/bin/sh', ['sh', '-c', 'sleep 60'])",
    "another program by posix_spawn": "os.posix_spawn('/bin/sh', ['sh', '-c', 'sleep 60'], {})",
    "another program by system": "assert os.system('true')",
    "another program from memory": "os.execve(os.memfd_create('x'), ['x'], {})",
    "kills its parent": "os.kill(os.getppid(), 9)",
    "stops its parent": "os.kill(os.getppid(), 19)",
    "kills everyone": "os.kill(-1, 9)",
    "kills its group": "os.killpg(0, 9)",
    "signals by pidfd": "module('signal').pidfd_send_signal(os.pidfd_open(os.getppid()), 9)",
    "traces its parent": "assert libc.ptrace(16, os.getppid(), 0, 0) == 0; raise OSError",
    "takes a parent's descriptor": "assert libc.syscall(438, os.pidfd_open(os.getppid()), 3, 0) >= 0",
    "becomes a real-time process": "os.sched_setscheduler(0, 1, os.sched_param(1))",
    "raises the limits of its parent": "module('resource').prlimit(os.getppid(), 7, (9999, 9999))",
    "ignores every signal": (
        "for number in range(1, 65):\n    try:\n        module('signal').signal(number, 1)\n    except OSError:\n"
        "        pass\nwhile True: pass"
    ),
}
ATTACKS = [Attack(about, {"strides.permute": permute(body)}, inspected=False) for about, body in HOSTILE.items()]
