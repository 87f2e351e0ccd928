"""A container of Gradescope or PrairieLearn as the grader sees it: a root of its own with /autograder or /grade.

bubblewrap makes the root; nothing of it is written to this machine's. The zip is unpacked where the system puts it, and
`venv`, which install.sh would make, leads to this environment and this repository.
"""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

from handed_in import LAB, REPOSITORY, notebook_of

from autograder.department.containers import build
from autograder.examine import lab_file
from autograder.overlay import source_of

RELEASED = lab_file.load(REPOSITORY / "course" / LAB)
ALL_RIGHT = {exercise.name: source_of(exercise.name) for exercise in RELEASED.exercises}
OWN = ("proc", "dev", "sys", "tmp", "autograder", "grade", "inside-the-tensor")  # folders of `/` that the root has
NO_NAMESPACES = ("--unshare-user", "--uid", "1000", "--gid", "1000", "--disable-userns")
NO_BUBBLEWRAP = ("--ro-bind", "/dev/null", "/usr/bin/bwrap")


class Container(NamedTuple):
    """A container's folders, as this machine sees them: all that is not there by itself is below `folder`."""

    folder: Path
    system: str

    @property
    def source(self) -> Path:
        return self.folder / ("autograder/source" if self.system == "gradescope" else "inside-the-tensor")

    @property
    def submission(self) -> Path:
        return self.folder / ("autograder/submission" if self.system == "gradescope" else "grade/student")

    @property
    def results(self) -> Path:
        return self.folder / ("autograder" if self.system == "gradescope" else "grade") / "results" / "results.json"

    def upload(self, answers=ALL_RIGHT, name="lab.ipynb"):
        """Put a notebook with these answers where the system puts it."""
        (self.submission / name).write_text(json.dumps(notebook_of(REPOSITORY, answers)))

    def grade(self, *words, timeout=120):
        """Run what the system runs, in a root to which `words` of bubblewrap's are added."""
        command = {
            "gradescope": ["/autograder/run_autograder"],
            "prairielearn": ["/inside-the-tensor/grade.sh", "prairielearn"],
        }
        return self.run(command[self.system], *words, timeout=timeout)

    def run(self, command, *words, timeout=120, environment=None):
        """Run a command in the container."""
        return subprocess.run(
            [*root_words(self.folder), *words, "--", *command],
            capture_output=True, text=True, timeout=timeout, env=environment,
        )  # fmt: skip

    def read(self):
        """The content of results.json."""
        return json.loads(self.results.read_text())


def root_words(folder):
    """bubblewrap's words for a root like this machine's, with the folders below `folder` at its top.

    Of what other users may not enter (a home of root's) there is only the interpreter, if it is there.
    """
    words = ["bwrap", "--die-with-parent", "--tmpfs", "/"]
    for entry in sorted(Path("/").iterdir()):
        if entry.is_symlink():
            words += ["--symlink", os.readlink(entry), str(entry)]
        elif entry.is_dir() and entry.name not in OWN and entry.stat().st_mode & 0o001:
            words += ["--ro-bind", str(entry), str(entry)]
    words += ["--proc", "/proc", "--dev-bind", "/dev", "/dev", "--ro-bind", "/sys", "/sys"]
    words += ["--perms", "1777", "--tmpfs", "/tmp"]
    for needed in sorted({REPOSITORY, *(Path(path).resolve() for path in (sys.prefix, sys.base_prefix))}):
        top = Path("/", needed.parts[1])
        if top.name in OWN or not top.stat().st_mode & 0o001:
            parents = [parent for parent in reversed(needed.parents) if len(parent.parts) > 1]
            words += [word for parent in parents for word in ("--perms", "0755", "--dir", str(parent))]
            words += ["--ro-bind", str(needed), str(needed)]
    for own in sorted(folder.iterdir()):
        words += ["--bind", str(own), f"/{own.name}"]
    return words


def start(folder, system, wheel, **chosen):
    """A container with the grader of lab 1 in it, its submission empty."""
    archive = build.build(system, LAB, chosen, folder / "dist", wheel)
    container = Container(folder / "root", system)
    container.source.mkdir(parents=True)
    container.submission.mkdir(parents=True)
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            inside = info.filename.removeprefix("image/")
            if system == "prairielearn" and inside == info.filename:
                continue
            target = container.source / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(opened.read(info))
            target.chmod(info.external_attr >> 16)
    if system == "gradescope":
        copy = container.folder / "autograder" / "run_autograder"
        copy.write_bytes((container.source / "run_autograder").read_bytes())
        copy.chmod(0o755)
    environment(container.source / "venv")
    return container


def environment(folder):
    """An environment whose packages are this one's."""
    subprocess.run([os.path.realpath(sys.executable), "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    seen = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "here.pth").write_text("\n".join([str(REPOSITORY), *seen]) + "\n")
