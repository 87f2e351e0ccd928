"""The death of a process in which a student's code ran, as a verdict: which signal ended it, and what that means."""

import signal

from autograder.examine.questions import Stopped
from autograder.examine.verdict import CRASHED, TIMED_OUT

ENDS_PROCESS = "the cell ends the process: sys.exit() or exit()"
OUT_OF_TIME = ("SIGXCPU", "SIGKILL")  # the limits of computing time, soft and hard
OF_MEMORY = ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGTRAP")


def of_signal(number: int) -> Stopped:
    """Return the verdict on code that ended its process, by the number of the signal; 0 if there was no signal."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        return Stopped(CRASHED, ENDS_PROCESS)
    if name in OUT_OF_TIME:
        return Stopped(TIMED_OUT, f"it needed more computing time than it may have ({name})")
    if name in OF_MEMORY:
        return Stopped(CRASHED, f"your code read or wrote outside its arrays, and that ended the process ({name})")
    return Stopped(CRASHED, f"your code ended the process ({name})")
