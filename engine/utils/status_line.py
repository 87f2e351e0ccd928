"""A line that says what takes long, shown after two seconds: kernels that numba compiles, and what `busy` names.

    with busy("sort the rows") as task:
        task.text = "sort the rows: second half"

On a terminal the line is rewritten in place on stderr, and cleared as soon as the work pauses; Jupyter has a
display that is updated; elsewhere (a pipe, a file) stderr gets one line at the beginning and one at the end.
A thread looks after it while there is work, and ends with it. ENGINE_PROGRESS=0 in the environment switches it off.
"""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, Protocol

AFTER, EVERY, PAUSE = 2.0, 0.25, 1.0  # seconds: until it is shown, between updates, of rest that end it
WIDEST = 79
_PROCESS = os.getpid()  # a forked worker shows nothing


class Task:
    """A task that may take long; `text` describes it and may change."""

    def __init__(self, text: str):
        self.name = self.text = text
        self.began = time.monotonic()


class Sink(Protocol):
    """The display of the status line."""

    def is_current(self) -> bool: ...
    def show(self, text: str) -> None: ...
    def clear(self) -> None: ...
    def end(self, text: str) -> None: ...


class StatusLine:
    """The tasks in progress in this process, and the thread that shows them."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.kernels: list[Task] = []  # that numba compiles now, outermost first
        self.compiled = 0
        self.seconds = 0.0  # of compiling, since there was work last
        self._last = 0.0  # when something went on last
        self._sink: Sink | None = None
        self._is_shown = False
        self._shown = ""  # that is to be seen now
        self._finished = ""  # what was done last, and how long it took
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def begin(self, work: list[Task], task: Task) -> None:
        """Add a task to one of the lists."""
        if self._sink and not self._sink.is_current() and not (self.kernels or self.tasks):
            with self._lock:
                self._finish()
                self._sink = sink()
        work.append(task)
        if self._thread is None and is_on():
            self._sink = sink()
            self._thread = threading.Thread(target=self._watch, name="status line", daemon=True)
            self._thread.start()

    def end(self, work: list[Task], task: Task) -> None:
        """Remove a task, and those begun after it, from one of the lists."""
        if task in work:
            del work[work.index(task) :]
        self._last = time.monotonic()
        self._finished = f"{task.name}: took {self._last - task.began:.0f} s"
        if work is self.kernels and not work:
            self.compiled += 1
            self.seconds += self._last - task.began
        if self._is_shown and not (self.kernels or self.tasks) and self._sink:
            with self._lock:
                self._shown = ""
                self._sink.clear()

    def text(self) -> str:
        """Return the current status line; "" while nothing has taken long."""
        now = time.monotonic()
        task = self.tasks[-1] if self.tasks else None
        kernel = self.kernels[0] if self.kernels else None
        seconds = self.seconds + (now - kernel.began if kernel else 0.0)
        if kernel and seconds >= AFTER:
            count = self.compiled + 1
            said = f"compiling {count} kernel{'s' * (count > 1)} ... {self.compiled} done, {kernel.text}"
            return f"{said} ({seconds:.0f} s)" + (f"; {task.text}" if task else "")
        if task and not kernel and now - task.began >= AFTER:
            return f"{task.text} ... {now - task.began:.0f} s"
        return ""

    def _watch(self) -> None:
        while True:
            time.sleep(EVERY)
            with self._lock:
                # What the user's code does meanwhile may change the lists, or end the task that is looked at.
                with contextlib.suppress(IndexError):
                    text = self.text()
                    if text and text != self._shown and self._sink:
                        self._is_shown, self._shown = True, text
                        self._sink.show(text)
                if not (self.tasks or self.kernels) and time.monotonic() - self._last > PAUSE:
                    self._finish()
                    self._thread = None
                    return

    def _finish(self) -> None:
        """Say what was done, and count anew."""
        if self._is_shown and self._sink:
            self._sink.end(self._summary())
        self._is_shown, self._shown, self.compiled, self.seconds = False, "", 0, 0.0

    def _summary(self) -> str:
        if not self.compiled:
            return self._finished
        return f"compiled {self.compiled} kernel{'s' * (self.compiled > 1)} in {self.seconds:.0f} s"


LINE = StatusLine()


@contextlib.contextmanager
def busy(text: str) -> Iterator[Task]:
    """Show `text` on the status line once the block takes longer than two seconds; the task's `text` may be changed."""
    task = Task(text)
    LINE.begin(LINE.tasks, task)
    try:
        yield task
    finally:
        LINE.end(LINE.tasks, task)


def is_on() -> bool:
    """Return True in the process that the user has started, unless ENGINE_PROGRESS=0."""
    workers = sys.modules.get("multiprocessing.process")
    is_worker = workers is not None and workers.parent_process() is not None
    return os.environ.get("ENGINE_PROGRESS") != "0" and os.getpid() == _PROCESS and not is_worker


def sink() -> Sink:
    """Return the display of the status line in this process."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if getattr(shell, "kernel", None) is not None:
        return _Jupyter(shell)
    return _Terminal(sys.stderr) if getattr(sys.stderr, "isatty", bool)() else _Log(sys.stderr)


class _Terminal:
    def __init__(self, stream: Any):
        self.stream = stream

    def is_current(self) -> bool:
        return True

    def show(self, text: str) -> None:
        self._write(f"\r\x1b[K{text[:WIDEST]}")

    def clear(self) -> None:
        self._write("\r\x1b[K")

    def end(self, text: str) -> None:
        pass

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # the stream may be closed by now
            self.stream.write(text)
            self.stream.flush()


class _Log(_Terminal):
    has_begun = False

    def show(self, text: str) -> None:
        if not self.has_begun:
            self.has_begun = True
            self._write(f"{text}\n")

    def clear(self) -> None:
        pass

    def end(self, text: str) -> None:
        self._write(f"{text}\n")


class _Jupyter:
    """A display below the cell that runs now; the next cell has one of its own."""

    handle: Any = None

    def __init__(self, shell: Any):
        self.shell, self.cell = shell, shell.execution_count

    def is_current(self) -> bool:
        return self.shell.execution_count == self.cell

    def show(self, text: str) -> None:
        from IPython.display import display

        data = {"text/plain": text}
        if self.handle is None:
            self.handle = display(data, raw=True, display_id=True)
        else:
            self.handle.update(data, raw=True)

    def clear(self) -> None:
        pass

    def end(self, text: str) -> None:
        self.show(text)
