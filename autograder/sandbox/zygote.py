"""The first process inside: imports once what every worker needs, then forks a worker per exercise.

    python -I -S -B zygote.py <settings as JSON>

Over its control socket it takes one-letter commands and answers each with one letter:

    (at start)                         R   ready
    F, with two file descriptors       f   a worker runs: its answer channel, its standard output
    S                                  the number of the signal that has ended the newest worker, as a byte; 0 if none
    K                                  k   every process but this one is dead, the scratch folder is as it was

Before that it has imported the engine while the lab's answers were there (answers.py; `answers` is a descriptor of
the file) and let the kernels that the probes need be loaded, where no exercise is in them. Then it has emptied them
all: a worker is given, before a student's code runs, all exercises but its own, which was never in it. With
`kernels_only` the zygote ends there, having filled numba's cache. A student's code never runs here. Where a command
can't be carried out in full the zygote ends itself, and the broker begins again with a fresh sandbox.
"""

import contextlib
import ctypes
import gc
import importlib
import json
import os
import resource
import shutil
import signal
import socket
import sys
import time
from typing import Any

PR_SET_DUMPABLE = 4
CHANNEL = 3  # where a worker finds its answer channel


def import_engine(settings: dict[str, Any]) -> None:
    """Import the complete engine once, so that each worker inherits it; empty its exercises afterwards."""
    if settings["kernels"] and not settings["kernels_only"]:
        shutil.copytree(settings["kernels"], os.environ["NUMBA_CACHE_DIR"], dirs_exist_ok=True)
    os.environ["ENGINE_KERNELS"] = "kernels"  # files of the image are blanked, the code that runs is not
    from autograder.sandbox import answers, quick_compiler

    if not settings["kernels_only"]:
        quick_compiler.before_numba()

    with answers.present(settings["answers"]) as (modules, needed_at_once):
        import engine

        for name in (*needed_at_once, *modules):
            importlib.import_module(name)
        from autograder.examine import cpu_compiler
        from autograder.sandbox import warm_up

        # A kernel that is compiled or loaded here stays in the memory of every worker, also of the exercise in it.
        are_in_kernels = any(name.startswith("cpu.") for name in answers.exercises())
        if settings["kernels_only"] or not are_in_kernels:
            warm_up.run(engine)
        if settings["kernels_only"]:
            warm_up.write_contents(settings["kernels"])
    if are_in_kernels:
        quick_compiler.begin()
        warm_up.numpy()
        cpu_compiler.warm_up()
        warm_up.grafting()
    if any(name.startswith("cuda.") for name in answers.exercises()) and not settings["kernels_only"]:
        warm_up.gpu_compiler()


def main(settings: dict[str, Any]) -> None:
    gc.disable()  # nearly all that is made now stays; a quarter of the time would go into looking for garbage
    sys.path += [settings["image"], *settings["packages"]]
    from autograder.sandbox import walls

    statm = open("/proc/self/statm") if sys.platform == "linux" else None  # noqa: SIM115  (behind the walls it is none)
    if "walls" in settings:
        walls.shut_in(**settings["walls"])
    import_engine(settings)
    if settings["kernels_only"]:
        return
    from autograder.examine import observe
    from autograder.sandbox import worker

    observe.import_probes()

    if sys.platform == "linux":
        # Closes /proc/<zygote>/{mem,fd,environ} to the workers, which have the same user id.
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    control = socket.socket(fileno=settings["control"])
    folders = [folder for folder, _, _ in os.walk(settings["scratch"])]  # numba's, once chosen, must stay there
    gc.collect()
    gc.freeze()  # the workers share these pages for as long as nobody writes to them
    gc.enable()
    if statm:
        settings["begun_with"] = int(statm.read().split()[0]) * resource.getpagesize()
    control.sendall(b"R")
    workers: list[int] = []
    while True:
        command, descriptors, *_ = socket.recv_fds(control, 1, 2)
        if command == b"F":
            pid = os.fork()
            if pid == 0:
                _become_worker(control, descriptors, settings)
                if settings["worker_filter"]:
                    walls.install_filter(bytes.fromhex(settings["worker_filter"]))
                worker.serve(CHANNEL)
                os._exit(0)
            workers.append(pid)
            for descriptor in descriptors:
                os.close(descriptor)
            control.sendall(b"f")
        elif command == b"S":
            control.sendall(bytes([_signal_of(workers[-1])]))
        elif command == b"K":
            _kill_all(workers, settings["own_processes"])
            _empty(settings["scratch"])
            for folder in folders:
                os.makedirs(folder, exist_ok=True)
            for folder in folders:
                os.utime(folder)  # to now: when an exercise read or changed it is a mark, too
            control.sendall(b"k")
        else:
            _kill_all(workers, settings["own_processes"])
            os._exit(0)


def _become_worker(control: socket.socket, descriptors: list[int], settings: dict[str, Any]) -> None:
    """Keep the answer channel and the output, let go of everything else, and accept the limits."""
    control.detach()
    channel, output = (os.dup2(descriptor, 200 + at) for at, descriptor in enumerate(descriptors))
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(channel, CHANNEL)
    os.closerange(CHANNEL + 1, 4096)
    os.setsid()
    os.chdir(settings["scratch"])
    # The filter refuses to read links, after which `os.path.realpath` would raise: this way it keeps them as they are.
    os.readlink = os.fspath  # type: ignore[assignment]
    cpu_seconds = settings["cpu_seconds"]
    limits = [
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_CPU, cpu_seconds, cpu_seconds + 1),
        (resource.RLIMIT_FSIZE, settings["file"], settings["file"]),
        (resource.RLIMIT_NOFILE, settings["open_files"], settings["open_files"]),
    ]
    if "begun_with" in settings:
        most = settings["begun_with"] + settings["address_space"]
        limits += [(resource.RLIMIT_AS, most, most)]
        if settings["own_processes"]:  # elsewhere the limit would count all processes of the person grading
            limits += [(resource.RLIMIT_NPROC, settings["processes"], settings["processes"])]
    for limit, soft, hard in limits:
        resource.setrlimit(limit, (soft, hard))


def _signal_of(worker: int) -> int:
    """Return the signal that has ended a worker; 0 if it ended otherwise, or not soon after its channel was closed.

    It stays a zombie, so that its process group can be killed.
    """
    for _ in range(20):
        found = os.waitid(os.P_PID, worker, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is not None:
            return found.si_status if found.si_code in (os.CLD_KILLED, os.CLD_DUMPED) else 0
        time.sleep(0.01)
    return 0


def _kill_all(workers: list[int], own_processes: bool) -> None:
    if own_processes:
        # A process namespace of our own: -1 is everyone in it but pid 1, which this is. Not elsewhere!
        if os.getpid() != 1 or os.getuid() == 0:
            os._exit(3)
        targets = [(os.kill, -1)]
    else:
        targets = [(kill, worker) for worker in workers for kill in (os.kill, os.killpg)]
    for kill, target in targets:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(target, signal.SIGKILL)
    workers.clear()
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def _empty(folder: str) -> None:
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        try:
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        except (OSError, RecursionError):
            os._exit(4)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
