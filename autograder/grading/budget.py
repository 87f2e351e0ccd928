"""Limits of our own work for one student, outside the sandbox: reading, comparing, entering, writing the feedback."""

from dataclasses import dataclass

import psutil

from autograder.sandbox import processes


@dataclass(frozen=True)
class Budget:
    """The CPU time and memory that a pool process may use for one submission, including the reference answers it runs.

    `cpu_seconds`: of that process, not of the sandbox that it starts. `memory`: bytes beyond those that it began with.
    `memory_in_all`: the same of that process and all below it, the sandbox among them.
    """

    cpu_seconds: float = 60.0
    memory: int = 1 << 30
    memory_in_all: int = 2 << 30


class Meter:
    """Measures the resources that a process has used since the meter was created."""

    def __init__(self, pid: int, budget: Budget):
        self._process = psutil.Process(pid)
        self._budget = budget
        self._begun, self._held = self._cpu_seconds(), self._memory()
        self._held_in_all = processes.memory(pid)

    def excess(self) -> str:
        """Return a description of the budget limit that the process exceeds, or "" if it exceeds none."""
        try:
            if self._cpu_seconds() - self._begun > self._budget.cpu_seconds:
                return f"more than {self._budget.cpu_seconds:g} CPU seconds outside the sandbox"
            if self._memory() - self._held > self._budget.memory:
                return f"more than {self._budget.memory / (1 << 20):,.0f} MiB of memory outside the sandbox"
            if processes.memory(self._process.pid) - self._held_in_all > self._budget.memory_in_all:
                return f"more than {self._budget.memory_in_all / (1 << 20):,.0f} MiB of memory, the sandbox's included"
        except psutil.Error:  # it has ended
            pass
        return ""

    def is_swollen(self) -> bool:
        """Return True if the process holds too much memory for another submission, which would be charged for it."""
        try:
            return self._memory() > self._budget.memory / 2
        except psutil.Error:
            return True

    def _cpu_seconds(self) -> float:
        times = self._process.cpu_times()
        return times.user + times.system

    def _memory(self) -> int:
        return self._process.memory_info().rss
