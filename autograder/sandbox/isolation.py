"""Where a sandbox's code comes from and what it may use, whatever shuts it in.

Inside there is: the interpreter and its standard library, the packages of PACKAGES, the engine's image, and one small
folder to write to. Not inside: this repository, the gradebook, any home, the network, other processes.
`bubblewrap.py` and `landlock.py` shut it in; `canary.py` believes neither and tries.
"""

import importlib.util
import os
import sys
import sysconfig
from dataclasses import dataclass, replace
from pathlib import Path

from autograder import labs

TIERS = ("bwrap", "landlock", "none")  # strongest first
PACKAGES = ("numpy", "numba", "llvmlite", "msgpack", "yaml")
IMAGE = "/image"  # where bubblewrap puts the engine's image
KERNELS = "/kernels"  # where it puts numba's compiled kernels
SCRATCH = "/sandbox-tmp"  # the one writable folder there; not /tmp, where an interpreter may lie that we bind
REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Limits:
    """The limits of one submission. Seconds are wall-clock time unless a name says CPU; sizes are in bytes."""

    answer_seconds: float = 5.0  # one call
    exercise_seconds: float = 30.0  # all calls of one exercise
    submission_seconds: float = 120.0  # all calls of all exercises
    submission_cpu_seconds: float = 120.0  # all processes of all exercises, the sandbox's own start included
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
        """Return these limits, raised to what the lab's exercises need according to its `limits.yaml`."""
        needed = labs.limits(lab).get("sandbox", {})
        return replace(self, **{name: max(getattr(self, name), least) for name, least in needed.items()})


def python_command() -> list[str]:
    """Return the command that starts Python without site-packages, environment variables or writing bytecode."""
    return [os.path.realpath(sys.executable), "-I", "-S", "-B"]


def package_folders() -> list[str]:
    """Return the folders of PACKAGES, and of the shared libraries that wheels install beside them."""
    folders = []
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise RuntimeError(f"the sandbox needs the package {package}, which is not installed")
        folder = os.path.realpath(spec.submodule_search_locations[0])
        folders += [path for path in (folder, f"{folder}.libs") if os.path.isdir(path)]
    return folders


def environment() -> dict[str, str]:
    """Return the complete environment of processes in the sandbox."""
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    return {"PATH": "/usr/bin:/bin", "HOME": SCRATCH, "TMPDIR": SCRATCH, "LANG": "C.UTF-8",
            "NUMBA_CACHE_DIR": f"{SCRATCH}/numba", "ENGINE_PROGRESS": "0", "ENGINE_NATIVE": "0",
            "NUMBA_ENABLE_CUDASIM": "1", "MALLOC_ARENA_MAX": "2"} | one_thread  # fmt: skip


def hidden_folders(base: str) -> list[str]:
    """Return folders with other packages or with our secrets, which must stay hidden even below a readable folder."""
    installed = sysconfig.get_paths(vars={"base": base, "platbase": base})
    found = {installed["purelib"], installed["platlib"], str(REPOSITORY), os.path.expanduser("~")}
    for pattern in ("lib/python3*/dist-packages", "lib/python3*/site-packages", "lib64/python3*/site-packages"):
        for top in ("/usr", "/usr/local", base):
            found.update(str(path) for path in Path(top).glob(pattern))
    real = {os.path.realpath(folder) for folder in found if os.path.isdir(folder)}
    return sorted(folder for folder in real if not Path(base).is_relative_to(folder))
