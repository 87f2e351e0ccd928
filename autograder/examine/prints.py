"""The prints of a student's code while it is checked: held back, so that it comes below the verdict, and bounded."""

import contextlib
import io
import threading
from collections.abc import Iterator

from autograder.examine.plain_data import show_text

MOST_LINES, WIDEST = 20, 120  # of one case that are shown
MOST = 1 << 20  # characters in all, as when grading


class Printed(io.TextIOBase):
    """A replacement for standard output that keeps the first lines since `begin`, and stops endless printing."""

    def __init__(self) -> None:
        self.total = 0
        self.begin()

    @property
    def is_too_much(self) -> bool:
        return self.total > MOST

    def begin(self) -> None:
        """Clear the kept text, before the next case."""
        self._kept: list[str] = []
        self._room = MOST_LINES * WIDEST * 4
        self._lines = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        """Keep the beginning of the printed text, and count the rest.

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
        """Return the first lines as text, each at most `WIDEST` wide, with the total number of lines; "" if blank."""
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
    """Yield a `Printed` that captures standard output inside the block."""
    printed = Printed()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):  # type: ignore[type-var]
        yield printed
