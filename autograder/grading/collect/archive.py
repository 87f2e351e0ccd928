"""The files of an archive, read within limits: no name in it becomes a path, no link is followed."""

import contextlib
import errno
import functools
import io
import os
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

MOST_ENTRIES = 100_000
LARGEST_ENTRY = 50_000_000  # bytes of one file
LARGEST_OF_ONE = 300_000_000  # bytes read of one student's files
JUNK = ("__MACOSX", ".DS_Store", "Thumbs.db", ".ipynb_checkpoints", "__pycache__", "my_engine")
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError, ValueError)


class Unreadable(Exception):
    """An archive, or a file in one, can't be read; the message says why."""


class Budget:
    """A limit on the bytes read from one student's files, so that nested archives cannot exhaust the memory."""

    def __init__(self, most: int = LARGEST_OF_ONE):
        self.most = self.left = most

    def take(self, data: bytes) -> bytes:
        """Count `data` against the budget, and return it.

        Raises:
            Unreadable: more than is allowed was read in all.
        """
        self.left -= len(data)
        if self.left < 0:
            raise Unreadable(f"it unpacks to more than {self.most:,} bytes, with the student's other files")
        return data


class Entry(NamedTuple):
    """One file in an archive: its path (with `/` as separator), its modification time, and a function to read it."""

    path: str
    modified: tuple[int, ...]
    read: Callable[[Budget], bytes]

    @property
    def parts(self) -> tuple[str, ...]:
        """The folders and the file name, as a tuple."""
        return tuple(part for part in self.path.split("/") if part not in ("", ".", ".."))

    @property
    def name(self) -> str:
        """The file name without its folders."""
        return self.parts[-1] if self.parts else ""


@contextlib.contextmanager
def opened(path: Path) -> Iterator[list[Entry]]:
    """Open a zip archive, or a folder (some browsers unpack what they download), and yield its files.

    Raises:
        Unreadable: it is neither.
    """
    if path.is_dir():
        yield list(_in_folder(path))
        return
    try:
        archive = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise Unreadable(f"{path} is missing") from None
    except DAMAGED as error:
        raise Unreadable(f"{path} is no zip archive: {error}") from None
    with archive:
        yield _in_zip(archive)


def nested(data: bytes) -> list[Entry]:
    """Return the files of a zip nested in the archive; zips inside it are not opened.

    Raises:
        Unreadable: it is damaged, or too large.
    """
    try:
        return _in_zip(zipfile.ZipFile(io.BytesIO(data)))
    except DAMAGED as error:
        raise Unreadable(f"it is no zip archive: {error}") from None


def _in_zip(archive: zipfile.ZipFile) -> list[Entry]:
    infos = [info for info in archive.infolist() if not info.is_dir()]
    if len(infos) > MOST_ENTRIES:
        raise Unreadable(f"it has {len(infos):,} files, {MOST_ENTRIES:,} are allowed")

    def reader(info: zipfile.ZipInfo) -> Callable[[Budget], bytes]:
        def read(budget: Budget) -> bytes:
            if stat.S_ISLNK(info.external_attr >> 16):
                raise Unreadable("it is a link")
            if info.flag_bits & 1:
                raise Unreadable("it is encrypted")
            try:
                with archive.open(info) as file:  # the size that the archive states is not believed
                    return budget.take(_limited(file.read(LARGEST_ENTRY + 1)))
            except DAMAGED as error:
                raise Unreadable(f"it is damaged: {error}") from None

        return read

    return [entry for info in infos if not is_junk(entry := Entry(_decoded(info), info.date_time, reader(info)))]


def _in_folder(folder: Path) -> Iterator[Entry]:
    for where, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = Path(where, name)
            modified = (int(path.lstat().st_mtime),)
            entry = Entry(path.relative_to(folder).as_posix(), modified, functools.partial(read_file, path))
            if not is_junk(entry):
                yield entry


def read_file(path: Path, budget: Budget) -> bytes:
    """Read the bytes of a regular file. Raises Unreadable."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Unreadable("it is no plain file")
            return budget.take(_limited(file.read(LARGEST_ENTRY + 1)))
    except OSError as error:
        why = "it is a link" if error.errno == errno.ELOOP else f"it can't be read: {error.strerror}"
        raise Unreadable(why) from None


def _limited(data: bytes) -> bytes:
    if len(data) > LARGEST_ENTRY:
        raise Unreadable(f"it has more than {LARGEST_ENTRY:,} bytes")
    return data


def _decoded(info: zipfile.ZipInfo) -> str:
    """Return the entry's name: macOS writes UTF-8 without saying so, and accents apart from their letters."""
    name = info.filename
    if not info.flag_bits & 0x800:
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return unicodedata.normalize("NFC", name.replace("\\", "/"))


def is_junk(entry: Entry) -> bool:
    """Return True for files that operating systems leave behind, such as .DS_Store, and that are never graded."""
    return any(part in JUNK or part.startswith("._") for part in entry.parts)
