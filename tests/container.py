"""The devcontainer's steps on a fresh Debian: `python -m tests.container`; needs root and debootstrap, no Docker.

Makes the Debian that `.devcontainer/Dockerfile` begins from, out of this machine's own mirror, and runs in it
`.devcontainer/setup` twice (the second time there is nothing to do), the devcontainer's `postCreateCommand`, a small
training, and `make grade ARGS=--help`. It does not show that Docker builds the image.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.author import lab_text
from tests.as_student import TRAINING

DEVCONTAINER = lab_text.ROOT / ".devcontainer"
COURSE = "/course"  # where the repository is inside
CERTIFICATES = Path("/usr/local/share/ca-certificates")  # what this machine trusts besides Debian's own
CA = "/etc/ssl/certs/ca-certificates.crt"
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", "PIP_CERT": CA}
MIRROR = re.compile(r"^(?:deb(?:\s+\[.*?\])?|URIs:)\s+(\S+/debian)/?(?:\s|$)", re.M)


def suite() -> str:
    """The Debian that the Dockerfile begins from."""
    found = re.search(r"^FROM debian:(\w+)", (DEVCONTAINER / "Dockerfile").read_text(), re.M)
    assert found, "expected FROM debian:<suite> in the Dockerfile"
    return found[1]


def mirror(apt: Path = Path("/etc/apt")) -> str | None:
    """The first mirror of Debian's packages that this machine's apt names."""
    sources = [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*"))]
    found = (MIRROR.search(source.read_text()) for source in sources if source.is_file())
    return next((match[1] for match in found if match), None)


def obstacle() -> str | None:
    """The reason why the test cannot run here; None if it can."""
    if os.geteuid() != 0:
        return "debootstrap needs root: sudo make container-test"
    for program in ("debootstrap", "bwrap"):
        if not shutil.which(program):
            return f"{program} is missing: apt-get install debootstrap bubblewrap"
    return None if mirror() else "apt's sources name no Debian mirror"


def copy_course(root: Path) -> None:
    """Copy what git tracks of the working tree, and this machine's certificates."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=lab_text.ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, tracked.stdout.split("\0")):
        target = root / COURSE.strip("/") / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(lab_text.ROOT / name, target)
    if CERTIFICATES.is_dir():
        shutil.copytree(CERTIFICATES, root / CERTIFICATES.relative_to("/"), dirs_exist_ok=True)


def inside(root: Path, *command: str) -> str:
    """Return what a command prints inside, as root in the repository's folder; CalledProcessError if it fails."""
    walls = ["bwrap", "--cap-add", "ALL", "--bind", str(root), "/", "--proc", "/proc", "--dev", "/dev", "--clearenv"]
    walls += ["--ro-bind", "/etc/resolv.conf", "/etc/resolv.conf", "--chdir", COURSE]
    for name, value in ENVIRONMENT.items():
        walls += ["--setenv", name, value]
    began = time.monotonic()
    done = subprocess.run([*walls, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(f"{time.monotonic() - began:5.0f} s  {' '.join(command)[:90]}".partition("\n")[0], flush=True)
    if done.returncode:
        print(done.stdout)
    done.check_returncode()
    return done.stdout


def main() -> int:
    """The command: 1 if a step failed, 0 also where it cannot run, which it says."""
    if reason := obstacle():
        print(f"not run: {reason}")
        return 0
    created = json.loads((DEVCONTAINER / "devcontainer.json").read_text())["postCreateCommand"]
    with tempfile.TemporaryDirectory() as scratch:
        root, began = Path(scratch) / "root", time.monotonic()
        made = ["debootstrap", "--variant=minbase", suite(), str(root), str(mirror())]
        try:
            subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
            print(f"{time.monotonic() - began:5.0f} s  a fresh Debian {suite()}", flush=True)
            copy_course(root)
            inside(root, ".devcontainer/setup")
            again = inside(root, ".devcontainer/setup")
            assert again == "", f"expected nothing left to install, got: {again}"
            inside(root, *created.split())
            inside(root, ".venv/bin/python", "-c", TRAINING)
            assert "usage" in inside(root, "make", "grade", "ARGS=--help")
        except (subprocess.CalledProcessError, AssertionError) as error:
            print(f"failed: {error}")
            return 1
    print("the devcontainer's steps work; that Docker builds the image was not run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
