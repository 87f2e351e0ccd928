"""Files that are whole: whoever is stopped while one is written leaves the old one or the new one."""

import os
from pathlib import Path


def write_whole(path: Path, text: str, *, durable: bool = False) -> None:
    """Write a text file atomically, with its line endings unchanged; other processes see the old text or the new one.

    Args:
        durable: wait until the disk has it, so that it also survives when the machine stops.
    Raises:
        UnicodeEncodeError: the text has a lone surrogate, which UTF-8 has no bytes for.
        OSError: it can't be written; the old file is as it was.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
