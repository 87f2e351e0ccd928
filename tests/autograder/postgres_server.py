"""A PostgreSQL server of a test's own: data in a temporary folder, a Unix socket there, and no port."""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

USER = "nobody"  # whom root is for it: initdb refuses root
QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=16MB")


def missing() -> str:
    """The reason that the tests are not run: this machine lacks something; "" if it has everything."""
    if importlib.util.find_spec("psycopg") is None:
        return "not run: psycopg is not installed"
    return "" if programs() else "not run: PostgreSQL's initdb and postgres are not installed"


def programs() -> Path | None:
    """The folder of initdb and postgres, which Debian keeps off PATH; the newest version's."""
    found = [Path(path).resolve().parent for path in [shutil.which("initdb")] if path]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    return next((path for path in found if all((path / name).is_file() for name in ("initdb", "postgres"))), None)


class Server:
    """`start` and `stop` as often as a test likes; `url` of its first database."""

    def __init__(self, folder: Path):
        self._folder, self._process = folder, None
        self._user = {"user": USER, "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
        subprocess.run(
            [programs() / "initdb", "--pgdata", folder / "data", "--username", "grader", "--auth", "trust",
             "--encoding", "UTF8", "--locale", "C", "--no-sync"],
            check=True, capture_output=True, cwd=folder, **self._user,
        )  # fmt: skip

    def url(self, database: str = "postgres") -> str:
        return f"postgresql+psycopg://grader@/{database}?host={self._folder}"

    def start(self) -> "Server":
        settings = ["listen_addresses=", f"unix_socket_directories={self._folder}", *QUICK]
        with (self._folder / "log").open("a") as log:
            self._process = subprocess.Popen(
                [programs() / "postgres", "-D", self._folder / "data", *(f"--{setting}" for setting in settings)],
                stdout=log, stderr=log, cwd=self._folder, **self._user,
            )  # fmt: skip
        while self._process.poll() is None:
            with contextlib.suppress(OSError), contextlib.closing(self._connect()):
                return self
        raise RuntimeError((self._folder / "log").read_text())

    def _connect(self):
        import psycopg

        try:
            return psycopg.connect(host=str(self._folder), user="grader", dbname="postgres", autocommit=True)
        except psycopg.OperationalError as error:
            raise OSError(str(error)) from None

    def new(self, database: str, template: str = "template1") -> str:
        """The address of a new database, a copy of the template, which nobody has open."""
        with contextlib.closing(self._connect()) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')
            connection.execute(f'CREATE DATABASE "{database}" TEMPLATE "{template}"')
        return self.url(database)

    def leave(self, database: str) -> None:
        """End all sessions of a database, so that it can be copied."""
        with contextlib.closing(self._connect()) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", [database]
            )

    def files(self, url: str) -> list[Path]:
        """The files of a database's tables, with all that is written so far."""
        with contextlib.closing(self._connect()) as connection:
            connection.execute("CHECKPOINT")
            name = url.split("/")[3].split("?")[0]
            row = connection.execute("SELECT oid FROM pg_database WHERE datname = %s", [name]).fetchone()
        return [path for path in (self._folder / "data" / "base" / str(row[0])).iterdir() if path.is_file()]

    def stop(self) -> None:
        """End it at once, sessions too."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(30)
            self._process = None


@contextlib.contextmanager
def running() -> Iterator[Server]:
    """A server that is gone, with its data, when the context ends."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-", dir="/tmp"))  # a socket's path is at most 107 characters
    try:
        folder.chmod(0o755)
        if os.geteuid() == 0:
            shutil.chown(folder, USER)
        server = Server(folder)
        try:
            yield server.start()
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
