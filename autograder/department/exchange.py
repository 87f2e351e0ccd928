"""nbgrader's exchange, a folder in which students' accounts write, read as what it is.

nbgrader's `collect` follows links, so that a student's link to another's submission, or to the gradebook's key, would
be read with the instructor's rights; it takes a submission in another student's name, with a warning, and replaces the
true one; and one name that it can't read ends it for the whole class. Its `release_feedback` looks for files beside the
page that the grader does not write. These two classes replace both, behind every door (`ExchangeFactory`).
"""

import datetime as dt
import os
import pwd
import shutil
import stat
import tempfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash

from autograder.author.course_config import STEPS
from autograder.author.lab_text import NOTEBOOK
from autograder.department.exports import grades
from autograder.examine.handin import Refused
from autograder.grading import gradebook, intake, store

IGNORED: dict[str, Any] = {"username": "", "timestamp": dt.datetime.min}
READABLE = 0o644


class PlainCollect(ExchangeCollect):
    """Collects only what was submitted from a student's own account, and only regular files at the top level."""

    src_records: list[dict[str, Any]]

    def init_src(self) -> None:
        """Find the newest submission of each student, ignoring invalid ones."""
        super().init_src()
        self.src_records = [record for record in self.src_records if record["username"]]

    def _path_to_record(self, path: str) -> dict[str, Any]:
        try:
            record: dict[str, Any] = super()._path_to_record(path)
            owner = _owner(path)
        except Exception as error:  # a name that nbgrader did not make, or something other than a folder
            return self._ignore(path, f"{type(error).__name__}: {error}")
        if self.check_owner and owner != record["username"]:
            return self._ignore(path, f"it says {record['username']}, and its owner is {owner}")
        return record

    def _ignore(self, path: str, why: str) -> dict[str, Any]:
        self.log.warning(f"not collected: {ascii(Path(path).name)}: {why}")
        return IGNORED

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy the top-level regular files of a submission, and log what is left out."""
        with tempfile.TemporaryDirectory() as staged:
            os.chmod(staged, 0o755)
            for said in copy_plain(src, Path(staged), 1000 * self.coursedir.max_file_size):
                self.log.warning(f"left out of {ascii(Path(src).name)}: {said}")
            super().do_copy(staged, dest, log)


class PagesRelease(ExchangeReleaseFeedback):
    """Releases the feedback page of each submission that is graded in the version that was collected."""

    def copy_files(self) -> None:
        """Copy each page to a file whose name only the page's student can know."""
        root, lab = Path(self.coursedir.root), self.coursedir.assignment_id
        left_out = self.coursedir.student_id_exclude.split(",")
        for record in filter(None, (store.look_at(root, path)[0] for path in store.paths(root, lab))):
            student = record["student"]
            if not fnmatch(student, self.coursedir.student_id or "*") or student in left_out:
                continue
            if why := self._release(root, record):
                self.log.warning(f"no feedback released for {intake.shown(student)}: {why}")

    def _release(self, root: Path, record: store.Record) -> str:
        """Release one page; return the reason where that can't be."""
        page, submitted = gradebook.page_of(root, record), root / STEPS["submitted_directory"]
        if not page.is_file():
            return "there is no page: `make grade` writes it"
        if grades.submitted_again(root, record):
            return "submitted again since it was graded: `make grade` judges it"
        try:
            secret = intake.secret(submitted, record["student"], record["lab"])
        except Refused as refused:
            return refused.reason
        if not secret:
            return f"{intake.SECRET} is missing, so it was not submitted through the exchange"
        target = Path(self.dest_path, f"{notebook_hash(secret=secret, notebook_id=NOTEBOOK)}.html")
        draft = target.with_name(f"{target.stem}-tmp.html")
        shutil.copyfile(page, draft)
        draft.chmod(READABLE)
        draft.replace(target)
        self.log.info(f"Feedback released for {record['student']}: {target}")
        return ""


def copy_plain(source: str, target: Path, largest: int) -> list[str]:
    """Copy the top-level regular files of a folder that others may be changing; symbolic links are not followed.

    Args:
        largest: bytes of one file.
    Returns:
        what was left out, and why.
    """
    said = []
    folder = os.open(source, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        for count, name in enumerate(sorted(os.listdir(folder))):
            why = _copy(folder, name, target, largest) if count < intake.MOST_ENTRIES else "too many files"
            said += [f"{ascii(name)}: {why}"] if why else []
    finally:
        os.close(folder)
    return said


def _copy(folder: int, name: str, target: Path, largest: int) -> str:
    """Copy one file; return the reason where it is none that can be copied, "" also for a folder."""
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError as error:
        return f"a link, or not readable ({error.strerror})"
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode):
        os.close(file)
        return "" if stat.S_ISDIR(found.st_mode) else "no plain file"
    with open(file, "rb") as opened:
        data = b"" if found.st_size > largest else opened.read(largest + 1)
    if found.st_size > largest or len(data) > largest:
        return f"more than {largest:,} bytes"
    (target / name).write_bytes(data)
    return ""


def _owner(path: str) -> str:
    """Return the account that owns a folder; for a link, the account that owns the link."""
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError("not a folder")
    try:
        return pwd.getpwuid(found.st_uid).pw_name
    except KeyError:
        return f"the unknown account {found.st_uid}"
