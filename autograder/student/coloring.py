"""The first line of a verdict in color, where colors are shown."""

import os
import sys

from IPython import get_ipython

GREEN, RED, PLAIN = "\x1b[32;1m", "\x1b[31;1m", "\x1b[0m"


def say(text: str) -> None:
    """Print a verdict, with the first line in green if it begins with "ok", else in red."""
    print(colored(text) if shows_colors() else text)


def colored(text: str) -> str:
    first, newline, rest = text.partition("\n")
    return f"{GREEN if first.startswith('ok') else RED}{first}{PLAIN}{newline}{rest}"


def shows_colors() -> bool:
    """Return True in a notebook and on a terminal, unless the environment variable NO_COLOR is set."""
    if os.environ.get("NO_COLOR"):
        return False
    return getattr(get_ipython(), "kernel", None) is not None or sys.stdout.isatty()
