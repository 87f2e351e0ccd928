"""The prints of a student's code while it is checked: held back, so that it comes below the verdict, and bounded."""

import contextlib
import io
import threading
from collections.abc import Iterator

from autograder.examine.plain import show_text

MOST_LINES, WIDEST = 20, 120  # of one case that are shown
MOST = 1 << 20  # characters in all, as when grading


class Printed(io.TextIOBase):
    """Takes the place of standard output: keeps the first lines since `begin`, and stops code that never ends."""

    def __init__(self) -> None:
        self.total = 0
        self.begin()

    @property
    def is_too_much(self) -> bool:
        return self.total > MOST

    def begin(self) -> None:
        """Forget what was kept: the next case begins."""
        self._kept: list[str] = []
        self._room = MOST_LINES * WIDEST * 4
        self._lines = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        """Keep the beginning, count the rest.

        Raises:
            KeyboardInterrupt: more than `MOST` characters. In another thread it is a RuntimeError.
        """
        self.total += len(text)
        self._lines += text.count("\n")
        if self._room > 0:
            self._kept.append(text[: self._room])
            self._room -= len(text)
        if self.is_too_much:
            is_main = threading.current_thread() is threading.main_thread()
            raise KeyboardInterrupt if is_main else RuntimeError(f"printed more than {MOST:,} characters")
        return len(text)

    def shown(self) -> str:
        """Return the first lines, each at most `WIDEST` wide, and how many there were."""
        lines = "".join(self._kept).splitlines()
        if not any(line.strip() for line in lines):
            return ""
        count = max(len(lines), self._lines)
        head = (
            "printed by this case:"
            if count <= MOST_LINES
            else f"printed by this case, {MOST_LINES} of {count:,} lines:"
        )
        return "\n".join([f"   {head}", *(f"   | {show_text(line, WIDEST)}" for line in lines[:MOST_LINES])])


@contextlib.contextmanager
def held_back() -> Iterator[Printed]:
    """Yield an object that takes what is printed inside the block."""
    printed = Printed()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):  # type: ignore[type-var]
        yield printed
