"""Records are signed: points that were written into one by hand do not count.

The key is beside the gradebook, in `autograder/gradebook.key`, readable to its owner alone, and is made when it is
first needed. Whoever can read it can change the gradebook as well: it keeps apart what a run of the grader has written
and what anybody else has. A key that is lost costs time only: every submission is judged again.
"""

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE = "autograder/gradebook.key"
BYTES = 32
FIELD = "signature"


def signed(root: Path, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record with its signature added."""
    return {**record, FIELD: _signature(root, record)}


def is_signed(root: Path, record: Mapping[str, Any]) -> bool:
    """Return True if the record has a valid signature of the grader."""
    given = record.get(FIELD)
    return type(given) is str and hmac.compare_digest(given.encode(), _signature(root, record).encode())


def _signature(root: Path, record: Mapping[str, Any]) -> str:
    content = json.dumps({name: value for name, value in record.items() if name != FIELD}, sort_keys=True)
    return hmac.new(_key(root / FILE), content.encode(), hashlib.sha256).hexdigest()


def _key(path: Path) -> bytes:
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        key = b""
    return key if len(key) == BYTES else _made(path, replace=bool(key))


def _made(path: Path, replace: bool) -> bytes:
    """Write a new key to the file, as a whole or not at all; of several processes that make one, the first counts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=".gradebook-", suffix=".tmp")  # mode 0600
    try:
        with open(descriptor, "wb") as file:
            file.write(secrets.token_bytes(BYTES))
        if not replace:
            with contextlib.suppress(FileExistsError):
                os.link(draft, path)
        else:
            os.replace(draft, path)
    finally:
        Path(draft).unlink(missing_ok=True)
    return path.read_bytes()
