"""The tier "landlock": the paths that are left to a process which `walls.py` shuts in, where bubblewrap cannot.

It needs no package and no privilege, only Linux 5.13. Compared with bubblewrap the machine is still there: names, sizes
and times of files can be found out (never their contents), and other users' processes share the kernel's tables.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autograder.sandbox import seccomp
from autograder.sandbox.isolation import hidden_folders, package_folders
from autograder.sandbox.walls import landlock_abi

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/ld.so.cache")
DEVICES = ("/dev/zero", "/dev/random", "/dev/urandom")


def walls(readable: Iterable[str], writable: Iterable[str]) -> dict[str, Any]:
    """Return JSON arguments for `walls.shut_in`: the interpreter, its packages, and the given folders."""
    base = os.path.realpath(sys.base_prefix)
    hidden = [Path(folder) for folder in hidden_folders(base)]
    system = [os.path.realpath(path) for path in SYSTEM if os.path.exists(path)]
    tops = sorted({*system, base})
    pieces = [piece for top in tops for piece in _without(Path(top), hidden)]
    return {
        "listed": tops,  # import looks for a module in the listing of each folder
        "readable": [*map(str, pieces), *package_folders(), *DEVICES, *readable],
        "writable": ["/dev/null", *writable],
        "abi": landlock_abi(),
        "program": seccomp.for_everything().hex(),
    }


def _without(top: Path, hidden: Iterable[Path]) -> list[Path]:
    """Return the largest files and folders below `top` that hold nothing of `hidden`."""
    within = [folder for folder in hidden if folder.is_relative_to(top)]
    if not within:
        return [top]
    if top in within or not top.is_dir():
        return []
    return [piece for child in sorted(top.iterdir()) for piece in _without(child, within)]
