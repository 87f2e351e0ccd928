"""Progress of commands that take long, and the end of one that is interrupted.

    with ProgressBar("bench", 113) as bar: ...          a command that forks: drawn between two pieces, by no thread
    for outcome in watched(outcomes, 60, console, "submissions"): ...        work of other processes
    with busy(console, "weaving 01-strides"): ...       one thing, however long it takes

On a terminal a `ProgressBar` names the piece of work in hand; elsewhere, as in a log, a line does, every ten seconds.
Both go to stderr, so that what a command prints can be piped.
"""

import contextlib
import sys
import time
from collections.abc import Generator, Iterator
from types import TracebackType
from typing import Self, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column

Piece = TypeVar("Piece")

SECONDS_BETWEEN_LINES = 10.0
SECONDS_BETWEEN_DRAWINGS = 0.1


def begin(doing: str, interrupted: str = "nothing was changed") -> None:
    """Print what a command does first, and from now on let Ctrl-C end it with a one-line message.

    Args:
        doing: for example "loading PyTorch": imports come before the bar.
        interrupted: what Ctrl-C leaves behind.
    """
    print(doing, file=sys.stderr, flush=True)
    usual = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            print(f"\nstopped: {interrupted}", file=sys.stderr, flush=True)
        else:
            usual(kind, error, where)

    sys.excepthook = hook


class ProgressBar:
    """A progress bar over `total` pieces of work: `with ProgressBar("bench", 113) as bar: bar.step("x + y")`."""

    def __init__(self, work: str, total: int) -> None:
        self.work, self.total, self.begun = work, total, 0
        console = Console(stderr=True)
        self._next = 0.0  # when the next line or drawing is due
        self._bar = None
        if console.is_terminal:
            columns = (TextColumn("{task.fields[work]}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
                       TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True)))  # fmt: skip
            self._bar = Progress(*columns, console=console, transient=True, auto_refresh=False,
                                 redirect_stdout=sys.stdout.isatty(), redirect_stderr=False)  # fmt: skip

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
            self._bar.add_task("", total=self.total, work=self.work)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()

    def step(self, doing: str) -> None:
        """Start the next piece of work; the previous one counts as done."""
        self.begun += 1
        if self._bar:
            self._next = 0.0
        self.show(doing)

    def show(self, doing: str) -> None:
        """Show the current activity within the same piece of work."""
        now = time.monotonic()
        if now < self._next:
            return
        if self._bar:
            self._bar.update(self._bar.task_ids[0], completed=max(self.begun - 1, 0), description=doing, refresh=True)
            self._next = now + SECONDS_BETWEEN_DRAWINGS
        else:
            print(f"{self.work}: {self.begun} of {self.total}, {doing}", file=sys.stderr, flush=True)
            self._next = now + SECONDS_BETWEEN_LINES


@contextlib.contextmanager
def busy(console: Console, what: str) -> Iterator[None]:
    """Show the status message `what` while the context is active."""
    if not console.is_terminal:
        console.print(f"{what} ...")
        yield
        return
    with console.status(f"{what} ..."):
        yield


def watched(pieces: Generator[Piece], total: int, console: Console, of: str) -> Iterator[Piece]:
    """Yield the results of other processes while showing a progress bar; close `pieces` when the caller's loop ends."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress, contextlib.closing(pieces):
        task = progress.add_task(of, total=total)
        for piece in pieces:
            yield piece
            progress.advance(task)
